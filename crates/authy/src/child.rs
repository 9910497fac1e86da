//! A command with secrets in its environment or on its stdin, and nothing else of ours.
//!
//! There is no shell: a command is a program and its arguments, and both must be allowed by a [`Rule`]. The program gets a
//! small environment, a process group that ends with it, and pipes whose content is scrubbed before anybody sees it.

mod confinement;
mod environment;
mod own_folder;
mod pinned_folder;
mod program;
mod rules;
mod run;
#[cfg(test)]
mod tests;

pub use confinement::{CommandRule, Confinement, Ruled, Unconfined};
pub use environment::{Environment, Variable, VariableError};
pub use pinned_folder::check_folder;
pub use program::{Program, ProgramError, digest};
pub use rules::{BadRule, NotAllowed, Rule, Rules};
pub use run::{Bounds, Command, Exit, Finished, RunError, Stdin};
