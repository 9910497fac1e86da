//! Eyes for an agent, safe to lend.
pub mod capture;
pub mod pixels;
pub mod rect;
