//! A process gives up what it does not need, for good: memory beyond a limit, files, the network, nearly every system
//! call. Whatever takes it over afterwards can compute, answer on the streams it was given, and nothing else.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// What holds a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Its address space is limited.
    pub memory: bool,
    /// The kernel keeps it from files and the network (Landlock).
    pub landlock: bool,
    /// The kernel ends it on any system call that computing does not need (seccomp).
    pub seccomp: bool,
}

/// Limits memory and what a process leaves behind: no core, which would hold the document; no file at all.
pub fn limit_memory(memory: u64) -> io::Result<()> {
    for (resource, most) in [(Resource::As, memory), (Resource::Core, 0), (Resource::Fsize, 0)] {
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?;
    }
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

/// Lets the process use so many more seconds of processor time before the kernel ends it.
pub fn limit_cpu_time(seconds: u64) -> io::Result<()> {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime).tv_sec;
    let until = u64::try_from(used).unwrap_or_default().saturating_add(seconds).saturating_add(1);
    // Only the soft limit: the next document is allowed its own time.
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

    /// The newest rules that are asked for; older kernels hold what they know of them.
    const LANDLOCK_ABI: ABI = ABI::V6;

    /// Takes all files and the network from this thread and those it starts, but for reading and executing what is
    /// below these folders. True if the kernel can.
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

    /// What a process needs that only computes, allocates and talks on open streams, and what the runtime does when it
    /// ends or aborts.
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

    /// From now on, on every thread, the kernel ends this process on any other system call. True if the kernel can.
    pub fn allow_only_computing() -> bool {
        let mut allowed: Calls = ALLOWED_CALLS.iter().map(|call| (*call, Vec::new())).collect();
        // Its own limits and signals to itself are part of computing; those of other processes are not.
        let (Some(own_limits), Some(own_signals)) =
            (if_first_argument(SeccompCmpOp::Eq, 0), if_first_argument(SeccompCmpOp::Eq, pid()))
        else {
            return false;
        };
        allowed.insert(libc::SYS_prlimit64, own_limits);
        allowed.insert(libc::SYS_tgkill, own_signals);
        apply(allowed, SeccompAction::KillProcess, SeccompAction::Allow)
    }

    /// What reaches the network or another process.
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

    /// From now on this process and those it becomes cannot reach the network or other processes; asking is answered
    /// with an error. True if the kernel can.
    pub fn deny_network_and_processes() -> bool {
        let mut denied: Calls = DENIED_CALLS.iter().map(|call| (*call, Vec::new())).collect();
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

    /// System calls, each with the conditions under which it is meant; without any, always.
    type Calls = BTreeMap<libc::c_long, Vec<SeccompRule>>;

    /// That the first argument, a process, compares so.
    fn if_first_argument(comparison: SeccompCmpOp, process: u64) -> Option<Vec<SeccompRule>> {
        let condition = SeccompCondition::new(0, SeccompCmpArgLen::Dword, comparison, process).ok()?;
        Some(vec![SeccompRule::new(vec![condition]).ok()?])
    }

    fn pid() -> u64 {
        std::process::id().into()
    }

    fn apply(calls: Calls, others: SeccompAction, these: SeccompAction) -> bool {
        let Ok(machine) = std::env::consts::ARCH.try_into() else { return false };
        let filter = SeccompFilter::new(calls, others, these, machine);
        let program = filter.and_then(BpfProgram::try_from);
        program.is_ok_and(|program| seccompiler::apply_filter_all_threads(&program).is_ok())
    }
}

/// Other systems have other means; none is used yet, and the server says so at its start.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    /// Not here.
    pub fn deny_files(_: &[&std::path::Path]) -> bool {
        false
    }
    /// Not here.
    pub fn allow_only_computing() -> bool {
        false
    }
    /// Not here.
    pub fn deny_network() -> bool {
        false
    }
}
#[cfg(not(target_os = "linux"))]
pub use elsewhere::{allow_only_computing, deny_files, deny_network};
