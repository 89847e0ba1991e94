//! The steps of the raw client, the proxy and the fake server.
use posthouse_testkit::{Direction, FakeServer, Proxy};
use serde_json::{Map, Value, json};

use crate::{
    pattern::short,
    raw::Raw,
    stage::{Stage, text},
};

type Step = Map<String, Value>;

impl Stage {
    pub(crate) async fn raw_step(&mut self, verb: &str, step: &Step) -> Result<(), String> {
        if verb == "connect" || self.raw.is_none() {
            let port = step.get("port").or_else(|| self.binds.get("port")).and_then(Value::as_u64);
            let port =
                port.and_then(|port| u16::try_from(port).ok()).ok_or("there is no broker")?;
            let login = step.get("login").and_then(Value::as_object).cloned().unwrap_or_default();
            self.raw = Some(Raw::connect(port, &login).await?);
        }
        let raw = self.raw.as_mut().ok_or("no raw client")?;
        let stream = text(step, "as");
        let got = match verb {
            "connect" => return Ok(()),
            "sub" => {
                return raw.subscribe(text(step, "subject"), text(step, "queue"), stream).await;
            }
            "unsub" => return raw.unsubscribe(stream).await,
            "flush" => return raw.flush().await,
            "pub" => {
                let body = match step.get("json") {
                    Some(json) => json.to_string().into_bytes(),
                    None => payload(step)?,
                };
                let times = step.get("times").and_then(Value::as_u64).unwrap_or(1);
                for _ in 0..times {
                    raw.publish(
                        text(step, "subject"),
                        text(step, "reply"),
                        text(step, "headers"),
                        &body,
                    )
                    .await?;
                }
                return raw.flush().await;
            }
            "none" => {
                raw.flush().await?;
                return match raw.try_next(stream) {
                    Some(message) => Err(format!("nothing was expected, got {}", short(&message))),
                    None => Ok(()),
                };
            }
            "forget" => {
                raw.flush().await?;
                while raw.try_next(stream).is_some() {}
                return Ok(());
            }
            "expect" => raw.next(stream).await?,
            "await" => loop {
                let raw = self.raw.as_mut().ok_or("no raw client")?;
                let message = raw.next(stream).await?;
                if self.compare(step, "raw", &message).is_ok() {
                    return Ok(());
                }
            },
            _ => return Err(format!("the raw client cannot `{verb}`")),
        };
        self.compare(step, "raw", &got)
    }

    pub(crate) fn proxy_step(&mut self, verb: &str, step: &Step) -> Result<(), String> {
        if verb == "start" {
            let port = step.get("port").or_else(|| self.binds.get("port")).and_then(Value::as_u64);
            let port =
                port.and_then(|port| u16::try_from(port).ok()).ok_or("there is no broker")?;
            let proxy = Proxy::to_port(port);
            self.binds.insert("proxy".into(), proxy.url("nats").into());
            self.proxy = Some(proxy);
            return Ok(());
        }
        let proxy = self.proxy.as_ref().ok_or("start the proxy first")?;
        let direction = match text(step, "to") {
            "server" => Direction::ToServer,
            "client" => Direction::ToClient,
            _ => Direction::Both,
        };
        match verb {
            "cut" => proxy.cut(),
            "reset" => proxy.reset(),
            "refuse" => proxy.refuse(),
            "allow" => proxy.allow(),
            "swallow" => proxy.swallow(direction),
            "pause" => proxy.pause(direction),
            "hold" => proxy.hold(direction),
            "flow" => proxy.flow(direction),
            "split" => proxy
                .split(direction, step.get("size").and_then(Value::as_u64).unwrap_or(1) as usize),
            "record" => proxy.record(),
            "seen" => {
                let seen = String::from_utf8_lossy(&proxy.seen(direction)).into_owned();
                let got = json!({"text": seen});
                let mut pattern = step.clone();
                pattern.remove("to");
                return self.compare(&pattern, "proxy", &got);
            }
            _ => return Err(format!("a proxy cannot `{verb}`")),
        }
        Ok(())
    }

    pub(crate) async fn fake_step(&mut self, verb: &str, step: &Step) -> Result<(), String> {
        if verb == "start" {
            let port = step.get("port").and_then(Value::as_u64).unwrap_or(0) as u16;
            let fake = FakeServer::start_on(port).await;
            self.binds.insert("fake".into(), fake.url().into());
            self.fake = Some(fake);
            return Ok(());
        }
        let fake = self.fake.as_ref().ok_or("start the fake server first")?;
        let info = text(step, "info");
        let line = match verb {
            "accept" => {
                self.client = Some(fake.accept().await);
                let greeting = fake.info(info);
                self.fake_client()?.send(greeting).await;
                return Ok(());
            }
            "accept_silent" => {
                self.client = Some(fake.accept().await);
                return Ok(());
            }
            "accept_ready" => {
                let (client, connect) = fake.accept_ready(info).await;
                self.client = Some(client);
                connect
            }
            "send" => {
                self.fake_client()?.send(text(step, "text")).await;
                return Ok(());
            }
            "expect" => self.fake_client()?.expect_line(text(step, "line")).await,
            "skip_to" => self.fake_client()?.skip_to(text(step, "line")).await,
            "end" => {
                self.fake_client()?.expect_end().await;
                return Ok(());
            }
            "close" => {
                self.client.take().ok_or("no client has connected")?.close().await;
                return Ok(());
            }
            "reset" => {
                self.client.take().ok_or("no client has connected")?.reset();
                return Ok(());
            }
            _ => return Err(format!("the fake server cannot `{verb}`")),
        };
        for (index, word) in line.split_ascii_whitespace().enumerate() {
            self.binds.insert(format!("word{index}"), word.into());
        }
        let mut got = json!({"text": line});
        if let Some(json) =
            line.find('{').and_then(|at| serde_json::from_str::<Value>(&line[at..]).ok())
        {
            got["json"] = json;
        }
        let pattern: Step = step
            .iter()
            .filter(|(key, _)| !["line", "info"].contains(&key.as_str()))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        self.compare(&pattern, "fake", &got)
    }

    fn fake_client(&mut self) -> Result<&mut posthouse_testkit::FakeConnection, String> {
        self.client.as_mut().ok_or_else(|| "no client has connected".into())
    }
}

/// The payload a step gives as `text`, or as hex digits in `bytes`.
fn payload(step: &Step) -> Result<Vec<u8>, String> {
    let digits = text(step, "bytes");
    if digits.is_empty() {
        // `${i}` alone is a number.
        let given = step.get("text").unwrap_or(&Value::Null);
        return Ok(given.as_str().map_or_else(|| given.to_string(), str::to_owned).into_bytes());
    }
    digits
        .as_bytes()
        .chunks(2)
        .map(|pair| {
            let pair = std::str::from_utf8(pair).unwrap_or_default();
            u8::from_str_radix(pair, 16).map_err(|_| format!("`{digits}` is not hex"))
        })
        .collect()
}
