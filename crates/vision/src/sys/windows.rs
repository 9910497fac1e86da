//! Windows: names, private files, jobs.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::child::Input;

/// What the program that takes videos apart is called.
pub(crate) const FFMPEG: &str = "ffmpeg.exe";

pub(crate) fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// What other programs get of our environment: where Windows is, without which not even the random numbers work.
pub(crate) fn environment() -> Vec<(&'static str, OsString)> {
    std::env::var_os("SystemRoot").map(|folder| ("SystemRoot", folder)).into_iter().collect()
}

/// A video for another program to read: a file for this user alone, removed when this is dropped. A file without a name could not be
/// opened by the other program.
pub(crate) struct Kept(PathBuf);

impl Kept {
    pub(crate) fn new(video: &[u8]) -> io::Result<Kept> {
        let path = std::env::temp_dir().join(files::random_name());
        let mut file = files::create_private(&path)?;
        // From here on, dropping it takes the file away.
        let kept = Kept(path);
        file.write_all(video)?;
        Ok(kept)
    }

    /// What the program gets as its input: nothing.
    #[allow(clippy::unused_self, clippy::unnecessary_wraps, reason = "other systems hand the file over")]
    pub(crate) fn input(&self) -> io::Result<Input<'static>> {
        Ok(Input::Bytes(&[]))
    }

    /// Where the program finds it.
    pub(crate) fn name(&self) -> OsString {
        let mut name = OsString::from("file:");
        name.push(&self.0);
        name
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Where other programs run: in their own folder. Windows looks there for libraries anyway, and would look in any other, too.
pub(crate) fn folder_for(program: &Path) -> &Path {
    program.parent().unwrap_or(program)
}

/// Takes from this process what drawing a page does not need: most of the memory, time, and other processes. It is put into a job of
/// its own, which ends with it.
#[cfg(feature = "pdf")]
#[allow(unsafe_code, reason = "system calls that have no safe form")]
pub(crate) fn confine(memory: u64, seconds: u64) -> io::Result<()> {
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
        JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_PROCESS_MEMORY,
        JOB_OBJECT_LIMIT_PROCESS_TIME, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
        JobObjectExtendedLimitInformation, SetInformationJobObject,
    };
    use windows_sys::Win32::System::Threading::GetCurrentProcess;

    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_PROCESS_MEMORY
        | JOB_OBJECT_LIMIT_PROCESS_TIME
        | JOB_OBJECT_LIMIT_ACTIVE_PROCESS
        | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    // In units of 100 ns.
    limits.BasicLimitInformation.PerProcessUserTimeLimit =
        i64::try_from(seconds.saturating_mul(10_000_000)).unwrap_or(i64::MAX);
    limits.BasicLimitInformation.ActiveProcessLimit = 1;
    limits.ProcessMemoryLimit = usize::try_from(memory).unwrap_or(usize::MAX);
    // SAFETY: the structure is what the class asks for. The job's handle stays open until the process ends.
    let is_confined = unsafe {
        let job = CreateJobObjectW(std::ptr::null(), std::ptr::null());
        let size = size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
        let class = JobObjectExtendedLimitInformation;
        !job.is_null()
            && SetInformationJobObject(job, class, (&raw const limits).cast(), size) != 0
            && AssignProcessToJobObject(job, GetCurrentProcess()) != 0
    };
    if is_confined { Ok(()) } else { Err(io::Error::last_os_error()) }
}
