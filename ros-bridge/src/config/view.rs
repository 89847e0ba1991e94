//! Reading a mapping that has passed [`super::check`]; what is missing comes from its table.
use super::{
    check::{flag_of, number_of, text_of, whole_of},
    schema::{Kind, Need, Table},
    yaml::{Data, Node},
};
use std::{rc::Rc, time::Duration};

/// A checked mapping with its table.
#[derive(Clone, Copy)]
pub struct View<'a> {
    node: &'a Node,
    table: &'static Table,
}

impl<'a> View<'a> {
    /// A mapping that was checked against `table`.
    pub fn new(node: &'a Node, table: &'static Table) -> Self {
        Self { node, table }
    }

    /// The line where it begins.
    pub fn line(&self) -> Option<usize> {
        self.node.line
    }

    /// The value of a key, if it stands there.
    pub fn node(&self, name: &str) -> Option<&'a Node> {
        let Data::Map(pairs) = &self.node.data else { return None };
        let (_, node) = pairs.iter().find(|(key, _)| key.text == name)?;
        // `null` is a word like any other where it is one of the words.
        let word = match self.table.field(name)?.kind {
            Kind::Choice(words) => words.iter().any(|(word, _)| text_of(node) == Some(*word)),
            _ => false,
        };
        (word || !node.is_null()).then_some(node)
    }

    /// The items of a list; none where there is no list.
    pub fn items(&self, name: &str) -> &'a [Rc<Node>] {
        match self.node(name).map(|node| &node.data) {
            Some(Data::List(items)) => items,
            _ => &[],
        }
    }

    /// A text, as it stands there or by default.
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.node(name).and_then(text_of).or_else(|| self.default(name))
    }

    /// A text that the table requires or has a default for.
    pub fn some_text(&self, name: &str) -> String {
        self.text(name).unwrap_or_default().to_owned()
    }

    /// Texts, given as one or as a list.
    pub fn texts(&self, name: &str) -> Vec<String> {
        match self.node(name) {
            Some(Node { data: Data::List(items), .. }) => {
                items.iter().filter_map(|item| text_of(item)).map(str::to_owned).collect()
            }
            Some(node) => text_of(node).map(str::to_owned).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// A flag.
    pub fn flag(&self, name: &str) -> bool {
        self.node(name).and_then(flag_of).unwrap_or_else(|| self.default(name) == Some("true"))
    }

    /// A whole number.
    pub fn whole(&self, name: &str) -> usize {
        let given = self.node(name).and_then(whole_of);
        let number = given.or_else(|| self.default(name)?.parse().ok()).unwrap_or_default();
        usize::try_from(number).unwrap_or(usize::MAX)
    }

    /// A number, if there is one.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.node(name).and_then(number_of).or_else(|| self.default(name)?.parse().ok())
    }

    /// Seconds as a time.
    pub fn duration(&self, name: &str) -> Duration {
        Duration::from_secs_f64(self.number(name).unwrap_or_default())
    }

    fn default(&self, name: &str) -> Option<&'static str> {
        match self.table.field(name)?.need {
            Need::Default(text) => Some(text),
            Need::Required | Need::Optional => None,
        }
    }
}
