//! What stands on the command line besides what ROS itself reads there.
use std::path::PathBuf;

/// How the program is called.
pub const USAGE: &str = "\
usage: posthouse_bridge [FILE | config:=FILE] [NAME:=VALUE …]   run the bridge
       posthouse_bridge --check FILE [NAME:=VALUE …]            check a file, and compare it with the master
       posthouse_bridge --print-schema | --print-reference      what a file may hold, for editors or people
       posthouse_bridge --version | --help
Without FILE it is the private parameter ~config, or the private parameters are the configuration.";

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Run the bridge.
    Run,
    /// Check a file.
    Check,
    /// Write the JSON Schema.
    Schema,
    /// Write the reference page.
    Reference,
    /// Write the version.
    Version,
    /// Write the usage.
    Help,
}

/// The command line.
#[derive(Debug, PartialEq, Eq)]
pub struct Arguments {
    /// What is to be done.
    pub task: Task,
    /// The file, if it was given here.
    pub file: Option<PathBuf>,
    /// What ROS reads.
    pub ros: Vec<String>,
}

impl Arguments {
    /// Sorts a command line.
    ///
    /// # Errors
    /// What means nothing here.
    pub fn read(words: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut read = Self { task: Task::Run, file: None, ros: Vec::new() };
        for word in words {
            if let Some(path) =
                word.strip_prefix("config:=").or_else(|| word.strip_prefix("_config:="))
            {
                // An empty one is what a launch file passes on where nobody gave one.
                if !path.is_empty() {
                    read.give_file(path)?;
                }
                continue;
            }
            if word.contains(":=") {
                read.ros.push(word);
                continue;
            }
            read.task = match word.as_str() {
                "--check" => Task::Check,
                "--print-schema" => Task::Schema,
                "--print-reference" => Task::Reference,
                "--version" => Task::Version,
                "--help" | "-h" => Task::Help,
                flag if flag.starts_with('-') => {
                    return Err(format!("there is no option {flag}\n{USAGE}"));
                }
                path => {
                    read.give_file(path)?;
                    read.task
                }
            };
        }
        if read.task == Task::Check && read.file.is_none() {
            return Err(format!("--check needs a FILE\n{USAGE}"));
        }
        Ok(read)
    }

    fn give_file(&mut self, path: &str) -> Result<(), String> {
        if let Some(before) = &self.file {
            return Err(format!(
                "two files are given, {} and {path}; give one\n{USAGE}",
                before.display()
            ));
        }
        self.file = Some(path.into());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Arguments, String> {
        Arguments::read(words.iter().map(ToString::to_string))
    }

    #[test]
    fn words_are_sorted() {
        let read_ = read(&["config:=a.yaml", "scan:=/front", "__name:=b"]).unwrap();
        assert_eq!(read_.file, Some("a.yaml".into()));
        assert_eq!(read_.ros, ["scan:=/front", "__name:=b"]);
        assert_eq!(read(&["--check", "a.yaml"]).unwrap().task, Task::Check);
        assert_eq!(read(&["config:="]).unwrap().file, None);
        for bad in [&["--check"][..], &["--chek", "a"], &["a", "b"], &["a", "config:=b"]] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
