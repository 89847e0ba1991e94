//! What is wrong with a configuration, and where.
use std::{error::Error, fmt};

/// One fault of a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1; none for parameters and for what concerns the whole file.
    pub line: Option<usize>,
    /// The way to the value, as in `topics[0].max_hz`; may be empty.
    pub path: String,
    /// What was given, what is allowed, what to do.
    pub text: String,
}

impl Problem {
    /// A fault at a line and a path.
    pub fn new(line: Option<usize>, path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { line, path: path.into(), text: text.into() }
    }
}

/// Everything that is wrong with a configuration: at least one fault, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems {
    /// What the configuration is called, e.g. the file's path.
    pub source: String,
    /// The faults.
    pub list: Vec<Problem>,
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.list.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{}", self.source)?;
            if let Some(line) = problem.line {
                write!(f, ":{line}")?;
            }
            write!(f, ": ")?;
            if !problem.path.is_empty() {
                write!(f, "{}: ", problem.path)?;
            }
            write!(f, "{}", problem.text)?;
        }
        Ok(())
    }
}

impl Error for Problems {}
