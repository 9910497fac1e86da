//! The tools, in the order clients see them.

mod get_secret;
mod list_secrets;
mod remove_secret;
mod store_secret;
mod test_policy;

use ::mcp::{Fail, Server};

use crate::state::State;

use get_secret::GetSecret;
use list_secrets::ListSecrets;
use remove_secret::RemoveSecret;
use store_secret::StoreSecret;
use test_policy::TestPolicy;

pub(crate) fn offer(server: Server<State>) -> Server<State> {
    server.tool(GetSecret).tool(ListSecrets).tool(StoreSecret).tool(RemoveSecret).tool(TestPolicy)
}

/// The letters of the contract for an argument that is not there.
fn required<T>(argument: Option<T>, name: &str) -> Result<T, Fail> {
    argument.ok_or_else(|| Fail::arguments(format!("Missing required parameter: {name}")))
}
