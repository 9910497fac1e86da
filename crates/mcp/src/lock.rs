//! Locks whose holder panicked: what they guard is consistent between any two statements, so it can still be used.

use std::sync::PoisonError;

/// The guard, poisoned or not.
pub(crate) fn unpoisoned<G>(locked: Result<G, PoisonError<G>>) -> G {
    locked.unwrap_or_else(PoisonError::into_inner)
}
