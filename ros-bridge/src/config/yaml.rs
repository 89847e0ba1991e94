//! A YAML text as a tree in which every node knows its line.
//!
//! The same tree is made from a node's private parameters, which have no lines. Anchors and aliases
//! work and share their node; a file has one document.
use super::problem::Problem;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use std::{collections::HashMap, rc::Rc};

/// Deeper than any configuration goes.
const MAX_DEPTH: usize = 32;
/// What a file may measure.
const MAX_BYTES: usize = 1 << 20;

/// A value of the tree.
#[derive(Debug)]
pub struct Node {
    /// The line of its first character, from 1; none for parameters.
    pub line: Option<usize>,
    /// What it is.
    pub data: Data,
}

/// What a value is.
#[derive(Debug)]
pub enum Data {
    /// A single value. Only a plain one (not quoted) can be a number, true, false or null.
    Scalar {
        /// Its text, without quotes.
        text: String,
        /// Whether it stands without quotes.
        plain: bool,
    },
    /// A list.
    List(Vec<Rc<Node>>),
    /// A mapping, in the order of the file; no key comes twice.
    Map(Vec<(Key, Rc<Node>)>),
}

/// A key of a mapping.
#[derive(Debug)]
pub struct Key {
    /// Its text.
    pub text: String,
    /// Its line, from 1; none for parameters.
    pub line: Option<usize>,
}

impl Node {
    /// Whether it is the plain null, or nothing at all.
    pub fn is_null(&self) -> bool {
        matches!(&self.data, Data::Scalar { text, plain: true }
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// What it is, in words for an error.
    pub fn kind(&self) -> String {
        match &self.data {
            _ if self.is_null() => "nothing".to_owned(),
            Data::Scalar { text, .. } => format!("{:?}", shortened(text)),
            Data::List(_) => "a list".to_owned(),
            Data::Map(_) => "a mapping".to_owned(),
        }
    }
}

/// A text from outside, short enough for an error.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reads a text; one that is no YAML, or is too large, too deep or several documents, is refused
/// with its line.
pub fn parse(text: &str) -> Result<Rc<Node>, Problem> {
    if text.len() > MAX_BYTES {
        let what = format!("the file has {} bytes; allowed are {MAX_BYTES}", text.len());
        return Err(Problem::new(None, "", what));
    }
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| syntax(&error))?;
        builder.event(event, span)?;
    }
    // An empty file is an empty mapping, so that what is missing is said by name.
    Ok(builder.root.unwrap_or_else(|| Rc::new(Node { line: Some(1), data: Data::Map(Vec::new()) })))
}

fn syntax(error: &ScanError) -> Problem {
    Problem::new(Some(error.marker().line()), "", format!("this is not YAML: {}", error.info()))
}

/// A list or mapping whose end has not come yet.
struct Open {
    line: usize,
    anchor: usize,
    items: Vec<Rc<Node>>,
    /// Of a mapping.
    pairs: Option<Pairs>,
}

/// Of an open mapping: the key whose value comes next, and what is there already.
type Pairs = (Option<Key>, Vec<(Key, Rc<Node>)>);

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: HashMap<usize, Rc<Node>>,
    root: Option<Rc<Node>>,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let line = span.start.line();
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let plain = style == ScalarStyle::Plain;
                let data = Data::Scalar { text: text.into_owned(), plain };
                self.finished(Rc::new(Node { line: Some(line), data }), anchor, line)
            }
            Event::SequenceStart(anchor, _) => self.begin(line, anchor, None),
            Event::MappingStart(anchor, _) => self.begin(line, anchor, Some((None, Vec::new()))),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.open.pop() else { return Ok(()) };
                let data = match open.pairs {
                    Some((_, pairs)) => Data::Map(pairs),
                    None => Data::List(open.items),
                };
                let node = Rc::new(Node { line: Some(open.line), data });
                self.finished(node, open.anchor, open.line)
            }
            Event::Alias(anchor) => {
                // The parser refuses names that it has not seen; one inside its own anchor is left.
                let node = self.anchors.get(&anchor).cloned().ok_or_else(|| {
                    Problem::new(Some(line), "", "an alias inside the value that it names")
                })?;
                self.finished(node, 0, line)
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    fn begin(&mut self, line: usize, anchor: usize, pairs: Option<Pairs>) -> Result<(), Problem> {
        if self.open.len() == MAX_DEPTH {
            let what = format!("lists and mappings go deeper than {MAX_DEPTH} levels");
            return Err(Problem::new(Some(line), "", what));
        }
        self.open.push(Open { line, anchor, items: Vec::new(), pairs });
        Ok(())
    }

    /// Puts a value where it belongs.
    fn finished(&mut self, node: Rc<Node>, anchor: usize, line: usize) -> Result<(), Problem> {
        if anchor != 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        let Some(open) = self.open.last_mut() else {
            if self.root.is_some() {
                let what = "a second document begins; a configuration is one document";
                return Err(Problem::new(Some(line), "", what));
            }
            self.root = Some(node);
            return Ok(());
        };
        let Some((waiting, pairs)) = &mut open.pairs else {
            open.items.push(node);
            return Ok(());
        };
        if let Some(key) = waiting.take() {
            pairs.push((key, node));
            return Ok(());
        }
        let Data::Scalar { text, .. } = &node.data else {
            return Err(Problem::new(Some(line), "", "a key has to be a text"));
        };
        if let Some((first, _)) = pairs.iter().find(|(key, _)| key.text == *text) {
            let at = first.line.unwrap_or_default();
            let what = format!(
                "{:?} stands here a second time; the first is on line {at}",
                shortened(text)
            );
            return Err(Problem::new(Some(line), "", what));
        }
        *waiting = Some(Key { text: text.clone(), line: Some(line) });
        Ok(())
    }
}
