//! The table of variables: references that the program holds and records that are held for all.
use crate::{Code, Error, Result, counter::Counter, record::Record, subject::Namespace};
use alloc::{boxed::Box, format, vec::Vec};
use hashbrown::HashMap;

/// Names a variable for the life of the hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

#[derive(Debug)]
pub(crate) struct Var {
    pub name: Box<str>,
    /// The subject of its state records.
    pub subject: Box<str>,
    /// The subject of its messages, once it was asked for.
    pub topic: Option<Box<str>>,
    pub referenced: bool,
    pub record: Option<Record>,
    /// The record was written here and no server has confirmed it yet.
    pub pending: bool,
    /// The number under which the current record was last written to the current connection; 0: not.
    pub sent: u64,
    /// Waits in the connection's queue of coalesced writes.
    pub queued: bool,
    /// The server refused the record; it stays pending until it is written again.
    pub refused: bool,
}

#[derive(Debug)]
pub(crate) struct Vars {
    all: Vec<Var>,
    by_name: HashMap<Box<str>, VarId>,
    by_subject: HashMap<Box<str>, VarId>,
    max: usize,
    max_bytes: usize,
    references: usize,
    records: usize,
    bytes: usize,
    pub pending: usize,
    pub clock: Counter,
}

impl Vars {
    pub fn new(max: usize, max_bytes: usize) -> Self {
        Self {
            all: Vec::new(),
            by_name: HashMap::new(),
            by_subject: HashMap::new(),
            max,
            max_bytes,
            references: 0,
            records: 0,
            bytes: 0,
            pending: 0,
            clock: Counter::ZERO,
        }
    }

    pub fn get(&self, id: VarId) -> &Var {
        &self.all[id.0 as usize]
    }

    pub fn get_mut(&mut self, id: VarId) -> &mut Var {
        &mut self.all[id.0 as usize]
    }

    pub fn name(&self, id: VarId) -> &str {
        &self.get(id).name
    }

    pub fn len(&self) -> u32 {
        self.all.len() as u32
    }

    pub fn records(&self) -> usize {
        self.records
    }

    pub fn ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.len()).map(VarId)
    }

    pub fn by_subject(&self, subject: &str) -> Option<VarId> {
        self.by_subject.get(subject).copied()
    }

    pub fn by_name(&self, name: &str) -> Option<VarId> {
        self.by_name.get(name).copied()
    }

    /// Finds or makes a reference; the name was checked.
    pub fn reference(&mut self, name: &str, names: &Namespace) -> Result<VarId> {
        let known = self.by_name.get(name).copied();
        if known.is_some_and(|id| self.get(id).referenced) {
            return Ok(VarId(known.map_or(0, |id| id.0)));
        }
        if self.references >= self.max {
            return Err(Error::over(
                Code::MemoryFull,
                format!(
                    "{} variables are referenced, the most allowed; reuse them, or raise the option max_variables",
                    self.references
                ),
                self.max as u64,
                self.references as u64 + 1,
            ));
        }
        let id = known.unwrap_or_else(|| self.insert(name, names));
        self.references += 1;
        self.get_mut(id).referenced = true;
        Ok(id)
    }

    /// The variable of a name that came over the wire, without a reference of the program.
    pub fn held(&mut self, name: &str, names: &Namespace) -> VarId {
        let known = self.by_name.get(name).copied();
        known.unwrap_or_else(|| self.insert(name, names))
    }

    fn insert(&mut self, name: &str, names: &Namespace) -> VarId {
        let id = VarId(self.len());
        let subject: Box<str> = names.state(name).into();
        self.by_name.insert(name.into(), id);
        self.by_subject.insert(subject.clone(), id);
        self.all.push(Var {
            name: name.into(),
            subject,
            topic: None,
            referenced: false,
            record: None,
            pending: false,
            sent: 0,
            queued: false,
            refused: false,
        });
        id
    }

    /// Whether there is room for this record of a variable that may be known already.
    pub fn check_room(&self, name: &str, record: &Record) -> Result<()> {
        let old = self.by_name.get(name).and_then(|&id| self.get(id).record.as_ref());
        let records = self.records + usize::from(old.is_none());
        let bytes = self.bytes - old.map_or(0, |r| r.cost(name)) + record.cost(name);
        if records > self.max {
            let text = format!(
                "{} records are held, the most allowed; raise the option max_variables",
                self.records
            );
            return Err(Error::over(Code::MemoryFull, text, self.max as u64, records as u64));
        }
        if bytes > self.max_bytes {
            let text = format!(
                "the records would take {bytes} bytes where {} are allowed; raise the option max_memory_bytes",
                self.max_bytes
            );
            return Err(Error::over(Code::MemoryFull, text, self.max_bytes as u64, bytes as u64));
        }
        Ok(())
    }

    /// What a record needs beyond what its variable has: whether a place, and how many bytes.
    pub fn needs(&self, name: &str, record: &Record) -> (bool, usize) {
        let old = self.by_name(name).and_then(|id| self.get(id).record.as_ref());
        (old.is_none(), record.cost(name).saturating_sub(old.map_or(0, |r| r.cost(name))))
    }

    /// Whether there is room for a record with these needs.
    pub fn has_room(&self, new: bool, bytes: usize) -> bool {
        self.records + usize::from(new) <= self.max && self.bytes + bytes <= self.max_bytes
    }

    /// Holds a record; there is room for it.
    pub fn hold(&mut self, id: VarId, record: Record) {
        let var = &mut self.all[id.0 as usize];
        match &var.record {
            Some(old) => self.bytes -= old.cost(&var.name),
            None => self.records += 1,
        }
        self.bytes += record.cost(&var.name);
        self.clock = self.clock.max(record.version.counter);
        var.record = Some(record);
        var.sent = 0;
        var.refused = false;
    }

    pub fn set_pending(&mut self, id: VarId, pending: bool) {
        let var = &mut self.all[id.0 as usize];
        if var.pending != pending {
            var.pending = pending;
            self.pending = if pending { self.pending + 1 } else { self.pending - 1 };
        }
    }

    /// Bytes of the records that wait for a server's confirmation.
    pub fn pending_bytes(&self) -> usize {
        if self.pending == 0 {
            return 0;
        }
        let waiting = self.all.iter().filter(|v| v.pending);
        waiting.filter_map(|v| v.record.as_ref().map(|r| r.cost(&v.name))).sum()
    }

    /// A new connection knows nothing of what was written to the old one.
    pub fn forget_sent(&mut self) {
        for var in &mut self.all {
            var.sent = 0;
            var.queued = false;
            var.refused = false;
        }
    }
}
