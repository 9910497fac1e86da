//! The programs of the workspace, for tests of more than one. A test of one program has `CARGO_BIN_EXE_…` from cargo.

use std::path::{Path, PathBuf};

/// The program of this name, built with the same profile as the test that asks.
///
/// # Panics
///
/// If it is not there, with the command that builds it.
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    // Tests are in `deps` of the folder that programs are in.
    let built = test.ancestors().nth(2).expect("a test is in a target folder");
    find(built, name).unwrap_or_else(|message| panic!("{message}"))
}

fn find(built: &Path, name: &str) -> Result<PathBuf, String> {
    let path = built.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if path.is_file() {
        return Ok(path);
    }
    let profile = match built.file_name().and_then(|name| name.to_str()) {
        None | Some("debug") => String::new(),
        Some(other) => format!(" --profile {other}"),
    };
    Err(format!(
        "`{}` is not there; build it with `cargo build{profile} --workspace --bin {name}`",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::find;

    #[test]
    fn a_program_that_is_not_built_is_named_with_the_command_that_builds_it() {
        let missing = |built: &str| find(Path::new(built), "fotos-mcp").expect_err("nothing is there");
        assert_eq!(
            missing("/nowhere/debug"),
            "`/nowhere/debug/fotos-mcp` is not there; build it with `cargo build --workspace --bin fotos-mcp`"
        );
        assert!(
            missing("/nowhere/dist").ends_with("`cargo build --profile dist --workspace --bin fotos-mcp`")
        );
    }
}
