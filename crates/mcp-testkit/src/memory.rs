//! How much memory a process holds, as the kernel counts it.

/// The memory of a process at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// Bytes held now.
    pub resident: u64,
    /// The most bytes ever held at once.
    pub peak: u64,
}

impl Memory {
    /// Reads what `/proc` says about a running process.
    pub fn of(pid: u32) -> Memory {
        let path = format!("/proc/{pid}/status");
        let status = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            let kibibytes = line.and_then(|value| value.trim().strip_suffix(" kB")?.parse::<u64>().ok());
            kibibytes.unwrap_or_else(|| panic!("{path} has no `{name}`")) * 1024
        };
        Memory { resident: bytes("VmRSS"), peak: bytes("VmHWM") }
    }
}
