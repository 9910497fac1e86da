//! Why what is in the file is believed: a tree over all rows of the owner's state, a signed head over the tree, and an
//! anchor outside the file. `README.md` says against whom.

mod anchor;
mod checking;
mod head;
mod tree;

pub(crate) use anchor::{Anchor, Noted, Place};
pub(crate) use checking::Trust;
pub(crate) use head::{Head, SignedHead, certify};
pub(crate) use tree::{Changes, Digest, Tree};
