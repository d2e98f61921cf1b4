//! Confines the current process, permanently: limits its memory and time, and denies files, the network and nearly all
//! system calls. An attacker who takes over the process afterwards can only compute and write to its open streams.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// The confinement that is active in a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Whether its address space is limited.
    pub memory: bool,
    /// Whether Landlock denies it files and the network.
    pub landlock: bool,
    /// Whether seccomp kills it on any system call that computing does not need.
    pub seccomp: bool,
}

/// Limits the address space to `memory` bytes. Also forbids core dumps, which would contain the document, and writing
/// files.
pub fn limit_memory(memory: u64) -> io::Result<()> {
    for (resource, limit) in [(Resource::As, memory), (Resource::Core, 0), (Resource::Fsize, 0)] {
        setrlimit(resource, Rlimit { current: Some(limit), maximum: Some(limit) })?;
    }
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

/// Lets the process use this many more seconds of CPU time before the kernel kills it.
pub fn limit_cpu_time(seconds: u64) -> io::Result<()> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).tv_sec;
    let until = u64::try_from(used).unwrap_or_default().saturating_add(seconds).saturating_add(1);
    // Only the soft limit, so that it can be raised for the next document.
    setrlimit(Resource::Cpu, Rlimit { current: Some(until), maximum: None })?;
    Ok(())
}

#[cfg(target_os = "linux")]
pub use linux::{allow_only_computing, deny_network_and_processes, restrict_files};

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;
    use std::path::Path;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
        path_beneath_rules,
    };
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };

    /// The newest Landlock version to use. Older kernels enforce the rules that they know.
    const LANDLOCK_ABI: ABI = ABI::V6;

    /// Denies files and the network to this thread and to the threads it starts, except reading and executing files below
    /// the folders in `except`. Returns whether the kernel enforces it.
    pub fn restrict_files(except: &[&Path]) -> bool {
        let rules = Ruleset::default()
            .handle_access(AccessFs::from_all(LANDLOCK_ABI))
            .and_then(|rules| rules.handle_access(AccessNet::from_all(LANDLOCK_ABI)))
            .and_then(|rules| rules.scope(Scope::from_all(LANDLOCK_ABI)))
            .and_then(Ruleset::create)
            .and_then(|rules| rules.add_rules(path_beneath_rules(except, AccessFs::from_read(LANDLOCK_ABI))))
            .and_then(landlock::RulesetCreated::restrict_self);
        rules.is_ok_and(|status| status.ruleset != RulesetStatus::NotEnforced)
    }

    /// The system calls of a process that only computes, allocates memory and uses open streams, and those that the Rust
    /// runtime makes on exit or abort.
    const ALLOWED_CALLS: &[libc::c_long] = &[
        libc::SYS_read,
        libc::SYS_readv,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_close,
        libc::SYS_futex,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_clock_gettime,
        libc::SYS_getrandom,
        libc::SYS_sched_yield,
        libc::SYS_sigaltstack,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_restart_syscall,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];

    /// Makes the kernel kill this process when any thread makes another system call. Returns whether the kernel enforces
    /// it.
    pub fn allow_only_computing() -> bool {
        let mut allowed: CallRules = ALLOWED_CALLS.iter().map(|call| (*call, Vec::new())).collect();
        // The process may change its own limits and signal itself, but not other processes.
        let (Some(own_limits), Some(own_signals)) =
            (if_first_argument(SeccompCmpOp::Eq, 0), if_first_argument(SeccompCmpOp::Eq, pid()))
        else {
            return false;
        };
        allowed.insert(libc::SYS_prlimit64, own_limits);
        allowed.insert(libc::SYS_tgkill, own_signals);
        apply(allowed, SeccompAction::KillProcess, SeccompAction::Allow)
    }

    /// The system calls that reach the network or another process.
    const DENIED_CALLS: &[libc::c_long] = &[
        libc::SYS_socket,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_io_uring_setup,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_open,
        libc::SYS_pidfd_getfd,
        libc::SYS_pidfd_send_signal,
        libc::SYS_kill,
        libc::SYS_tkill,
        libc::SYS_rt_sigqueueinfo,
        libc::SYS_rt_tgsigqueueinfo,
    ];

    /// Denies this process, and the program it executes, the network and other processes: such calls return an error.
    /// Returns whether the kernel enforces it.
    pub fn deny_network_and_processes() -> bool {
        let mut denied: CallRules = DENIED_CALLS.iter().map(|call| (*call, Vec::new())).collect();
        let (Some(others_limits), Some(others_signals)) =
            (if_first_argument(SeccompCmpOp::Ne, 0), if_first_argument(SeccompCmpOp::Ne, pid()))
        else {
            return false;
        };
        denied.insert(libc::SYS_prlimit64, others_limits);
        denied.insert(libc::SYS_tgkill, others_signals);
        #[allow(clippy::cast_sign_loss)] // An error number is positive.
        let refused = SeccompAction::Errno(libc::EACCES as u32);
        apply(denied, SeccompAction::Allow, refused)
    }

    /// System calls and the conditions under which a rule applies. Without conditions it always applies.
    type CallRules = BTreeMap<libc::c_long, Vec<SeccompRule>>;

    /// The condition that the first argument of a call, a process id, compares this way.
    fn if_first_argument(comparison: SeccompCmpOp, process: u64) -> Option<Vec<SeccompRule>> {
        let condition = SeccompCondition::new(0, SeccompCmpArgLen::Dword, comparison, process).ok()?;
        Some(vec![SeccompRule::new(vec![condition]).ok()?])
    }

    fn pid() -> u64 {
        std::process::id().into()
    }

    fn apply(calls: CallRules, default: SeccompAction, on_match: SeccompAction) -> bool {
        let Ok(arch) = std::env::consts::ARCH.try_into() else { return false };
        let filter = SeccompFilter::new(calls, default, on_match, arch);
        let program = filter.and_then(BpfProgram::try_from);
        program.is_ok_and(|program| seccompiler::apply_filter_all_threads(&program).is_ok())
    }
}

/// Other systems have no confinement yet. The server warns about it at start.
#[cfg(not(target_os = "linux"))]
mod unsupported {
    /// Not supported: returns false.
    pub fn restrict_files(_: &[&std::path::Path]) -> bool {
        false
    }
    /// Not supported: returns false.
    pub fn allow_only_computing() -> bool {
        false
    }
    /// Not supported: returns false.
    pub fn deny_network_and_processes() -> bool {
        false
    }
}
#[cfg(not(target_os = "linux"))]
pub use unsupported::{allow_only_computing, deny_network_and_processes, restrict_files};
