//! Secrets an agent can use and need not see. `README.md` beside this crate says how it is built.
