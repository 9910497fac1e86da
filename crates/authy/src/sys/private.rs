//! What is the person's own, and no business of a command.

use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::child::Unconfined;

/// The folders that are hidden from commands: the person's home, where keyfiles are and whatever else an agent would like a
/// command to print, and those where programs keep what belongs to the session, such as a value that is being edited; and all
/// devices: what is typed at a terminal can be read there, and what a camera sees. The environment may say nothing about the
/// home, or something else than the truth; so the system is asked as well.
pub(super) fn private_folders() -> Result<Vec<PathBuf>, Unconfined> {
    let user = rustix::process::geteuid().as_raw();
    // Without the variable, the standard library asks the system.
    let homes: Vec<PathBuf> = env::home_dir()
        .into_iter()
        .chain(home_of(user, &fs::read_to_string("/etc/passwd").unwrap_or_default()))
        .filter(|home| home.is_absolute())
        .collect();
    if homes.is_empty() {
        return Err(Unconfined::NotSupported(
            "it is not known which folder is your home; set HOME".to_owned(),
        ));
    }
    let session = [PathBuf::from(format!("/run/user/{user}")), PathBuf::from("/dev")];
    let real = homes.into_iter().chain(session).filter_map(|folder| fs::canonicalize(folder).ok());
    // A home that is not there, or is everything, hides nothing.
    Ok(real.filter(|folder| folder.parent().is_some()).collect())
}

/// The home of a user, as `/etc/passwd` has it.
fn home_of(user: u32, passwd: &str) -> Option<PathBuf> {
    let of = |line: &str| {
        let mut fields = line.split(':').skip(2);
        let found = fields.next()?.parse() == Ok(user);
        fields.nth(2).filter(|_| found).map(PathBuf::from)
    };
    passwd.lines().find_map(of)
}

/// What a program in a hidden folder has to read to run: its own folder, and the libraries beside a folder of programs. Not
/// more: in the folders above there may be anything.
pub(super) fn libraries(program: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    let Some(folder) = program.parent() else { return Vec::new() };
    let within = |place: &Path| hidden.iter().any(|hidden| place != hidden && place.starts_with(hidden));
    if !within(folder) {
        return Vec::new();
    }
    let mut found = vec![folder.to_owned()];
    let is_bin = folder.file_name().is_some_and(|name| name == "bin" || name == "sbin");
    if let Some(above) = folder.parent().filter(|above| is_bin && within(above)) {
        found.extend(["lib", "lib64", "libexec", "pyvenv.cfg"].map(|name| above.join(name)));
    }
    found
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{home_of, libraries};

    #[test]
    fn the_home_of_a_user_is_found() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000:Ada,,,:/home/ada:/bin/sh\nbad:x\n";
        assert_eq!(home_of(1000, passwd).as_deref(), Some(Path::new("/home/ada")));
        assert_eq!(home_of(1, passwd), None);
    }

    #[test]
    fn a_program_in_the_home_has_its_own_folder_and_no_more() {
        let hidden = [PathBuf::from("/home/ada")];
        let check = |program: &str, readable: &[&str]| {
            let readable: Vec<PathBuf> = readable.iter().map(PathBuf::from).collect();
            assert_eq!(libraries(Path::new(program), &hidden), readable, "{program}");
        };
        check("/usr/bin/cat", &[]);
        check("/home/ada/tool", &[]);
        check("/home/ada/project/tool", &["/home/ada/project"]);
        check(
            "/home/ada/.local/bin/tool",
            &[
                "/home/ada/.local/bin",
                "/home/ada/.local/lib",
                "/home/ada/.local/lib64",
                "/home/ada/.local/libexec",
                "/home/ada/.local/pyvenv.cfg",
            ],
        );
        check("/home/ada/bin/tool", &["/home/ada/bin"]);
    }
}
