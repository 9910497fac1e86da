//! Unix: modes, owners, process groups, signals.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use rustix::fs::{Mode, OFlags};
use rustix::process::{
    DumpableBehavior, Pid, Resource, Rlimit, Signal, geteuid, kill_process_group, set_dumpable_behavior,
    setrlimit, umask,
};
use tokio::process::{Child, Command};

use super::{NotPrivate, StickyBit};

#[cfg(target_os = "linux")]
pub(crate) use super::fence::Fence;

/// Where programs are looked for when nothing says so.
pub(crate) const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Where the folders of commands are. Anybody can put something there, so commands can read nothing else in it: many programs
/// look for their configuration, and git for its hooks, in all folders above the one they run in.
pub(crate) const TEMPORARY: Option<&str> = Some("/tmp");

/// Why there is no such place.
pub(crate) const WHY_NOT: &str = "there is no folder for it";

/// Keeps other processes of this user from reading this one's memory, keeps its memory out of core dumps, and makes every
/// file it creates private. What the operating system refuses is left as it is: there is no more to be done about it.
pub fn harden_process() {
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    umask(Mode::from_raw_mode(0o077));
}

/// Asks the operating system to keep the memory of a value out of the swap space, as far as this user may have it so. It
/// stays so until the process ends: the pages may hold other keys, and unlocking one value would unlock those.
#[allow(unsafe_code, reason = "a call of the operating system about memory")]
pub(crate) fn keep_out_of_swap<T>(value: &T) {
    let start = std::ptr::from_ref(value).cast_mut().cast();
    // SAFETY: the range is that of a live value. Locking changes nothing that a program can see in its memory.
    let _ = unsafe { rustix::mm::mlock(start, size_of::<T>()) };
}

fn custom(flags: OFlags) -> i32 {
    i32::try_from(flags.bits()).unwrap_or_default()
}

/// Opens a file to read. A pipe would keep us waiting for somebody to write.
pub(crate) fn open_waiting_for_nobody(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(custom(OFlags::NONBLOCK)).open(path)
}

/// The same, if it is no link.
pub(crate) fn open_unlinked(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(custom(OFlags::NONBLOCK | OFlags::NOFOLLOW)).open(path)
}

/// Opens a file that is only there to be locked, or makes it: neither a pipe, which would keep us waiting, nor a link to
/// somewhere else.
pub(crate) fn open_lock(path: &Path) -> io::Result<File> {
    let flags = custom(OFlags::NONBLOCK | OFlags::NOFOLLOW);
    OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(path)
}

/// What keeps a file from being as private as ssh wants its keys.
pub(crate) fn check_private(file: &File) -> io::Result<Option<NotPrivate>> {
    let found = file.metadata()?;
    if found.uid() != geteuid().as_raw() {
        return Ok(Some(NotPrivate::Foreign(found.uid().to_string())));
    }
    Ok((found.mode() & 0o077 != 0).then(|| NotPrivate::Loose {
        found: format!("mode {:04o}", found.mode() & 0o7777),
        remedy: "run `chmod 600` on it",
    }))
}

/// Where programs keep what must not be lost and is no data, below the home folder.
pub(crate) fn state_folder(path: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    path("HOME").map(|home| home.join(".local/state/deskmate"))
}

/// The value of an environment variable.
#[allow(clippy::unnecessary_wraps, reason = "not every system takes all bytes")]
pub(crate) fn variable_value(bytes: &[u8]) -> Option<OsString> {
    Some(OsStr::from_bytes(bytes).to_owned())
}

pub(crate) fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file() && about.mode() & 0o111 != 0)
}

/// Whether somebody besides this user and root can change a file or a folder.
pub(crate) fn others_can_change(place: &Path, sticky: StickyBit) -> io::Result<bool> {
    let about = fs::metadata(place)?;
    let foreign = ![0, geteuid().as_raw()].contains(&about.uid());
    // The group of root is trusted as root is: package managers leave folders writable to it.
    let by_group = about.mode() & 0o020 != 0 && about.gid() != 0;
    let open = by_group || about.mode() & 0o002 != 0;
    let kept = sticky == StickyBit::Helps && about.is_dir() && about.mode() & 0o1000 != 0;
    Ok(foreign || (open && !kept))
}

/// Whether somebody besides this user and root can put something else in the place of a file, or into a folder.
pub(crate) fn others_can_replace(place: &Path) -> io::Result<bool> {
    others_can_change(place, StickyBit::Not)
}

/// Whether this user may do everything.
pub(crate) fn is_administrator() -> bool {
    geteuid().is_root()
}

/// Whether something belongs to root, and nobody else can write to it.
pub(crate) fn belongs_to_administrator(about: &fs::Metadata) -> bool {
    about.uid() == 0 && about.mode() & 0o022 == 0
}

/// Makes a folder for this user alone.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Whether [`make_folder`] made it, for this user.
pub(crate) fn is_our_folder(about: &fs::Metadata) -> bool {
    about.uid() == geteuid().as_raw() && about.mode() & 0o7777 == 0o700
}

/// The signal that ended a process.
pub(crate) fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Makes a command ready: it has a session of its own, calls itself by the name it was asked for, and closes the fence around
/// itself before it becomes the program.
pub(crate) fn prepare(command: &mut Command, name: &str, fence: Option<Fence>) {
    command.arg0(name);
    confine(command);
    if let Some(fence) = fence {
        close(command, fence);
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the only way to do something between fork and exec")]
fn close(command: &mut Command, mut fence: Fence) {
    // SAFETY: everything was made ready before the fork; closing the fence is a handful of system calls.
    unsafe {
        command.pre_exec(move || fence.close());
    }
}

/// Elsewhere there is nothing to fence with.
#[cfg(not(target_os = "linux"))]
pub(crate) enum Fence {}

#[cfg(not(target_os = "linux"))]
impl Fence {
    pub(crate) fn new(_: &Path, _: &Path, _: super::Open<'_>) -> Result<Fence, crate::child::Unconfined> {
        Err(crate::child::Unconfined::NotSupported("it is not Linux".to_owned()))
    }
}

#[cfg(not(target_os = "linux"))]
fn close(_: &mut Command, fence: Fence) {
    match fence {}
}

/// What the new process does to itself before it becomes the program.
#[allow(unsafe_code, reason = "the only way to do something between fork and exec")]
fn confine(command: &mut Command) {
    let prepare = || {
        // A session of its own is a process group of its own, and has no terminal: what it prints goes through us, and it
        // cannot type into the terminal we were started from.
        rustix::process::setsid()?;
        // A core file would have the secrets in it.
        setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
        #[cfg(target_os = "linux")]
        {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // Ours are closed on exec already; those of libraries may not be. Kernels before 5.11 do not have the call.
            // SAFETY: the call takes three numbers and touches no memory.
            unsafe {
                libc::syscall(libc::SYS_close_range, 3_u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
            }
        }
        Ok(())
    };
    // SAFETY: between fork and exec only calls are made that are safe there: system calls, without allocation or
    // locks.
    unsafe {
        command.pre_exec(prepare);
    }
}

/// The process group of a command. It is killed while the command, if only as a zombie, still holds its number: later the
/// number might be somebody else's.
pub(crate) struct Group(Option<Pid>);

impl Group {
    #[allow(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
    pub(crate) fn of(child: &Child) -> io::Result<Group> {
        Ok(Group(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw)))
    }

    pub(crate) fn end(&mut self) {
        if let Some(group) = self.0.take() {
            // It may be gone already, which is as well.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

/// Resolves when the command has ended, and if possible before anybody has collected it.
pub(crate) async fn exited(child: &mut Child) {
    #[cfg(target_os = "linux")]
    if let Some(id) = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw)
        && let Ok(handle) = rustix::process::pidfd_open(id, rustix::process::PidfdFlags::NONBLOCK)
        && let Ok(handle) = watched(handle)
        && handle.readable().await.is_ok()
    {
        return;
    }
    // The result is kept, and given again to whoever waits next.
    let _ = child.wait().await;
}

/// Lets the runtime tell when a process handle becomes readable, which is when the process ends.
#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "the runtime wants a promise about the descriptor")]
fn watched(handle: std::os::fd::OwnedFd) -> io::Result<tokio::io::unix::AsyncFd<std::os::fd::OwnedFd>> {
    use tokio::io::unix::AsyncFd;
    // SAFETY: the descriptor is owned by what watches it, so it is open, and the same, for as long as it is watched.
    unsafe { AsyncFd::register_with_interest(handle, tokio::io::Interest::READABLE).map_err(Into::into) }
}
