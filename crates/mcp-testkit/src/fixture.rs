//! A server with everything a server can have, and handlers that are hard on the protocol.

mod asking;
mod breaking;
mod failing;
mod offers;
mod outside;
mod working;

use std::sync::atomic::AtomicUsize;

pub use breaking::Breaking;
use mcp::{Changes, FailAs, Failures, Features, Server};

/// What the handlers share.
#[derive(Default)]
pub struct State {
    /// Where changes are told.
    pub changes: Changes,
    /// How many effects took place: asking must not have any.
    pub effects: AtomicUsize,
    /// How many calls were dropped before they ended.
    pub dropped: AtomicUsize,
    /// Whether held calls may go on.
    gate: tokio::sync::watch::Sender<bool>,
}

/// The fixture with the default way to fail.
pub fn server() -> Server<State> {
    server_failing(Failures::default())
}

/// The fixture with failures as JSON-RPC errors throughout.
pub fn server_failing_by_rpc() -> Server<State> {
    server_failing(Failures {
        tool: FailAs::Rpc(-32050),
        bad_arguments: FailAs::Rpc(-32602),
        unknown_tool: FailAs::Rpc(-32601),
    })
}

fn server_failing(failures: Failures) -> Server<State> {
    let changes = Changes::default();
    let state = State { changes: changes.clone(), ..State::default() };
    Server::new("fixture", "1.2.3", state)
        .title("Fixture")
        .description("A server for tests of the protocol")
        .instructions("Call anything.")
        .failures(failures)
        .features(Features { list_changes: true, resource_updates: true, logging: true })
        .telling(changes)
        .tool(working::Echo)
        .tool(working::Add)
        .tool(working::Sleep)
        .tool(working::Block)
        .tool(working::Count)
        .tool(working::Shout)
        .tool(working::Never)
        .tool(working::WhoCalls)
        .tool(working::Tally)
        .tool(working::Hold)
        .tool(working::Plot)
        .tool(working::Stubborn)
        .tool(working::Release)
        .tool(outside::Print)
        .tool(outside::ReadStdin)
        .tool(offers::Picture)
        .tool(offers::Develop)
        .tool(offers::Everything)
        .tool(offers::Touch)
        .tool(failing::FailTool)
        .tool(failing::FailWithCode)
        .tool(failing::Panic)
        .tool(failing::PanicLater)
        .tool(asking::Erase)
        .tool(asking::Shred)
        .tool(asking::AskTwice)
        .tool(asking::AskModel)
        .tool(asking::Job)
        .tool(asking::JobAfterAsking)
        .bare_method::<working::Add>("addNumbers")
        .bare_method::<working::Tally>("tallyUp")
        .resource(offers::Readme)
        .resource(offers::Page)
        .prompt(offers::Describe)
}
