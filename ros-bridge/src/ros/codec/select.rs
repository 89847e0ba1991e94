//! The way to a part of a message: `pose.position.x`, `points[0].x`.
use super::{
    Reason, Refusal,
    layout::{Item, Plan},
};
use crate::ros::message::Array;

/// A checked path into messages of one type.
#[derive(Clone, Debug)]
pub struct Selection {
    pub(super) path: String,
    pub(super) steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Number of the field.
    pub(super) field: usize,
    /// Which element, where it is an array of which one is meant.
    pub(super) index: Option<u64>,
}

impl Selection {
    pub(super) fn new(plan: &Plan, path: &str) -> Result<Self, Refusal> {
        let refuse = |what: String| Refusal {
            path: path.to_owned(),
            ..Refusal::new(Reason::NoSuchField, what)
        };
        let plain = path.replace('[', ".").replace(']', "");
        let mut words = plain.split('.').peekable();
        let mut part = Some(plan.get(0));
        let mut steps = Vec::new();
        while let Some(word) = words.next() {
            let Some(inside) = part else {
                return Err(refuse(format!(
                    "nothing is below a value that is no message: {word:?}"
                )));
            };
            let Some(field) = inside.members.iter().position(|member| &*member.name == word) else {
                let names: Vec<_> = inside.members.iter().map(|member| &*member.name).collect();
                return Err(refuse(format!(
                    "{} has no field {word:?}; it has {}",
                    inside.name,
                    names.join(", ")
                )));
            };
            let Some(member) = inside.members.get(field) else { break };
            let mut index = None;
            if member.array != Array::No
                && let Some(word) = words.next()
            {
                let number = word.parse().map_err(|_| {
                    refuse(format!("{} is an array: {word:?} is no index", member.name))
                })?;
                if let Array::Fixed(length) = member.array
                    && number >= u64::from(length)
                {
                    return Err(refuse(format!(
                        "{} has {length} elements, counted from 0",
                        member.name
                    )));
                }
                index = Some(number);
            }
            steps.push(Step { field, index });
            part = match member.item {
                Item::Message(at) => Some(plan.get(at)),
                _ => None,
            };
        }
        Ok(Self { path: path.to_owned(), steps })
    }

    /// The path as it was given.
    pub fn path(&self) -> &str {
        &self.path
    }
}
