//! Messages on their way to the platform: the binding, the rules, and the arguments that the platform is called with.
use crate::state::{State, Status};
use posthouse_core::{
    Code, Error, Result,
    queue::{
        Batch, Binding, Deployment, Outgoing, Refusal, Settings, not_json, outgoing, outgoing_batch,
    },
};
use std::{collections::BTreeSet, fmt::Write as _};

/// The only store there is here.
const STORE: &str = "cloudflare";

/// A deployment on the platform: what it says and which queues there are.
pub struct Site {
    names: Vec<u8>,
    config: Vec<u8>,
    present: BTreeSet<String>,
    deployment: Deployment,
}

impl Site {
    /// Every queue that the platform binds is configured by that. The configuration says what is granted, and may list
    /// queues; what it lists is there only if the platform binds it.
    fn read(names: &[u8], config: &[u8]) -> Result<Self> {
        let mut deployment = Deployment::parse(&String::from_utf8_lossy(config))?;
        for (name, binding) in deployment.bindings() {
            if binding.store != STORE {
                let text = format!(
                    "the store of the queue {name:?} is none of a Worker; give \"{STORE}\", or leave the entry out"
                );
                return Err(Error::new(Code::InvalidOptions, text));
            }
            if binding.settings != Settings::default() || binding.dead_letter_queue.is_some() {
                let text = format!(
                    "the settings of the queue {name:?} are the platform's; give them where its consumer is configured, and none here"
                );
                return Err(Error::new(Code::InvalidOptions, text));
            }
        }
        let present: BTreeSet<String> =
            String::from_utf8_lossy(names).lines().map(str::to_owned).collect();
        for name in &present {
            if deployment.configured(name).is_err() {
                let binding = Binding {
                    store: STORE.into(),
                    queue: name.clone(),
                    dead_letter_queue: None,
                    settings: Settings::default(),
                };
                deployment.bind(name, binding)?;
            }
        }
        Ok(Self { names: names.into(), config: config.into(), present, deployment })
    }

    fn check(&self, binding: &[u8]) -> Result<(), Refusal> {
        let name = String::from_utf8_lossy(binding);
        self.deployment.binding(&name)?;
        if !self.present.contains(&*name) {
            Deployment::new().configured(&name)?;
        }
        Ok(())
    }
}

impl State {
    pub fn deployment(&mut self, names: &[u8], config: &[u8]) -> Result<Status, Refusal> {
        self.site(names, config)?;
        Ok(Status::Done)
    }

    fn site(&mut self, names: &[u8], config: &[u8]) -> Result<&Site> {
        let known = self.site.take().filter(|site| site.names == names && site.config == config);
        let site = match known {
            Some(site) => site,
            None => Site::read(names, config)?,
        };
        Ok(self.site.insert(site))
    }

    /// Checks that a program may send to the binding. A fault is the running event's, too.
    pub fn bound(
        &mut self,
        event: u32,
        names: &[u8],
        config: &[u8],
        binding: &[u8],
    ) -> Result<(), Refusal> {
        let checked = self.site(names, config)?.check(binding);
        if let Err(Refusal::Fault(fault)) = &checked {
            self.events.fault(event, fault);
        }
        checked
    }

    pub fn send(&mut self, text: &[u8], delay: f64) -> Result<Status, Refusal> {
        let message = outgoing(text, delay)?;
        let mut out = String::with_capacity(message.body.len() + 64);
        out.push('[');
        out.push_str(&message.body);
        out.push_str(",{");
        options(&message, &mut out);
        out.push_str("}]");
        self.output = out.into_bytes();
        Ok(Status::Done)
    }

    pub fn send_batch_text(&mut self, text: &[u8]) -> Result<Status, Refusal> {
        let messages = outgoing_batch(text)?;
        self.batch_out(&messages);
        Ok(Status::Done)
    }

    pub fn batch_begin(&mut self, count: usize) -> Result<Status, Refusal> {
        self.batch = Some(Batch::new(count)?);
        self.items = 0;
        Ok(Status::Done)
    }

    pub fn batch_item(&mut self, text: &[u8], whole: bool) -> Result<Status, Refusal> {
        let batch = self.batch.as_mut().ok_or_else(unbegun)?;
        let pushed = batch.push_item(text);
        let index = self.items;
        self.items += 1;
        let shape = |error: &Error| error.code() == Code::QueueBatchItem;
        if !whole && !pushed.as_ref().is_err_and(shape) {
            return Err(not_json().at_index(index).into());
        }
        pushed?;
        Ok(Status::Done)
    }

    pub fn batch_end(&mut self) -> Result<Status, Refusal> {
        let messages = self.batch.take().ok_or_else(unbegun)?.finish()?;
        self.batch_out(&messages);
        Ok(Status::Done)
    }

    fn batch_out(&mut self, messages: &[Outgoing]) {
        let bytes: usize = messages.iter().map(|message| message.body.len() + 64).sum();
        let mut out = String::with_capacity(bytes + 2);
        for message in messages {
            out.push_str(if out.is_empty() { "[{\"body\":" } else { ",{\"body\":" });
            out.push_str(&message.body);
            out.push(',');
            options(message, &mut out);
            out.push('}');
        }
        out.push(']');
        self.output = out.into_bytes();
    }
}

/// The content type always, the delay only where there is one: for the platform, 0 is a delay of its own, which would
/// take the place of the queue's.
fn options(message: &Outgoing, out: &mut String) {
    out.push_str("\"contentType\":\"json\"");
    if message.delay_seconds != 0 {
        // Writing into a text does not fail.
        let _ = write!(out, ",\"delaySeconds\":{}", message.delay_seconds);
    }
}

fn unbegun() -> Error {
    Error::new(Code::Internal, "no batch has been begun")
}
