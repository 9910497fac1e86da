//! The tools, in the order clients see them.

mod generate_secret;
mod get_secret;
mod get_totp;
mod http_request;
mod list_secrets;
mod new_value;
mod remove_secret;
mod rotate_secret;
mod run_with_secrets;
mod scan_for_leaks;
mod secret_info;
mod store_secret;
mod test_policy;
#[cfg(test)]
mod tests;
mod using;

use ::mcp::{Fail, Server};

use crate::state::State;

use generate_secret::GenerateSecret;
use get_secret::GetSecret;
use get_totp::GetTotp;
use http_request::HttpRequest;
use list_secrets::ListSecrets;
use remove_secret::RemoveSecret;
use rotate_secret::RotateSecret;
use run_with_secrets::RunWithSecrets;
use scan_for_leaks::ScanForLeaks;
use secret_info::DescribeSecret;
use store_secret::StoreSecret;
use test_policy::TestPolicy;

pub(crate) fn offer(server: Server<State>) -> Server<State> {
    server
        .tool(GetSecret)
        .tool(ListSecrets)
        .tool(StoreSecret)
        .tool(RemoveSecret)
        .tool(TestPolicy)
        .tool(RunWithSecrets)
        .tool(HttpRequest::default())
        .tool(GenerateSecret)
        .tool(RotateSecret)
        .tool(DescribeSecret)
        .tool(GetTotp)
        .tool(ScanForLeaks)
}

/// The letters of the contract for an argument that is not there.
fn required<T>(argument: Option<T>, name: &str) -> Result<T, Fail> {
    argument.ok_or_else(|| Fail::arguments(format!("Missing required parameter: {name}")))
}
