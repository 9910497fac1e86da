//! What a process that holds secrets does first.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit, umask};

/// Keeps other processes of this user from reading this one's memory, keeps its memory out of core dumps, and makes every
/// file it creates private. What the operating system refuses is left as it is: there is no more to be done about it.
pub fn harden_process() {
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    umask(rustix::fs::Mode::from_raw_mode(0o077));
}
