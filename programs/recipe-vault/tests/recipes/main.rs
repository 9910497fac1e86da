//! The scenarios of the server `recipe-vault`, through the real command, on every engine.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]
#![allow(clippy::needless_pass_by_value, reason = "`call(\"tool\", json!({ … }))` reads better without `&`")]

mod attacks;
mod between_families;
mod client_authentication;
mod crash;
mod create;
mod errors;
mod exchange;
mod families;
mod http;
mod list;
mod more_tools;
mod pages;
mod protocol;
mod read;
mod rebinding;
mod rest;
mod several_processes;
mod under_load;
mod update;
mod vault;
