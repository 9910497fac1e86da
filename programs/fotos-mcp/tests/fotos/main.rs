//! The scenarios of the server `fotos`, through the real `fotos-mcp`, on displays made here.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]
#![allow(clippy::needless_pass_by_value, reason = "`drawn(json!([ … ]))` reads better without `&`")]

mod analyze;
mod annotate;
mod application;
mod bounds;
mod bridge;
mod bridge_attacks;
mod bridge_faults;
mod bridge_memory;
mod bridge_privacy;
mod capture;
mod company;
#[allow(
    clippy::unused_self,
    clippy::used_underscore_binding,
    reason = "methods of a D-Bus interface have the arguments it says, and the macro uses them"
)]
mod desktop;
mod display;
mod fotos;
mod list;
mod ocr;
mod portal;
mod private;
mod private_moments;
mod prompts;
mod protocol;
mod read_ui;
mod redact;
mod resources;
mod search;
mod standalone;
mod sway;
mod window;
mod xcap;
