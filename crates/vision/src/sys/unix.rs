//! Unix: modes, descriptors, limits.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::child::Input;

/// What the program that takes videos apart is called.
pub(crate) const FFMPEG: &str = "ffmpeg";

pub(crate) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
}

/// What other programs get of our environment: nothing.
pub(crate) fn environment() -> Vec<(&'static str, OsString)> {
    Vec::new()
}

/// A video for another program to read: a file without a name. A program cannot be given a path that was checked, for it would
/// look again.
pub(crate) struct Kept(File);

impl Kept {
    pub(crate) fn new(video: &[u8]) -> io::Result<Kept> {
        files::unnamed(video).map(Kept)
    }

    /// What the program gets as its input.
    pub(crate) fn input(&self) -> io::Result<Input<'static>> {
        self.0.try_clone().map(Input::File)
    }

    /// Where the program finds it.
    #[allow(clippy::unused_self, reason = "other systems have a name for it")]
    pub(crate) fn name(&self) -> OsString {
        "file:/dev/stdin".into()
    }
}

/// Where other programs run.
pub(crate) fn folder_for(_: &Path) -> &Path {
    Path::new("/")
}

/// Takes from this process what drawing a page does not need. What a system does not know cannot be taken.
#[cfg(feature = "pdf")]
#[allow(clippy::unnecessary_wraps, reason = "on other systems it can fail")]
pub(crate) fn confine(memory: u64, seconds: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let limits = [
        (Resource::As, memory),
        (Resource::Cpu, seconds),
        (Resource::Core, 0),
        (Resource::Fsize, 0),
        (Resource::Nofile, 3),
        (Resource::Nproc, 0),
    ];
    for (resource, most) in limits {
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
    Ok(())
}
