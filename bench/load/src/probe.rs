//! What the kernel knows of the server: its processor time and its memory.

use std::{fs, io, time::Duration};

use crate::Result;

/// User and system time of all threads of a process, past ones too, in nanoseconds: `/proc/PID/stat` has the
/// same sum but counts in ticks of 10 ms.
#[allow(unsafe_code, reason = "no safe crate offers the clock of another process")]
pub(crate) fn cpu_time(pid: u32) -> Result<Duration> {
    let pid = libc::pid_t::try_from(pid)?;
    let mut clock: libc::clockid_t = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both calls only write to the locals they are given.
    let error = unsafe { libc::clock_getcpuclockid(pid, &raw mut clock) };
    if error != 0 {
        return Err(
            format!("no processor time of process {pid}: {}", io::Error::from_raw_os_error(error)).into()
        );
    }
    // SAFETY: as above.
    if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return Err(format!("no processor time of process {pid}: {}", io::Error::last_os_error()).into());
    }
    Ok(Duration::new(time.tv_sec.try_into()?, time.tv_nsec.try_into()?))
}

#[derive(Clone, Copy)]
pub(crate) enum Memory {
    Resident,
    PeakResident,
}

pub(crate) fn memory_kib(pid: u32, memory: Memory) -> Result<f64> {
    let path = format!("/proc/{pid}/status");
    let status = fs::read_to_string(&path).map_err(|error| format!("cannot read {path}: {error}"))?;
    let name = match memory {
        Memory::Resident => "VmRSS:",
        Memory::PeakResident => "VmHWM:",
    };
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib =
        line.and_then(|line| line.trim().strip_suffix("kB")).ok_or_else(|| format!("no {name} in {path}"))?;
    Ok(kib.trim().parse()?)
}

/// The size of the program the process runs.
pub(crate) fn binary_bytes(pid: u32) -> Result<f64> {
    let path = format!("/proc/{pid}/exe");
    let program = fs::metadata(&path).map_err(|error| format!("cannot read {path}: {error}"))?;
    Ok(program.len() as f64)
}
