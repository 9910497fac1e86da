//! Recipes from elsewhere and for elsewhere.
#![allow(
    clippy::redundant_closure_for_method_calls,
    reason = "`|text| text.as_str()` reads better than the types of lengths"
)]
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod files;
mod pages;
mod round_trips;
mod saving;
mod web;
