//! What a change would make of a picture, as data and in words.

use std::fmt;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Field;
use crate::plan::Plan;
use crate::report::{Said, Store, format_name, said};
use crate::view::view;
use crate::words::{self, Table};

/// What a change would make of a picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// The picture, as it was named.
    pub file_path: String,
    /// Its format, by content.
    pub format: &'static str,
    /// Whether the file would change at all.
    pub would_write: bool,
    /// Its size in bytes.
    pub size_before: u64,
    /// Its size in bytes after the change.
    pub size_after: u64,
    /// What would change, place by place. Dates and digests, which follow every change, are not listed.
    pub changes: Vec<Changed>,
    /// What else there is to say.
    pub notes: Vec<String>,
}

/// What would change in one place of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Changed {
    /// The store.
    pub store: Store,
    /// The place in it, such as `dc:subject`.
    pub name: String,
    /// What it is about.
    pub field: Field,
    /// What it says now; empty if it is not there.
    pub before: Vec<String>,
    /// What it would say; empty if it would go.
    pub after: Vec<String>,
}

impl Preview {
    pub(crate) fn of(path: &Path, size: u64, plan: &Plan) -> Preview {
        let changes = match &plan.after {
            Some(after) => changes(said(&view(&plan.before)), said(&view(&after.stores))),
            None => Vec::new(),
        };
        Preview {
            file_path: path.display().to_string(),
            format: format_name(plan.container),
            would_write: plan.after.is_some(),
            size_before: size,
            size_after: plan.after.as_ref().map_or(size, |after| after.size),
            changes,
            notes: plan.notes.iter().map(|note| words::note(*note).to_owned()).collect(),
        }
    }
}

/// Pairs the places by name, in the order of what there is, and then of what comes.
fn changes(before: Vec<Said>, mut after: Vec<Said>) -> Vec<Changed> {
    let mut changes = Vec::new();
    for Said { store, name, field, values } in before {
        let place = after.iter().position(|said| said.store == store && said.name == name);
        let new = place.map(|place| after.remove(place).values).unwrap_or_default();
        if new != values {
            changes.push(Changed { store, name, field, before: values, after: new });
        }
    }
    changes.extend(after.into_iter().map(|Said { store, name, field, values }| Changed {
        store,
        name,
        field,
        before: Vec::new(),
        after: values,
    }));
    changes
}

impl fmt::Display for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.would_write {
            let (before, after) = (words::bytes(self.size_before), words::bytes(self.size_after));
            writeln!(
                f,
                "{}: {}, would change ({before} → {after})",
                words::line(&self.file_path),
                self.format
            )?;
        } else {
            writeln!(f, "{}: {}, nothing would change", words::line(&self.file_path), self.format)?;
        }
        let mut table = Table::default();
        for Changed { store, name, before, after, .. } in &self.changes {
            let change = format!("{} → {}", words::list(before), words::list(after));
            table.row([store.label(), name, &change]);
        }
        write!(f, "{table}")?;
        self.notes.iter().try_for_each(|note| writeln!(f, "  {note}"))
    }
}
