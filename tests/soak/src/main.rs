//! Publishes at half of the rate that this machine can keep, for half an hour, while the server is
//! killed and started again every minute. Fails if one accepted message is unaccounted for in a
//! minute's calm part, if one ever comes twice or out of order, or if memory grows. `make soak`.
mod load;
mod memory;

use load::{Seen, Sender, Sent, open};
use memory::Memory;
use posthouse::{Error, Hub, Listener};
use posthouse_testkit::NatsServer;
use std::{
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Messages with which the top rate is measured.
const FLOOD: u64 = 1_000_000;
/// How long nothing is killed in each minute.
const CALM: Duration = Duration::from_secs(55);
/// How long the server is away, and how long it is then there before the counting ends.
const AWAY: Duration = Duration::from_millis(500);
const BACK: Duration = Duration::from_secs(3);
/// The longest that anything may take that is waited for.
const LIMIT: Duration = Duration::from_secs(30);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(5);
/// How often memory is looked at first while buffers grow to what they need: twice a minute.
const WARM: usize = 6;
/// Memory may grow by that share.
const GROWTH: f64 = 0.1;

struct Soak {
    server: NatsServer,
    publisher: Hub,
    subscriber: Hub,
    seen: Arc<Seen>,
    listener: Listener,
    sender: Option<Sender>,
}

fn main() -> ExitCode {
    match memory::one_arena().and_then(|()| run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("failed: {failure}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn run() -> Result<(), Failure> {
    let minutes: usize = match std::env::args().nth(1) {
        Some(word) => word.parse().map_err(|e| format!("{word:?} is no number of minutes: {e}"))?,
        None => 30,
    };
    let mut soak = Soak::start().await?;
    let top = soak.top_rate().await?;
    let rate = top / 2;
    println!("top rate {top}/s, so {rate}/s for {minutes} minutes");
    let mut memory = Vec::new();
    let mut all = Sent::default();
    let mut lost = 0;
    for minute in 1..=minutes {
        let calm = soak.calm(rate).await?;
        let used = Memory::now();
        print!("minute {minute}: {} accepted and received ({used}); ", calm.accepted);
        memory.push(used);
        let (cut, received) = soak.kill_under_load(rate).await?;
        let used = Memory::now();
        println!(
            "around the kill {} accepted, {} refused, {received} received ({used})",
            cut.accepted, cut.refused,
        );
        memory.push(used);
        all.accepted += calm.accepted + cut.accepted;
        all.refused += cut.refused;
        lost += cut.accepted - received;
    }
    let (accepted, refused) = (all.accepted, all.refused);
    println!(
        "{accepted} accepted, {refused} refused, {lost} lost in the moment of a kill, {} dropped for a slow handler, none twice, none out of order",
        soak.dropped()
    );
    memory::flat(&memory, WARM, GROWTH)
}

impl Soak {
    async fn start() -> Result<Self, Failure> {
        let server = NatsServer::start();
        let (publisher, subscriber) = (open(server.url())?, open(server.url())?);
        publisher.connected(LIMIT).await?;
        subscriber.connected(LIMIT).await?;
        let seen = Arc::<Seen>::default();
        let listener = seen.listen(&subscriber).await?;
        let sender = Some(Sender::new(&publisher)?);
        Ok(Self { server, publisher, subscriber, seen, listener, sender })
    }

    /// Runs the sender on a thread of its own.
    fn sending<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Sender) -> T + Send + 'static,
    ) -> Result<thread::JoinHandle<(Sender, T)>, Failure> {
        let mut sender = self.sender.take().ok_or("it is sending already")?;
        Ok(thread::spawn(move || {
            let result = work(&mut sender);
            (sender, result)
        }))
    }

    async fn sent<T: Send + 'static>(
        &mut self,
        thread: thread::JoinHandle<(Sender, Result<T, Error>)>,
    ) -> Result<T, Failure> {
        let joined = tokio::task::spawn_blocking(move || thread.join()).await?;
        let (sender, result) = joined.map_err(|_| "the sender panicked")?;
        self.sender = Some(sender);
        Ok(result?)
    }

    /// Messages a second from one hub to another with nothing lost.
    async fn top_rate(&mut self) -> Result<u64, Failure> {
        let (before, began) = (self.accounted(), Instant::now());
        let thread = self.sending(|sender| sender.flood(FLOOD))?;
        let accepted = self.sent(thread).await?;
        self.arrived(before + accepted).await?;
        Ok((FLOOD as f64 / began.elapsed().as_secs_f64()) as u64)
    }

    /// Publishes while nothing is killed: every accepted message must arrive.
    async fn calm(&mut self, rate: u64) -> Result<Sent, Failure> {
        let before = self.accounted();
        let stop = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&stop);
        let thread = self.sending(move |sender| sender.paced(rate, &until))?;
        tokio::time::sleep(CALM).await;
        stop.store(true, Ordering::Relaxed);
        let sent = self.sent(thread).await?;
        self.publisher.flush(LIMIT).await?;
        self.arrived(before + sent.accepted).await?;
        if sent.refused > 0 {
            return Err(format!("{} were refused although nothing was killed", sent.refused).into());
        }
        Ok(sent)
    }

    /// Kills the server and starts it again while the sender goes on. Gives what it sent, and how
    /// much of that arrived: less than was accepted, by what was under way.
    async fn kill_under_load(&mut self, rate: u64) -> Result<(Sent, u64), Failure> {
        let before = self.accounted();
        let stop = Arc::new(AtomicBool::new(false));
        let until = Arc::clone(&stop);
        let thread = self.sending(move |sender| sender.paced(rate, &until))?;
        tokio::time::sleep(AWAY).await;
        let reconnects = self.reconnects();
        self.server.kill();
        tokio::time::sleep(AWAY).await;
        self.server.restart();
        self.wait("both hubs to be connected again", |soak| {
            let now = soak.reconnects();
            now.0 > reconnects.0 && now.1 > reconnects.1
        })
        .await?;
        tokio::time::sleep(BACK).await;
        stop.store(true, Ordering::Relaxed);
        let sent = self.sent(thread).await?;
        self.publisher.flush(LIMIT).await?;
        // What was written before is on its way to the subscriber, whose connection is flushed behind it.
        self.subscriber.flush(LIMIT).await?;
        self.wait("the handler to finish", |soak| {
            soak.listener.status().is_ok_and(|status| status.pending_messages == 0)
        })
        .await?;
        let received = self.accounted() - before;
        if received > sent.accepted {
            return Err(format!("{received} received, only {} accepted", sent.accepted).into());
        }
        Ok((sent, received))
    }

    fn reconnects(&self) -> (u64, u64) {
        let of = |hub: &Hub| hub.status().map_or(0, |status| status.reconnects);
        (of(&self.publisher), of(&self.subscriber))
    }

    async fn arrived(&self, count: u64) -> Result<(), Failure> {
        let waited = self.wait("all that was accepted", |soak| soak.accounted() >= count).await;
        let mixed = self.seen.out_of_order.load(Ordering::Relaxed);
        if self.accounted() != count || mixed > 0 {
            let (received, dropped) = (self.seen.received(), self.dropped());
            return Err(format!(
                "{count} should have come: {received} came, {dropped} were dropped because the handler was too slow, {mixed} came again or out of order"
            )
            .into());
        }
        waited
    }

    /// Messages that came, those included that were dropped and counted.
    fn accounted(&self) -> u64 {
        self.seen.received() + self.dropped()
    }

    /// Messages that were dropped and counted because the handler did not keep up: none on a machine
    /// that has time for it.
    fn dropped(&self) -> u64 {
        self.listener.status().map_or(0, |status| status.dropped_messages)
    }

    async fn wait(&self, what: &str, done: impl Fn(&Self) -> bool) -> Result<(), Failure> {
        let began = Instant::now();
        while !done(self) {
            if began.elapsed() > LIMIT {
                return Err(format!("waited {} s for {what}", LIMIT.as_secs()).into());
            }
            tokio::time::sleep(LOOK).await;
        }
        Ok(())
    }
}
