//! The objects that were made, and what each can do.

use crate::{
    request::{Answer, Request},
    settings::settings,
};
use posthouse_testkit::{
    Binary, Certs, Cluster, Creds, FakeConnection, FakeServer, NatsServer, NkeyUser, NodeProcess,
    Proxy, ServerBuilder, find_nats_server,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};
use tokio::runtime::Runtime;

/// One object.
pub enum Object {
    /// A nats-server.
    Server(Box<NatsServer>),
    /// Several with routes; `server` in a request chooses one.
    Cluster(Cluster),
    /// The owned node.
    Node(NodeProcess),
    /// A proxy.
    Proxy(Proxy),
    /// A scripted server.
    Fake(FakeServer),
    /// A client that it has accepted.
    Client(Box<FakeConnection>),
    /// Keys for TLS.
    Certs(Box<Certs>),
    /// Keys for NATS authentication.
    Creds(Box<Creds>),
}

/// All objects by their number.
pub struct Objects {
    next: u64,
    all: BTreeMap<u64, Object>,
    runtime: Runtime,
}

impl Objects {
    /// None yet.
    pub fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Self {
            next: 1,
            all: BTreeMap::new(),
            runtime: runtime.expect("a runtime for fake servers"),
        }
    }

    /// The object of this number.
    pub fn get(&self, id: u64) -> Result<&Object, String> {
        self.all.get(&id).ok_or_else(|| format!("there is no object {id}"))
    }

    /// Makes an object of a kind and says what there is to know of it.
    pub fn make(&mut self, kind: &str, request: &Request) -> Answer {
        let object = match kind {
            "server" => {
                let server = settings(&request.inside("settings"), self)?.start();
                Object::Server(Box::new(server))
            }
            "cluster" => {
                let given = settings(&request.inside("settings"), self)?;
                let named = |i: usize, _| given.clone().name(&format!("n{i}"));
                Object::Cluster(Cluster::start(request.number("size")?, named))
            }
            "node" => Object::Node(NodeProcess::start(&request.texts("arguments"))),
            "proxy" => Object::Proxy(Proxy::to_port(request.number("port")?)),
            "fake" => Object::Fake(self.runtime.block_on(FakeServer::start())),
            "certs" => Object::Certs(Box::new(Certs::generate())),
            "creds" => Object::Creds(Box::new(Creds::generate())),
            "nkey" => {
                let user = NkeyUser::generate();
                return Ok(json!({"public_key": user.public_key, "seed": user.seed}));
            }
            "binary" => {
                let kind = request.text("name")?;
                let binary = if kind == "current" { Binary::Current } else { Binary::System };
                return Ok(json!(find_nats_server(binary)));
            }
            _ => return Err(format!("{kind:?} cannot be made")),
        };
        Ok(self.add(object))
    }

    /// Has an object do something.
    pub fn act(&mut self, request: &Request) -> Answer {
        let id = request.number("object")?;
        let verb = request.text("do")?;
        if verb == "drop" {
            self.all.remove(&id);
            return Ok(Value::Null);
        }
        let mut object = self.all.remove(&id).ok_or_else(|| format!("there is no object {id}"))?;
        // It is out of the table while it acts, so that others can be looked up and added.
        let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match &mut object {
            Object::Server(server) => self.server(server, verb, request),
            Object::Cluster(cluster) => {
                let index: usize = request.optional_number("server").unwrap_or(0);
                if index >= cluster.servers().len() {
                    return Err(format!("the cluster has no server {index}"));
                }
                self.server(&mut cluster[index], verb, request)
            }
            Object::Node(node) => act_on_node(node, verb, request),
            Object::Proxy(proxy) => act_on_proxy(proxy, verb, request),
            Object::Fake(fake) => self.fake(fake, verb, request),
            Object::Client(client) => self.client(client, verb, request),
            Object::Creds(creds) if verb == "user" => {
                let user = creds.user(request.text("name")?);
                Ok(json!({"file": user.file, "seed": user.seed, "jwt": user.jwt}))
            }
            Object::Certs(_) | Object::Creds(_) => Err(format!("it cannot {verb:?}")),
        }));
        self.all.insert(id, object);
        answer.unwrap_or_else(|cause| std::panic::resume_unwind(cause))
    }

    fn add(&mut self, object: Object) -> Value {
        let mut known = match &object {
            Object::Server(server) => about(server),
            Object::Cluster(cluster) => {
                json!({"servers": cluster.servers().iter().map(about).collect::<Vec<_>>()})
            }
            Object::Node(node) => {
                json!({"port": node.port(), "websocket": node.websocket_port()})
            }
            Object::Proxy(proxy) => json!({"port": proxy.port()}),
            Object::Fake(fake) => json!({"port": fake.port()}),
            Object::Certs(certs) => json!({
                "ca": certs.ca, "client_cert": certs.client.cert, "client_key": certs.client.key,
            }),
            Object::Creds(creds) => json!({"folder": creds.dir().path()}),
            Object::Client(_) => json!({}),
        };
        known["object"] = self.next.into();
        self.all.insert(self.next, object);
        self.next += 1;
        known
    }

    fn server(&mut self, server: &mut NatsServer, verb: &str, request: &Request) -> Answer {
        match verb {
            "kill" => server.kill(),
            "stop" => server.stop(),
            "restart" => server.restart(),
            "freeze" => server.freeze(),
            "thaw" => server.thaw(),
            "lame_duck" => server.lame_duck(),
            "reload" => {
                let new: ServerBuilder = settings(&request.inside("settings"), self)?;
                server.reload(|_| new);
            }
            "log" => return Ok(server.log().into()),
            "monitor" => return Ok(server.monitor(request.text("page")?)),
            "subscriptions" => return Ok(server.subscriptions().into()),
            "connections" => return Ok(server.connections().into()),
            _ => return Err(format!("a server cannot {verb:?}")),
        }
        Ok(Value::Null)
    }

    fn fake(&mut self, fake: &FakeServer, verb: &str, request: &Request) -> Answer {
        match verb {
            "info" => Ok(fake.info(request.optional_text("extra").unwrap_or_default()).into()),
            "accept" => {
                let client = self.runtime.block_on(fake.accept());
                Ok(self.add(Object::Client(Box::new(client))))
            }
            "accept_ready" => {
                let extra = request.optional_text("extra").unwrap_or_default();
                let (client, connect) = self.runtime.block_on(fake.accept_ready(extra));
                let mut known = self.add(Object::Client(Box::new(client)));
                known["connect"] = connect.into();
                Ok(known)
            }
            _ => Err(format!("a fake server cannot {verb:?}")),
        }
    }

    fn client(&self, client: &mut FakeConnection, verb: &str, request: &Request) -> Answer {
        self.runtime.block_on(async {
            Ok(match verb {
                "send" => {
                    client.send(request.text("text")?).await;
                    Value::Null
                }
                "expect_line" => client.expect_line(request.text("prefix")?).await.into(),
                "skip_to" => client.skip_to(request.text("prefix")?).await.into(),
                "line" => json!(client.line().await),
                "expect_end" => {
                    client.expect_end().await;
                    Value::Null
                }
                "seen" => bytes(client.seen()),
                _ => return Err(format!("an accepted client cannot {verb:?}")),
            })
        })
    }
}

fn act_on_node(node: &mut NodeProcess, verb: &str, request: &Request) -> Answer {
    match verb {
        "kill" => node.kill(),
        "restart" => node.restart(),
        "restart_with" => node.restart_with(&request.texts("arguments")),
        "freeze" => node.freeze(),
        "thaw" => node.thaw(),
        "log" => return Ok(node.log().into()),
        _ => return Err(format!("a node cannot {verb:?}")),
    }
    Ok(Value::Null)
}

fn act_on_proxy(proxy: &Proxy, verb: &str, request: &Request) -> Answer {
    let direction = request.direction()?;
    match verb {
        "pause" => proxy.pause(direction),
        "hold" => proxy.hold(direction),
        "swallow" => proxy.swallow(direction),
        "flow" => proxy.flow(direction),
        "split" => proxy.split(direction, request.number("size")?),
        "delay" => proxy.delay(direction, Duration::from_millis(request.number("ms")?)),
        "cut" => proxy.cut(),
        "reset" => proxy.reset(),
        "refuse" => proxy.refuse(),
        "allow" => proxy.allow(),
        "record" => proxy.record(),
        "seen" => {
            let all = proxy.seen(direction);
            let from = request.optional_number("from").unwrap_or(0).min(all.len());
            return Ok(bytes(&all[from..]));
        }
        "bytes" => return Ok(proxy.bytes(direction).into()),
        "accepted" => return Ok(proxy.accepted().into()),
        "open" => return Ok(proxy.open().into()),
        _ => return Err(format!("a proxy cannot {verb:?}")),
    }
    Ok(Value::Null)
}

fn about(server: &NatsServer) -> Value {
    json!({"port": server.port(), "websocket": server.find_websocket_port()})
}

/// Bytes as text: each is the character of its number (Latin-1).
fn bytes(all: &[u8]) -> Value {
    all.iter().map(|&byte| char::from(byte)).collect::<String>().into()
}
