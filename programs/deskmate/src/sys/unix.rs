//! Unix: `exec`, `statvfs`, modes, sockets.

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use rustix::fs::{Access, access, statvfs};

/// What the program that takes videos apart is called.
pub(crate) const FFMPEG: &str = "ffmpeg";

/// Becomes another program; on success it never comes back.
pub(crate) fn run_instead(command: &mut Command) -> io::Result<ExitCode> {
    Err(command.exec())
}

/// What this user may still write to the disk a folder is on.
pub(crate) fn free_bytes(folder: &Path) -> io::Result<u64> {
    let found = statvfs(folder)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

pub(crate) fn is_writable_folder(folder: &Path) -> bool {
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// A path as one word of a command that a person copies.
fn for_a_shell(path: impl Display) -> String {
    let path = path.to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%~".contains(c);
    if path.chars().all(is_plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// How a folder becomes this user's again.
pub(crate) fn give_back(folder: impl Display) -> String {
    format!("give it back with `sudo chown -R \"$USER\" {}`", for_a_shell(folder))
}

/// How a folder can be written to again.
pub(crate) fn make_writable(folder: impl Display) -> String {
    format!("run `chmod u+rwx {}`", for_a_shell(folder))
}

/// How others are kept out of a folder.
pub(crate) fn close_to_others(folder: impl Display) -> String {
    format!("run `chmod go-rwx {}`", for_a_shell(folder))
}

/// How others are kept out of a folder and all that is in it.
pub(crate) fn close_all_to_others(folder: impl Display) -> String {
    format!("run `chmod -R go-rwx {}`", for_a_shell(folder))
}

/// Looks whether there is a socket, without going near whoever made it.
pub(crate) fn look_at(socket: &Path) -> io::Result<()> {
    fs::symlink_metadata(socket).map(drop)
}

/// Where programs of this user keep what can be made again.
pub(crate) fn cache_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    variable("HOME").map(|home| home.join(".cache"))
}

/// Looks whether somebody answers at a socket.
pub(crate) fn connect(socket: &Path) -> io::Result<()> {
    UnixStream::connect(socket).map(drop)
}

/// Tells systemd, if it started us and waits for that, that we serve now. Then `systemctl start` knows whether it worked.
pub(crate) fn tell_manager(socket: Option<&OsStr>) -> io::Result<()> {
    let Some(name) = socket else { return Ok(()) };
    let datagram = UnixDatagram::unbound()?;
    match name.as_bytes().strip_prefix(b"@") {
        Some(hidden) => datagram.connect_addr(&hidden_address(hidden)?)?,
        None => datagram.connect(name)?,
    }
    datagram.send(b"READY=1").map(drop)
}

/// A socket that is no file; Linux alone has such.
#[cfg(target_os = "linux")]
fn hidden_address(name: &[u8]) -> io::Result<SocketAddr> {
    use std::os::linux::net::SocketAddrExt;

    SocketAddr::from_abstract_name(name)
}

#[cfg(not(target_os = "linux"))]
fn hidden_address(_: &[u8]) -> io::Result<SocketAddr> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_in_a_command_is_one_word() {
        assert_eq!(close_to_others("/home/ada/.local"), "run `chmod go-rwx /home/ada/.local`");
        assert_eq!(close_to_others("/home/ada b; x"), "run `chmod go-rwx '/home/ada b; x'`");
        assert_eq!(make_writable("/home/o'hara"), r"run `chmod u+rwx '/home/o'\''hara'`");
    }
}
