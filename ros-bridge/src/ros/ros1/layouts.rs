//! Types that connections bring along, compiled once for each checksum.
use crate::ros::{
    Code, Error, Layout, Result,
    message::{Library, Schema},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// How many are kept; a graph has fewer.
const MOST: usize = 4096;

/// The types met so far.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    known: Mutex<HashMap<(String, String), Arc<Layout>>>,
}

impl Layouts {
    /// The type `kind` with the checksum `md5`, by the definition that came with it, or by that on disk where none did.
    pub(super) fn of(
        &self,
        library: &Library,
        kind: &str,
        md5: &str,
        definition: Option<&str>,
    ) -> Result<Arc<Layout>> {
        let key = (kind.to_owned(), md5.to_owned());
        if let Some(known) = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(known));
        }
        let brought = definition
            .filter(|text| !text.trim().is_empty() || md5 == EMPTY)
            .map(|text| Schema::from_full_text(kind, text).and_then(|schema| Layout::new(&schema)));
        let layout = match brought {
            Some(Ok(layout)) if layout.md5() == md5 => Arc::new(layout),
            // Bridges and recorders send definitions that are cut short; what is installed may be whole.
            other => {
                let local = library.message(kind).ok().filter(|local| local.md5() == md5);
                match (local, other) {
                    (Some(local), _) => local,
                    (None, Some(Err(error))) => return Err(error),
                    (None, Some(Ok(layout))) => {
                        return Err(Error::new(
                            Code::TypeMismatch,
                            format!(
                                "the definition of {kind} that came along has the checksum {}, not {md5} as the \
                                 publisher says",
                                layout.md5()
                            ),
                        ));
                    }
                    (None, None) => {
                        return Err(Error::new(
                            Code::TypeUnknown,
                            format!(
                                "the publisher sends no definition of {kind} ({md5}), and none with that checksum is \
                                 installed"
                            ),
                        ));
                    }
                }
            }
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key, Arc::clone(&layout));
        Ok(layout)
    }
}

/// The checksum of a type without fields.
const EMPTY: &str = "d41d8cd98f00b204e9800998ecf8427e";
