//! The packages, installed and run. `./dev package` builds them first, and says where they are.
#![allow(clippy::expect_used, reason = "a test that cannot go on has failed, and says why")]

mod appimage;
mod application;
mod built;
mod bundles;
mod conversation;
mod deb;
mod debian;
mod display;
mod downloads;
mod flatpak;
mod sandbox;
mod session;
mod tarball;
mod window;
