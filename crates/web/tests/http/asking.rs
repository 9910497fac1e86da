//! Questions to the person: on the stream of the call in a session, as the answer in the modern era.

use std::sync::atomic::Ordering;

use mcp::Version;
use serde_json::{Value, json};

use crate::host::Host;
use crate::raw::Request;
use crate::speaking::{Session, capable_modern, text};

fn accepted(id: &Value) -> String {
    let content = json!({ "reason": "it is full" });
    json!({ "jsonrpc": "2.0", "id": id, "result": { "action": "accept", "content": content } }).to_string()
}

#[test]
fn a_question_on_a_stream_is_answered_by_another_post() {
    let host = Host::start();
    for version in [Version::V2025_06_18, Version::V2025_11_25] {
        let session = Session::capable(&host, version, json!({ "elicitation": {} }));
        let effects = host.state.effects.load(Ordering::SeqCst);
        let mut stream = session.call(1, "erase", json!({ "what": "the board" })).send(host.door);
        let question = stream.message();
        assert_eq!(question["method"], "elicitation/create");
        assert_eq!(question["params"]["message"], "Why erase the board?");
        assert_eq!(host.state.effects.load(Ordering::SeqCst), effects);
        let answer = accepted(&question["id"]);
        assert_eq!(session.post(answer.clone()).status, 202);
        assert_eq!(text(&stream.message()), "erased the board: it is full");
        assert_eq!(stream.event(), None);
        assert_eq!(session.post(answer).status, 202, "a late answer is nobody's");
        assert_eq!(host.state.effects.load(Ordering::SeqCst), effects + 1);
    }
}

#[test]
fn nobody_else_can_answer() {
    let host = Host::start();
    let session = Session::capable(&host, Version::V2025_11_25, json!({ "elicitation": {} }));
    let mut stream = session.call(1, "erase", json!({ "what": "the board" })).send(host.door);
    let answer = accepted(&stream.message()["id"]);
    let by_the_other_door = session.own(Request::post(answer.clone())).send(host.other_door);
    assert_eq!(by_the_other_door.status, 404);
    assert_eq!(Session::open(&host, Version::V2025_11_25).post(answer.clone()).status, 202);
    assert_eq!(host.state.effects.load(Ordering::SeqCst), 0);
    session.post(answer);
    assert_eq!(text(&stream.message()), "erased the board: it is full");
}

#[test]
fn a_question_is_the_answer_in_the_modern_era() {
    let host = Host::start();
    let capable = json!({ "elicitation": {} });
    let mut params = json!({ "name": "erase", "arguments": { "what": "the board" } });
    let ask = |params: &Value| capable_modern(capable.clone(), 1, "tools/call", params.clone());
    let asked = ask(&params).send(host.door).json()["result"].take();
    assert_eq!(asked["resultType"], "input_required");
    params["requestState"] = asked["requestState"].clone();
    params["inputResponses"] = json!({ "why": { "action": "accept", "content": { "reason": "rain" } } });
    let stolen = ask(&params).send(host.other_door).json();
    assert_eq!(stolen["error"]["code"], -32602, "the state belongs to whoever was asked");
    assert_eq!(text(&ask(&params).send(host.door).json()), "erased the board: rain");
    assert_eq!(ask(&params).send(host.door).json()["error"]["code"], -32602);
}
