//! The shape of a batch's text: which bytes are the bodies and delays of its items. What they hold is judged elsewhere.
use crate::json;
use alloc::vec::Vec;
use core::ops::Range;

/// An item, if its shape is right: where its body is and, if given, its delay.
#[derive(Clone, Debug, Default)]
pub(super) struct Item {
    pub body: Option<Range<usize>>,
    pub delay: Option<Range<usize>>,
    /// Not an object, or with other fields.
    bad: bool,
}

impl Item {
    /// Whether it is an object with a body and nothing but a delay besides.
    pub fn is_good(&self) -> bool {
        !self.bad && self.body.is_some()
    }
}

/// The items of an array, at most `most` of them, and how many there are; nothing where the text is no array.
pub(super) fn array(text: &[u8], most: usize) -> Option<(Vec<Item>, usize)> {
    let (text, _) = json::whole(text)?;
    let mut sink = Finder { text: &text, most, ..Finder::default() };
    json::parts(&text, &mut sink).ok()?;
    sink.is_array.then_some((sink.items, sink.count))
}

/// One item by itself; nothing where the text is not JSON.
pub(super) fn single(text: &[u8]) -> Option<Item> {
    let (text, _) = json::whole(text)?;
    let mut sink = Finder { text: &text, most: 1, depth: ITEM, ..Finder::default() };
    json::parts(&text, &mut sink).ok()?;
    sink.items.pop()
}

/// How many containers are open around the array, an item, a field's value.
const ARRAY: usize = 0;
const ITEM: usize = 1;
const FIELD: usize = 2;

#[derive(Clone, Copy, Default)]
enum Slot {
    Body,
    Delay,
    #[default]
    Other,
}

#[derive(Default)]
struct Finder<'a> {
    text: &'a [u8],
    items: Vec<Item>,
    count: usize,
    most: usize,
    is_array: bool,
    depth: usize,
    item: Item,
    slot: Slot,
    /// Where the container begins that is the value of a field.
    begun: usize,
}

impl Finder<'_> {
    /// A value that is no container, or one that ended.
    fn value(&mut self, place: Range<usize>) {
        match self.depth {
            ITEM => self.item_ends(Item { bad: true, ..Item::default() }),
            FIELD => match self.slot {
                Slot::Body => self.item.body = Some(place),
                Slot::Delay => self.item.delay = Some(place),
                Slot::Other => self.item.bad = true,
            },
            _ => {}
        }
    }

    fn item_ends(&mut self, item: Item) {
        self.count += 1;
        if self.items.len() < self.most {
            self.items.push(item);
        }
    }
}

impl json::Parts for Finder<'_> {
    const LOOSE: bool = true;

    fn begin(&mut self, object: bool, at: usize) {
        match self.depth {
            ARRAY => self.is_array = !object,
            ITEM => self.item = Item { bad: !object, ..Item::default() },
            FIELD => self.begun = at,
            _ => {}
        }
        self.depth += 1;
    }

    fn end(&mut self, _: bool, at: usize) {
        self.depth -= 1;
        match self.depth {
            ITEM => {
                let item = core::mem::take(&mut self.item);
                self.item_ends(item);
            }
            FIELD => self.value(self.begun..at),
            _ => {}
        }
    }

    fn key(&mut self, inner: Range<usize>, escaped: bool) {
        if self.depth != FIELD {
            return;
        }
        let key = self.text.get(inner).unwrap_or_default();
        let mut plain = Vec::new();
        let key = if escaped {
            json::push_respelled(key, &mut plain);
            plain.as_slice()
        } else {
            key
        };
        self.slot = match key {
            b"body" => Slot::Body,
            b"delaySeconds" => Slot::Delay,
            _ => Slot::Other,
        };
    }

    fn string(&mut self, inner: Range<usize>, _: bool) {
        self.value(inner.start - 1..inner.end + 1);
    }

    fn number(&mut self, text: Range<usize>, _: json::NumberForm) {
        self.value(text);
    }

    fn literal(&mut self, text: &'static str, at: usize) {
        self.value(at..at + text.len());
    }
}
