//! Which program this is, and whether the programs beside it are of the same release.

use super::check::Check;
use crate::{programs, release};

pub(super) fn look() -> Vec<Check> {
    let own = env!("CARGO_PKG_VERSION");
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            let found = format!("cannot find out where this program is: {error}");
            return vec![Check::problem("version", found, "start it by its whole path")];
        }
    };
    // Linux says so of a program that was replaced while it runs.
    if program.to_string_lossy().ends_with(" (deleted)") {
        let found = format!("this is {own}, and its file was replaced since it started");
        return vec![Check::problem("version", found, "restart the app, or `deskmate serve`")];
    }
    let mut checks = vec![Check::ok("version", format!("{}, `{}`", release::describe(), program.display()))];
    let others = programs::ALL
        .iter()
        .filter_map(|lean| Some((lean.program, programs::version(&lean.path_beside(&program))?)));
    let old: Vec<String> = others
        .filter(|(_, version)| version != own)
        .map(|(name, version)| format!("{name} {version}"))
        .collect();
    if !old.is_empty() {
        let found = format!("beside deskmate {own} there are: {}", old.join(", "));
        checks.push(Check::problem("programs", found, "install all programs from the same release"));
    }
    checks
}
