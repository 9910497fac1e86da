//! Secret values found in a stream of bytes, in all the spellings a value commonly takes, and replaced by their names.
//!
//! This guards against accidents: a program that prints its environment, a server that echoes a header. It is no wall: a
//! program that has the value and wants to get it past this can always spell it in a way nobody thought of.

mod forms;
mod patterns;
mod stream;
#[cfg(test)]
mod tests;

pub use forms::Encoding;
pub use patterns::{Hit, Patterns};
pub(crate) use stream::Capture;
pub use stream::{Captured, Scrubber};

/// A secret value and its name, borrowed for as long as it takes to use it.
#[derive(Clone, Copy)]
pub struct Secret<'a> {
    /// Its name, which may be told.
    pub name: &'a str,
    /// Its value, which may not.
    pub value: &'a [u8],
}

impl std::fmt::Debug for Secret<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Secret").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A value shorter than this is found everywhere: what was printed with one in reach cannot be shown at all.
pub const SHORTEST: usize = 4;
