//! System calls that a command is refused, because Landlock knows nothing of what they do.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// Attributes of files: a value could be left in one, anywhere.
const ATTRIBUTES: [libc::c_long; 4] =
    [libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_fsetxattr, SYS_SETXATTRAT];

/// Newer than the list of numbers that we have, and the same on all systems.
const SYS_SETXATTRAT: libc::c_long = 463;

/// What is put into a ring is done by the kernel without asking any of these filters.
const RINGS: [libc::c_long; 1] = [libc::SYS_io_uring_setup];

/// Sockets of every kind, those of other programs on this machine too, and what else programs tell each other something by: also
/// what others have made already, by its number.
const TALKING: [libc::c_long; 16] = [
    libc::SYS_socket,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
];

/// Kernels that know the x32 ABI take every call by this number, too.
const X32: libc::c_long = 0x4000_0000;

/// When a call is refused; without any, always.
type Rules = Vec<SeccompRule>;

/// The filters for a command that may use the network, or not.
pub(super) fn filters(network: bool) -> Result<Vec<BpfProgram>, BackendError> {
    let always = |call: &libc::c_long| (*call, Rules::new());
    let attributes = refuse(ATTRIBUTES.iter().map(always), libc::EOPNOTSUPP)?;
    let rings = refuse(RINGS.iter().map(always), libc::ENOSYS)?;
    let mut filters = vec![attributes, rings];
    if !network {
        let pairs = (libc::SYS_socketpair, open_pairs()?);
        filters.push(refuse(TALKING.iter().map(always).chain([pairs]), libc::EACCES)?);
    }
    Ok(filters)
}

/// Pairs of sockets that talk to others than each other. Those of streams cannot, and many programs use them; but what is put
/// into one for datagrams goes wherever it is addressed to.
fn open_pairs() -> Result<Rules, BackendError> {
    let argument = |number, operator, value| {
        SeccompRule::new(vec![SeccompCondition::new(number, SeccompCmpArgLen::Dword, operator, value)?])
    };
    // The other bits are flags.
    let kinds = (0..16).filter(|kind| ![STREAM, PACKETS].contains(kind));
    let mut rules: Rules =
        kinds.map(|kind| argument(1, SeccompCmpOp::MaskedEq(0xf), kind)).collect::<Result<_, _>>()?;
    rules.push(argument(0, SeccompCmpOp::Ne, LOCAL)?);
    Ok(rules)
}

/// `AF_UNIX`, `SOCK_STREAM` and `SOCK_SEQPACKET`.
const LOCAL: u64 = 1;
const STREAM: u64 = 1;
const PACKETS: u64 = 5;

fn refuse(
    calls: impl Iterator<Item = (libc::c_long, Rules)>,
    with: libc::c_int,
) -> Result<BpfProgram, BackendError> {
    let mut rules: BTreeMap<i64, Rules> = BTreeMap::new();
    for (call, when) in calls {
        if cfg!(target_arch = "x86_64") {
            rules.insert(call | X32, when.clone());
        }
        rules.insert(call, when);
    }
    let action = SeccompAction::Errno(u32::try_from(with).unwrap_or(13));
    SeccompFilter::new(rules, SeccompAction::Allow, action, std::env::consts::ARCH.try_into()?)?.try_into()
}
