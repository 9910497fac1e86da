//! The resources: screenshots, their text, and the settings.

mod recent;
mod screenshot;
mod settings;
mod text;

use mcp::{Fail, Item, Server, Stop};
use serde::Serialize;

use crate::State;
use crate::error::Error;

/// The settings.
pub(crate) const SETTINGS: &str = "settings://current";

/// The newest screenshots.
pub(crate) const RECENT: &str = "screenshots://recent";

pub(crate) fn offer(server: Server<State>) -> Server<State> {
    // `recent` comes before the pattern, which it fits.
    server
        .resource(recent::Recent)
        .resource(settings::Current)
        .resource(screenshot::Picture)
        .resource(text::Text)
}

const JSON: &str = "application/json";

fn json(uri: &str, value: &impl Serialize) -> Result<Item, Stop> {
    let text = serde_json::to_string_pretty(value)
        .map_err(|error| Fail::new(format!("`{uri}` cannot be written as JSON: {error}")))?;
    Ok(Item::text(uri, JSON, text))
}

/// A screenshot that is not there is a resource that is not there.
fn not_found(uri: &str) -> impl Fn(Error) -> Fail {
    move |error| match error {
        Error::NotFound { .. } => Fail::resource_not_found(uri),
        other => other.into(),
    }
}
