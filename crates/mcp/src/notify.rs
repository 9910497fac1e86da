//! The messages a server sends of its own accord: notifications, and requests to the client.

use serde_json::value::RawValue;

use crate::changes::Change;
use crate::cx::Level;
use crate::id::IdRef;
use crate::json::ObjectWriter;

/// The member of `_meta` that names the subscription a notification belongs to.
pub(crate) const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn notification(method: &str, params: impl FnOnce(&mut ObjectWriter<'_>)) -> Vec<u8> {
    let mut out = Vec::with_capacity(160);
    let mut message = ObjectWriter::open(&mut out);
    message.raw("jsonrpc", b"\"2.0\"").string("method", method);
    let mut inner = ObjectWriter::open(message.member("params"));
    params(&mut inner);
    inner.close();
    message.close();
    out
}

pub(crate) fn progress(token: &RawValue, done: f64, total: Option<f64>, message: Option<&str>) -> Vec<u8> {
    notification("notifications/progress", |params| {
        params.raw("progressToken", token.get().as_bytes());
        number(params, "progress", done);
        if let Some(total) = total {
            number(params, "total", total);
        }
        if let Some(message) = message {
            params.string("message", message);
        }
    })
}

/// Whole numbers without a fraction, as people write them.
#[allow(clippy::cast_possible_truncation)] // guarded: whole and far inside i64
fn number(params: &mut ObjectWriter<'_>, name: &str, value: f64) {
    if value.fract() == 0.0 && value.abs() < 9.0e15 {
        params.value(name, &(value as i64));
    } else {
        params.value(name, &value);
    }
}

/// `token` is the progress token of the request it belongs to, for a client that must know.
pub(crate) fn log(level: Level, logger: &str, data: &RawValue, token: Option<&RawValue>) -> Vec<u8> {
    notification("notifications/message", |params| {
        params.string("level", level.as_str()).string("logger", logger);
        params.raw("data", data.get().as_bytes());
        if let Some(token) = token {
            let mut meta = ObjectWriter::open(params.member("_meta"));
            meta.raw("progressToken", token.get().as_bytes());
            meta.close();
        }
    })
}

/// A request of ours, in the revisions where a server may send one.
pub(crate) fn request(id: &str, method: &str, params: &serde_json::Value) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    let mut message = ObjectWriter::open(&mut out);
    message.raw("jsonrpc", b"\"2.0\"").string("id", id).string("method", method).value("params", params);
    message.close();
    out
}

/// A change, for a session (`subscription` is `None`) or for one subscription.
pub(crate) fn change(change: &Change, subscription: Option<IdRef<'_>>) -> Vec<u8> {
    let method = match change {
        Change::Tools => "notifications/tools/list_changed",
        Change::Prompts => "notifications/prompts/list_changed",
        Change::Resources => "notifications/resources/list_changed",
        Change::Resource(_) => "notifications/resources/updated",
    };
    notification(method, |params| {
        if let Change::Resource(uri) = change {
            params.string("uri", uri);
        }
        if let Some(id) = subscription {
            subscription_meta(params, id);
        }
    })
}

pub(crate) fn acknowledged(subscription: IdRef<'_>, filter: &[u8]) -> Vec<u8> {
    notification("notifications/subscriptions/acknowledged", |params| {
        params.raw("notifications", filter);
        subscription_meta(params, subscription);
    })
}

/// Tells a stdio client that we end its subscription.
pub(crate) fn cancelled(subscription: IdRef<'_>) -> Vec<u8> {
    notification("notifications/cancelled", |params| {
        params.raw("requestId", subscription.as_json().as_bytes());
        params.string("reason", "The server is shutting down");
    })
}

fn subscription_meta(params: &mut ObjectWriter<'_>, id: IdRef<'_>) {
    let mut meta = ObjectWriter::open(params.member("_meta"));
    meta.raw(SUBSCRIPTION, id.as_json().as_bytes());
    meta.close();
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::changes::Change;
    use crate::id::Id;

    #[test]
    fn a_change_names_its_subscription_with_the_ids_own_type() {
        let id = Id::from_json("7").expect("id");
        let message = super::change(&Change::Resource("a://b".into()), Some((&id).into()));
        let message: Value = serde_json::from_slice(&message).expect("JSON");
        assert_eq!(
            message["params"],
            json!({ "uri": "a://b", "_meta": { "io.modelcontextprotocol/subscriptionId": 7 } })
        );
    }
}
