//! What a process that holds secrets does first.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit, umask};

/// Keeps other processes of this user from reading this one's memory, keeps its memory out of core dumps, and makes every
/// file it creates private. What the operating system refuses is left as it is: there is no more to be done about it.
pub fn harden_process() {
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// Asks the operating system to keep the memory of a value out of the swap space, as far as this user may have it so. It
/// stays so until the process ends: the pages may hold other keys, and unlocking one value would unlock those.
#[allow(unsafe_code, reason = "a call of the operating system about memory")]
pub(crate) fn keep_out_of_swap<T>(value: &T) {
    let start = std::ptr::from_ref(value).cast_mut().cast();
    // SAFETY: the range is that of a live value. Locking changes nothing that a program can see in its memory.
    let _ = unsafe { rustix::mm::mlock(start, size_of::<T>()) };
}
