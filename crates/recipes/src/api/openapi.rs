//! The description of the API: `OpenAPI` 3.1, made from the types that the API reads and writes.

mod operations;

use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use web::axum::extract::State;
use web::axum::http::StatusCode;
use web::axum::response::Response;

use crate::api::output;
use crate::api::problem::ProblemBody;
use crate::site::Book;

/// One thing the API can do.
struct Operation {
    method: &'static str,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    /// Parts of the query and headers: where, name, schema, what it means.
    parameters: Vec<(&'static str, &'static str, Value, &'static str)>,
    /// What it takes, and whether that may be missing.
    body: Option<Body>,
    /// The status of success, and what comes then.
    ok: (u16, Content),
}

/// What an operation takes.
struct Body {
    kind: &'static str,
    schema: Schema,
    required: bool,
}

/// What an operation gives.
enum Content {
    Json(Schema),
    /// Bytes of one of these types.
    File(&'static [&'static str]),
    Nothing,
}

/// What every operation may answer instead.
const PROBLEMS: &[(u16, &str)] = &[
    (400, "The body is not JSON, or not a form"),
    (401, "The key is missing or does not work"),
    (403, "The key or the person may not do this"),
    (404, "There is no such thing, or it belongs to another family"),
    (405, "The path does not take this method"),
    (409, "The title or name is taken"),
    (412, "The recipe is at another version"),
    (413, "The body is too large"),
    (415, "The body has another type"),
    (422, "A field does not fit"),
    (503, "The database cannot be used now"),
];

fn generator() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12();
    settings.with(|settings| settings.definitions_path = "/components/schemas".into()).into_generator()
}

fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The whole description, for a cookbook mounted at `base`.
fn document(base: &str) -> Value {
    let mut generator = generator();
    let problem = schema::<ProblemBody>(&mut generator);
    let mut paths = Map::new();
    for operation in operations::all(&mut generator) {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            path.insert(operation.method.to_owned(), described(operation, &problem));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Recipe Vault",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The family cookbook. Everybody needs a key; `X-User-Email` narrows it to one person's family.",
        },
        "servers": [{ "url": format!("{base}/api") }],
        "security": [{ "key": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "key": { "type": "apiKey", "in": "header", "name": "X-API-Key" } },
            "schemas": generator.take_definitions(true),
        },
    })
}

fn described(operation: Operation, problem: &Schema) -> Value {
    let mut responses = Map::new();
    for (status, meaning) in PROBLEMS {
        let answer =
            json!({ "description": meaning, "content": { "application/json": { "schema": problem } } });
        responses.insert(status.to_string(), answer);
    }
    let (status, given) = operation.ok;
    let content = match given {
        Content::Json(schema) => json!({ "application/json": { "schema": schema } }),
        Content::File(kinds) => kinds.iter().map(|kind| ((*kind).to_owned(), json!({}))).collect(),
        Content::Nothing => Value::Null,
    };
    let mut success = json!({ "description": "Done" });
    if !content.is_null() {
        success["content"] = content;
    }
    responses.insert(status.to_string(), success);
    if operation.parameters.iter().any(|(_, name, ..)| *name == "If-None-Match") {
        responses.insert("304".to_owned(), json!({ "description": "What you have is still true" }));
    }
    let in_path = operation.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path =
        in_path.map(|name| json!({ "name": name, "in": "path", "required": true, "schema": of_path(name) }));
    let others = operation.parameters.into_iter().map(|(place, name, schema, description)| {
        json!({ "name": name, "in": place, "schema": schema, "description": description })
    });
    let parameters: Vec<Value> = in_path.chain(others).collect();
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(Body { kind, schema, required }) = operation.body {
        described["requestBody"] = json!({ "required": required, "content": { kind: { "schema": schema } } });
    }
    described
}

/// What a part of a path is.
fn of_path(name: &str) -> Value {
    match name {
        "email" => json!({ "type": "string", "format": "email", "maxLength": 254 }),
        "name" => json!({ "type": "string", "minLength": 1, "maxLength": 100 }),
        _ => json!({ "type": "string", "format": "uuid" }),
    }
}

/// `GET /openapi.json`: for anybody, since it says nothing about anybody.
pub(super) async fn show(State(book): State<Book>) -> Response {
    static AT_ROOT: LazyLock<Value> = LazyLock::new(|| document(""));
    if book.settings.base.is_empty() {
        return output::json(StatusCode::OK, &*AT_ROOT);
    }
    output::json(StatusCode::OK, &document(&book.settings.base))
}

#[cfg(test)]
mod tests {
    use super::document;

    /// The router has no list of its routes, so its source is read.
    #[test]
    fn every_route_is_described_and_nothing_else() {
        let source = include_str!("../api.rs");
        let routes = source.split(".route(").skip(1).map(|route| {
            let path = route.split('"').nth(1).expect("a path").to_owned();
            let body = route.split(".fallback").next().expect("the route");
            let methods = ["get", "put", "post", "patch", "delete"];
            let found = methods.into_iter().filter(|method| body.contains(&format!("{method}(")));
            (path, found.map(str::to_owned).collect::<Vec<_>>())
        });
        let mut routes: Vec<_> = routes.filter(|(path, _)| path != "/openapi.json").collect();
        let document = document("");
        let paths = document["paths"].as_object().expect("paths");
        let mut described: Vec<_> = paths
            .iter()
            .map(|(path, methods)| {
                (path.clone(), methods.as_object().expect("methods").keys().cloned().collect::<Vec<_>>())
            })
            .collect();
        for list in [&mut routes, &mut described] {
            for (_, methods) in list.iter_mut() {
                methods.sort();
            }
            list.sort();
        }
        assert_eq!(routes, described);
    }
}
