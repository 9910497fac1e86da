//! What can be read.

use mcp::{Address, Cx, Item, Resource, ResourceAbout, Run, Server, Stop};
use serde_json::json;

use crate::{State, samples};

pub(crate) fn add(server: Server<State>) -> Server<State> {
    server.resource(StaticText).resource(StaticBinary).resource(Template).resource(Watched)
}

struct StaticText;

impl Resource<State> for StaticText {
    const ABOUT: ResourceAbout = ResourceAbout {
        uri: "test://static-text",
        name: "static-text",
        title: "Static text",
        description: "A text that never changes.",
        mime: "text/plain",
        completes: false,
        meta: None,
    };
    const RUN: Run = Run::Inline;

    async fn read(&self, _: &State, _: &Cx, at: Address) -> Result<Vec<Item>, Stop> {
        Ok(vec![Item::text(at.uri, "text/plain", "This is the content of the static text resource.")])
    }
}

struct StaticBinary;

impl Resource<State> for StaticBinary {
    const ABOUT: ResourceAbout = ResourceAbout {
        uri: "test://static-binary",
        name: "static-binary",
        title: "Static picture",
        description: "A picture that never changes.",
        mime: "image/png",
        completes: false,
        meta: None,
    };
    const RUN: Run = Run::Inline;

    async fn read(&self, _: &State, _: &Cx, at: Address) -> Result<Vec<Item>, Stop> {
        Ok(vec![Item::blob(at.uri, "image/png", samples::PNG)])
    }
}

struct Template;

impl Resource<State> for Template {
    const ABOUT: ResourceAbout = ResourceAbout {
        uri: "test://template/{id}/data",
        name: "template",
        title: "Data by id",
        description: "Data about whatever id is put into the address.",
        mime: "application/json",
        completes: false,
        meta: None,
    };
    const RUN: Run = Run::Inline;

    async fn read(&self, _: &State, _: &Cx, at: Address) -> Result<Vec<Item>, Stop> {
        let id = at.variable("id");
        let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
        Ok(vec![Item::text(&at.uri, "application/json", data.to_string())])
    }
}

struct Watched;

impl Resource<State> for Watched {
    const ABOUT: ResourceAbout = ResourceAbout {
        uri: "test://watched-resource",
        name: "watched-resource",
        title: "Watched text",
        description: "A text that clients subscribe to.",
        mime: "text/plain",
        completes: false,
        meta: None,
    };
    const RUN: Run = Run::Inline;

    async fn read(&self, _: &State, _: &Cx, at: Address) -> Result<Vec<Item>, Stop> {
        Ok(vec![Item::text(at.uri, "text/plain", "This is the content of the watched resource.")])
    }
}
