//! Checks the repository itself; everything is in `tests/tidy`.
