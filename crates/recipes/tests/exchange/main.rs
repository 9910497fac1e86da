//! Recipes from elsewhere and for elsewhere.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod files;
mod pages;
mod round_trips;
mod saving;
mod web;
