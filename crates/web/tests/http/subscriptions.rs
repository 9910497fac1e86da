//! `subscriptions/listen`: acknowledged, told, ended.

use serde_json::{Value, json};

use crate::host::Host;
use crate::raw::Response;
use crate::speaking::{modern, modern_call};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn listen(host: &Host, id: impl Into<Value>, filter: Value) -> Response {
    let stream = modern(id, "subscriptions/listen", json!({ "notifications": filter })).send(host.door);
    assert_eq!((stream.status, stream.is_stream()), (200, true));
    stream
}

#[test]
fn each_is_told_what_it_asked_for_under_its_own_id() {
    let host = Host::start();
    let mut tools = listen(&host, 7, json!({ "toolsListChanged": true, "somethingElse": true }));
    let mut readme = listen(&host, "r", json!({ "resourceSubscriptions": ["fixture://readme"] }));
    let acknowledged = tools.message();
    assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(acknowledged["params"]["notifications"], json!({ "toolsListChanged": true }));
    assert_eq!(acknowledged["params"]["_meta"][SUBSCRIPTION], 7);
    assert_eq!(
        readme.message()["params"]["notifications"],
        json!({ "resourceSubscriptions": ["fixture://readme"] })
    );
    modern_call(1, "touch", json!({})).send(host.door);
    let change = tools.message();
    assert_eq!(change["method"], "notifications/tools/list_changed");
    assert_eq!(change["params"]["_meta"][SUBSCRIPTION], 7);
    let update = readme.message();
    assert_eq!(update["params"], json!({ "uri": "fixture://readme", "_meta": { SUBSCRIPTION: "r" } }));
}

#[test]
fn what_cannot_be_honoured_is_not_promised() {
    let host = Host::start();
    let mut nothing = listen(&host, 1, json!({ "toolsListChanged": false }));
    assert_eq!(nothing.message()["params"]["notifications"], json!({}));
}

#[test]
fn they_end_with_an_answer_when_the_server_stops() {
    let host = Host::start();
    let mut stream = listen(&host, "s", json!({ "promptsListChanged": true }));
    stream.message();
    host.stop();
    let last = stream.message();
    assert_eq!((&last["id"], &last["result"]["resultType"]), (&json!("s"), &json!("complete")));
    assert_eq!(last["result"]["_meta"][SUBSCRIPTION], "s");
    assert_eq!(stream.event(), None);
}
