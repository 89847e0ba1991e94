//! The main task of a hub: does what the machine asks for and tells it the time.
use super::{
    Shared, Sink,
    clock::{instant, now},
    link::{self, LinkHandle},
    local_node,
    wire::Wire,
};
use crate::net::{self, Endpoint, Established};
use posthouse_core::{
    Code, EndpointId, Error, LinkId,
    frame::{ConnectFields, Info},
    hub::{Action, DialId},
};
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::{
    task::{AbortHandle, JoinSet},
    time::{sleep_until, timeout},
};

/// How long the tasks of a closed hub may take to end.
const END_LIMIT: Duration = Duration::from_secs(1);

/// The tasks that belong to one hub.
struct Tasks {
    dials: HashMap<DialId, AbortHandle>,
    /// Attempts to connect and the connections that came of them.
    links: JoinSet<()>,
    probes: JoinSet<()>,
    endpoints: HashMap<EndpointId, Endpoint>,
    /// The limit of one attempt: a little less than the option `timeout`, so that whoever waits
    /// that long for the connection hears why there is none.
    limit: Duration,
}

/// Runs when the main task ends, also when the I/O thread was stopped under it.
struct End<S: Sink>(Arc<Shared<S>>);

impl<S: Sink> Drop for End<S> {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

pub(super) async fn drive<S: Sink>(shared: Arc<Shared<S>>) {
    let _end = End(Arc::clone(&shared));
    let configured = shared.servers.endpoints.iter().cloned().enumerate();
    let mut tasks = Tasks {
        dials: HashMap::new(),
        endpoints: configured.map(|(i, e)| (EndpointId(i as u32), e)).collect(),
        links: JoinSet::new(),
        probes: JoinSet::new(),
        limit: shared.with(|hub, _| Duration::from_millis(hub.timeout_ms())) * 7 / 8,
    };
    loop {
        if shared.state.is_poisoned() {
            shared.bury();
            break;
        }
        let (actions, deadline, closed) = {
            let mut state = shared.lock();
            let actions: Vec<Action> = std::iter::from_fn(|| state.hub.poll_action()).collect();
            state.sleeps_until = state.hub.deadline();
            (actions, state.sleeps_until, state.hub.is_closed())
        };
        for action in actions {
            tasks.act(&shared, action);
        }
        if closed {
            break;
        }
        tasks.forget_ended();
        match deadline {
            None => shared.wake.notified().await,
            Some(due) => tokio::select! {
                () = shared.wake.notified() => {}
                () = sleep_until(instant(due)) => {
                    shared.call(|hub, _, now| hub.handle_timeout(now));
                }
            },
        }
    }
    tasks.end().await;
    shared.node.lock().await.stop().await;
}

impl Tasks {
    fn act<S: Sink>(&mut self, shared: &Arc<Shared<S>>, action: Action) {
        match action {
            Action::Dial(dial, endpoint) => self.dial(shared, dial, endpoint),
            Action::Abandon(dial) => {
                if let Some(task) = self.dials.remove(&dial) {
                    task.abort();
                }
            }
            Action::Close(link) => close(shared, link),
            Action::Probe(endpoint) => self.probe(shared, endpoint),
            Action::Learned(endpoint, address) => self.learned(shared, endpoint, &address),
        }
    }

    fn dial<S: Sink>(&mut self, shared: &Arc<Shared<S>>, dial: DialId, id: EndpointId) {
        let endpoint = self.endpoints.get(&id).cloned();
        let (shared, limit) = (Arc::clone(shared), self.limit);
        // The connection goes on in the task that dialled it.
        let task = self.links.spawn(async move {
            let established = match &endpoint {
                Some(endpoint) => local_node::establish(&shared, endpoint, limit).await,
                None => Err(Error::new(
                    Code::InvalidServer,
                    "the address that the server told of is not usable",
                )),
            };
            match established {
                Ok(established) => {
                    if let Some(connection) = adopt(&shared, dial, established) {
                        link::run(&shared, connection).await;
                    }
                }
                Err(error) => shared.call(|hub, _, now| hub.handle_dial_failed(now, dial, &error)),
            }
        });
        self.dials.insert(dial, task);
    }

    fn probe<S: Sink>(&mut self, shared: &Arc<Shared<S>>, id: EndpointId) {
        let Some(endpoint) = self.endpoints.get(&id).cloned() else { return };
        let (shared, limit) = (Arc::clone(shared), self.limit);
        self.probes.spawn(async move {
            let (tls, auth) = (&shared.servers.tls, &shared.servers.auth);
            let rtt = net::probe(&endpoint, tls, auth, limit).await.ok();
            let rtt_us = rtt.map(|rtt| rtt.as_micros() as u64);
            shared.call(|hub, _, now| hub.handle_probe(now, id, rtt_us));
        });
    }

    fn learned<S: Sink>(&mut self, shared: &Shared<S>, id: EndpointId, address: &str) {
        let from = shared.with(|hub, _| hub.current_endpoint());
        let from = from.and_then(|id| self.endpoints.get(&id));
        if let Some(Ok(endpoint)) = from.map(|from| from.gossiped(address)) {
            self.endpoints.insert(id, endpoint);
        }
    }

    fn forget_ended(&mut self) {
        while self.links.try_join_next().is_some() {}
        while self.probes.try_join_next().is_some() {}
        self.dials.retain(|_, task| !task.is_finished());
    }

    /// The hub is closed. The machine has given up what dialled and told the connections to end;
    /// those that do not are cut.
    async fn end(mut self) {
        self.probes.abort_all();
        let links = async { while self.links.join_next().await.is_some() {} };
        let _ = timeout(END_LIMIT, links).await;
    }
}

/// Tells a connection's task to end it.
fn close<S: Sink>(shared: &Shared<S>, id: LinkId) {
    let mut state = shared.lock();
    if let Some(at) = state.links.iter().position(|link| link.id == id) {
        state.links.swap_remove(at).signal.close();
    }
}

/// Hands a connection to the machine; none if it is not wanted any more.
fn adopt<S: Sink>(
    shared: &Shared<S>,
    dial: DialId,
    established: Established,
) -> Option<link::Connection> {
    let Established { stream, info, leftover, connect, .. } = established;
    let reveal = |secret: &Option<net::Secret>| secret.as_ref().map(|s| s.reveal().to_owned());
    let (user, pass) = (reveal(&connect.user), reveal(&connect.pass));
    let (token, jwt) = (reveal(&connect.auth_token), reveal(&connect.jwt));
    let fields = ConnectFields {
        tls_required: connect.tls_required,
        user: user.as_deref(),
        pass: pass.as_deref(),
        auth_token: token.as_deref(),
        jwt: jwt.as_deref(),
        nkey: connect.nkey.as_deref(),
        sig: connect.sig.as_deref(),
        ..ConnectFields::default()
    };
    let mut state = shared.lock();
    let state_ref = &mut *state;
    let Some(info) = Info::parse(&info) else {
        let text = "the server's INFO is not what a NATS server sends";
        let error = Error::new(Code::InvalidServer, text);
        state_ref.hub.handle_dial_failed(now(), dial, &error);
        let settled = state_ref.settle(false);
        drop(state);
        shared.wake_up(settled);
        return None;
    };
    let id = state_ref.hub.handle_connected(now(), dial, info, &fields);
    let connection = id.map(|id| {
        let stream = Wire::from(stream);
        let handle = LinkHandle::new(id, stream.shared());
        let signal = Arc::clone(&handle.signal);
        state_ref.links.push(handle);
        link::Connection { id, signal, stream, leftover }
    });
    let settled = state_ref.settle(false);
    drop(state);
    shared.wake_up(settled);
    connection
}
