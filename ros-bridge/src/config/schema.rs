//! The shape of the configuration, told once: what is refused, the JSON Schema for editors and the
//! reference page all come from the tables in [`super::tables`].
use super::names;

/// A mapping with known keys.
#[derive(Debug)]
pub struct Table {
    /// Its name in the reference page.
    pub name: &'static str,
    /// What it is for, in Markdown.
    pub doc: &'static str,
    /// Its keys: its own, then groups that it shares with others.
    pub fields: &'static [&'static [Field]],
}

/// A key of a mapping.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// Whether it has to be there.
    pub need: Need,
    /// The `direction` that it belongs to, if only one has it.
    pub only: Option<&'static str>,
    /// What it means, in Markdown.
    pub doc: &'static str,
}

/// Whether a key has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It has to.
    Required,
    /// It may be missing, and then nothing stands in its place.
    Optional,
    /// It may be missing, which means this.
    Default(&'static str),
}

/// What a value is.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// A text by rules of its own.
    Text(Rule),
    /// One such text or a list of them.
    Texts(Rule),
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// A number of seconds or of events a second.
    Number {
        /// It has to be above this.
        above: f64,
        /// The most.
        max: f64,
    },
    /// One of these words, with what each means.
    Choice(&'static [(&'static str, &'static str)]),
    /// A mapping of header names to one text or a list of texts.
    Headers,
    /// Another mapping.
    Table(&'static Table),
    /// A list of mappings.
    Items(&'static Table),
}

/// What a text has to be.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// In words, for errors and the reference page.
    pub what: &'static str,
    /// A pattern for editors that is no stricter than `check`, if there is one.
    pub pattern: Option<&'static str>,
    /// Refuses a text, saying why.
    pub check: fn(&str) -> Result<(), String>,
}

impl Table {
    /// All keys.
    pub fn all(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.fields.iter().flat_map(|group| group.iter())
    }

    /// The key of a name.
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.all().find(|field| field.name == name)
    }
}

/// Any text that is not empty.
pub const TEXT: Rule = Rule { what: "a text", pattern: Some("^.+$"), check: names::text };
/// A path.
pub const PATH: Rule = Rule {
    what: "a path; a relative one starts at the folder of this file",
    pattern: Some("^.+$"),
    check: names::text,
};
/// The name of an environment variable.
pub const ENVIRONMENT: Rule = Rule {
    what: "the name of an environment variable",
    pattern: Some("^[A-Za-z_][A-Za-z0-9_]*$"),
    check: names::environment,
};
/// The name of a variable or namespace of the hub.
pub const NAME: Rule =
    Rule { what: "a name of 1 to 128 UTF-8 bytes", pattern: Some("^.+$"), check: names::name };
/// A variable's name in which parts of the topic's name may be put.
pub const TEMPLATE: Rule = Rule {
    what: "a variable's name; `{topic}` and `{1}`, `{2}`, … are put in",
    pattern: Some("^.+$"),
    check: names::template,
};
/// A concrete channel.
pub const CHANNEL: Rule = Rule {
    what: "a message name: segments between dots, no `*`, no `>`",
    pattern: Some("^[^*>]+$"),
    check: names::channel,
};
/// A channel or a pattern of channels, as `direction` allows.
pub const PATTERN: Rule = Rule {
    what: "a message name; where the bridge listens also a pattern with `*` and `>`",
    pattern: Some("^.+$"),
    check: names::pattern,
};
/// A queue group.
pub const QUEUE: Rule = Rule {
    what: "the name of a queue group, without `*` and `>`",
    pattern: Some("^[^*>]+$"),
    check: names::queue,
};
/// A ROS name.
pub const ROS_NAME: Rule = Rule {
    what: "a ROS name; a relative one starts at the node's namespace, `~` at the node",
    pattern: Some("^[~/A-Za-z][A-Za-z0-9_/]*$"),
    check: names::ros_name,
};
/// A ROS name, or a pattern of ROS names.
pub const ROS_GLOB: Rule = Rule {
    what: "a ROS name, or a pattern: `?` is one character and `*` any number of one segment, `**` any number of segments",
    pattern: Some("^[~/A-Za-z*?][A-Za-z0-9_/*?]*$"),
    check: names::ros_glob,
};
/// A message or service type.
pub const ROS_TYPE: Rule = Rule {
    what: "a type as `package/Name`",
    pattern: Some("^[a-z][a-z0-9_]*/[A-Za-z][A-Za-z0-9_]*$"),
    check: names::ros_type,
};
/// A dotted path into a message.
pub const FIELD_PATH: Rule = Rule {
    what: "field names between dots; a number picks one item of an array",
    pattern: Some("^[A-Za-z0-9_]+(\\.[A-Za-z0-9_]+)*$"),
    check: names::field_path,
};
