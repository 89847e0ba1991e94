//! What goes wrong: cuts, swallowing links, restarts, servers that leave, and their end.
use crate::{
    cast::{ConnId, Item},
    sim::{SECOND, Sim, TROUBLE},
};

impl Sim {
    /// One random fault, and when the next one comes.
    pub(crate) fn fault(&mut self) {
        if self.healed {
            return;
        }
        match self.rng.below(100) {
            0..35 => {
                if let Some(conn) = self.any_connection() {
                    self.trace.note(self.now, format_args!("cut {conn}"));
                    self.cut(conn);
                }
            }
            35..55 => {
                if let Some(id) = self.any_connection()
                    && let Some(conn) = self.network.conns.get_mut(&id)
                {
                    conn.swallows = true;
                    self.hosts[conn.host].troubles += 1;
                    self.trace.note(self.now, format_args!("swallow {id}"));
                    // A broker notices later than a hub: until then it feeds a ghost.
                    let delay = (5 + self.rng.below(25)) * SECOND;
                    self.after(delay, Item::BrokerEnd(id));
                }
            }
            55..67 => {
                self.trace.note(self.now, format_args!("the broker restarts"));
                self.end_connections(None);
                self.broker = None;
                let delay = self.rng.below(4 * SECOND);
                self.after(delay, Item::BrokerUp);
            }
            67..82 => self.leave(),
            82..90 => {
                let endpoint = self.rng.below(self.network.endpoints.len() as u64) as u32;
                self.network.endpoints[endpoint as usize].listens = false;
                self.end_connections(Some(endpoint));
                let delay = self.rng.below(5 * SECOND);
                self.after(delay, Item::EndpointUp(endpoint));
            }
            _ => {
                let endpoint = self.rng.below(self.network.endpoints.len() as u64) as usize;
                self.network.endpoints[endpoint].latency = 50 + self.rng.below(60_000);
            }
        }
        let next = 200_000 + self.rng.below(4 * SECOND);
        self.after(next, Item::Fault);
    }

    fn any_connection(&mut self) -> Option<ConnId> {
        let whole = self.network.conns.iter().filter(|(_, c)| c.passes() && !c.hub_gone);
        let ids: Vec<ConnId> = whole.map(|(id, _)| *id).collect();
        let at = self.rng.below(ids.len() as u64) as usize;
        ids.get(at).copied()
    }

    /// Both sides notice within a moment, each at its own time; what was on its way is lost.
    fn cut(&mut self, id: ConnId) {
        let Some(conn) = self.network.conns.get_mut(&id) else { return };
        conn.cut = true;
        self.hosts[conn.host].troubles += 1;
        let (hub, broker) = (self.rng.below(50_000), self.rng.below(50_000));
        self.after(hub, Item::HubEnd(id));
        self.after(broker.max(hub) + 1, Item::BrokerEnd(id));
    }

    /// The connections of an endpoint, or all, end with what the broker wrote before.
    pub(crate) fn end_connections(&mut self, endpoint: Option<u32>) {
        let theirs = self.network.conns.iter().filter(|(_, c)| {
            !c.swallows && !c.hub_gone && endpoint.is_none_or(|endpoint| c.endpoint == endpoint)
        });
        let ids: Vec<ConnId> = theirs.map(|(id, _)| *id).collect();
        for id in ids {
            if let Some(broker) = &mut self.broker {
                broker.close(id);
            }
            let Some(conn) = self.network.conns.get_mut(&id) else { continue };
            self.hosts[conn.host].troubles += 1;
            let when = conn.down.max(self.now + conn.latency);
            self.at(when, Item::HubEnd(id));
            self.at(when + 1, Item::BrokerEnd(id));
        }
    }

    /// A server announces its end, closes, and comes back.
    fn leave(&mut self) {
        let endpoint = self.rng.below(self.network.endpoints.len() as u64) as u32;
        let there = &mut self.network.endpoints[endpoint as usize];
        if there.leaving || !there.listens {
            return;
        }
        there.leaving = true;
        self.trace.note(self.now, format_args!("endpoint {endpoint} leaves"));
        let theirs = self.network.conns.iter().filter(|(_, c)| c.endpoint == endpoint);
        let ids: Vec<ConnId> = theirs.map(|(id, _)| *id).collect();
        for id in ids {
            if let Some(conn) = self.network.conns.get(&id) {
                self.hosts[conn.host].troubles += 1;
            }
            let info = b"INFO {\"headers\":true,\"max_payload\":1048576,\"ldm\":true}\r\n";
            self.broker_says(id, info.to_vec());
        }
        let (gone, up) = (SECOND + self.rng.below(9 * SECOND), self.rng.below(5 * SECOND));
        self.after(gone, Item::EndpointGone(endpoint));
        self.after(gone + up, Item::EndpointUp(endpoint));
    }

    /// From now on nothing goes wrong any more; what has, is still to be noticed.
    pub(crate) fn heal(&mut self) {
        self.healed = true;
        self.trace.note(self.now, format_args!("the network heals"));
        // A server that is about to go has gone by now.
        for endpoint in 0..self.network.endpoints.len() as u32 {
            if self.network.endpoints[endpoint as usize].leaving {
                self.end_connections(Some(endpoint));
            }
            self.network.endpoints[endpoint as usize].listens = true;
            self.network.endpoints[endpoint as usize].leaving = false;
        }
        self.due.retain(|_, item| {
            !matches!(item, Item::EndpointGone(_) | Item::EndpointUp(_) | Item::BrokerUp)
        });
        let swallowed = self.network.conns.iter().filter(|(_, c)| c.swallows);
        let swallowed: Vec<ConnId> = swallowed.map(|(id, _)| *id).collect();
        for id in swallowed {
            self.at(SECOND + TROUBLE + 11 * SECOND, Item::BrokerEnd(id));
        }
        if self.broker.is_none() {
            self.after(0, Item::BrokerUp);
        }
        for host in &mut self.hosts {
            host.subs.values_mut().for_each(|sub| sub.delay = 0);
        }
    }
}
