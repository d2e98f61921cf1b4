//! Confines the current process, permanently: limits its memory and time, and denies files, the network and nearly all
//! system calls. An attacker who takes over the process afterwards can only compute and write to its open streams.

use std::io;

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// Whether the kernel enforces a kind of confinement on a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Enforcement {
    /// The kernel does not have it.
    #[default]
    Unsupported,
    /// The kernel enforces it.
    Active,
    /// The kernel has it, but it could not be applied.
    Failed,
}

/// The confinement of a process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Whether its address space is limited.
    pub memory: bool,
    /// Landlock denies it files and the network.
    pub landlock: Enforcement,
    /// Seccomp denies it the system calls that it does not need.
    pub seccomp: Enforcement,
}

/// Which confinement a process must have before it gets a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ConfinementPolicy {
    /// All that the kernel has.
    #[default]
    Supported,
    /// Landlock and seccomp.
    Required,
    /// None. What the kernel has is used if it can be applied.
    Optional,
}

impl Confinement {
    /// Which kinds are not active, and why, for people. Empty if all are.
    pub fn missing(&self) -> String {
        let kinds = [("Landlock", self.landlock), ("seccomp", self.seccomp)];
        let missing = kinds.iter().filter_map(|(name, enforcement)| match enforcement {
            Enforcement::Active => None,
            Enforcement::Unsupported => Some(format!("this kernel has no {name}")),
            Enforcement::Failed => Some(format!("{name} could not be applied")),
        });
        missing.collect::<Vec<_>>().join(" and ")
    }

    /// Whether a process may get a document.
    pub fn satisfies(&self, policy: ConfinementPolicy) -> bool {
        [self.landlock, self.seccomp].iter().all(|enforcement| match policy {
            ConfinementPolicy::Supported => *enforcement != Enforcement::Failed,
            ConfinementPolicy::Required => *enforcement == Enforcement::Active,
            ConfinementPolicy::Optional => true,
        })
    }
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

    use super::Enforcement;

    /// The newest Landlock version to use. Older kernels enforce the rules that they know.
    const LANDLOCK_ABI: ABI = ABI::V6;

    /// Denies files and the network to this thread and to the threads it starts, except reading and executing files below
    /// the folders in `except`.
    pub fn restrict_files(except: &[&Path]) -> Enforcement {
        let rules = Ruleset::default()
            .handle_access(AccessFs::from_all(LANDLOCK_ABI))
            .and_then(|rules| rules.handle_access(AccessNet::from_all(LANDLOCK_ABI)))
            .and_then(|rules| rules.scope(Scope::from_all(LANDLOCK_ABI)))
            .and_then(Ruleset::create)
            .and_then(|rules| rules.add_rules(path_beneath_rules(except, AccessFs::from_read(LANDLOCK_ABI))))
            .and_then(landlock::RulesetCreated::restrict_self);
        match rules.map(|status| status.ruleset) {
            Ok(RulesetStatus::NotEnforced) => Enforcement::Unsupported,
            Ok(_) => Enforcement::Active,
            Err(_) => Enforcement::Failed,
        }
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

    /// Makes the kernel kill this process when any thread makes another system call.
    pub fn allow_only_computing() -> Enforcement {
        let mut allowed: CallRules = ALLOWED_CALLS.iter().map(|call| (*call, Vec::new())).collect();
        // The process may change its own limits and signal itself, but not other processes.
        let (Some(own_limits), Some(own_signals)) =
            (if_first_argument(SeccompCmpOp::Eq, 0), if_first_argument(SeccompCmpOp::Eq, pid()))
        else {
            return Enforcement::Failed;
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
    pub fn deny_network_and_processes() -> Enforcement {
        let mut denied: CallRules = DENIED_CALLS.iter().map(|call| (*call, Vec::new())).collect();
        let (Some(others_limits), Some(others_signals)) =
            (if_first_argument(SeccompCmpOp::Ne, 0), if_first_argument(SeccompCmpOp::Ne, pid()))
        else {
            return Enforcement::Failed;
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

    fn apply(calls: CallRules, default: SeccompAction, on_match: SeccompAction) -> Enforcement {
        let Ok(arch) = std::env::consts::ARCH.try_into() else { return Enforcement::Unsupported };
        let filter = SeccompFilter::new(calls, default, on_match, arch);
        let Ok(program) = filter.and_then(BpfProgram::try_from) else { return Enforcement::Failed };
        match seccompiler::apply_filter_all_threads(&program) {
            Ok(()) => Enforcement::Active,
            // A kernel that was built without seccomp does not know the calls.
            Err(seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error))
                if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EINVAL)) =>
            {
                Enforcement::Unsupported
            }
            Err(_) => Enforcement::Failed,
        }
    }
}

/// Other systems have no confinement yet.
#[cfg(not(target_os = "linux"))]
mod unsupported {
    use super::Enforcement;

    /// Does nothing.
    pub fn restrict_files(_: &[&std::path::Path]) -> Enforcement {
        Enforcement::Unsupported
    }
    /// Does nothing.
    pub fn allow_only_computing() -> Enforcement {
        Enforcement::Unsupported
    }
    /// Does nothing.
    pub fn deny_network_and_processes() -> Enforcement {
        Enforcement::Unsupported
    }
}
#[cfg(not(target_os = "linux"))]
pub use unsupported::{allow_only_computing, deny_network_and_processes, restrict_files};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_decides_which_confinement_is_enough_and_what_is_missing_is_told() {
        use ConfinementPolicy::{Optional, Required, Supported};
        use Enforcement::{Active, Failed, Unsupported};
        let allowed = |landlock, seccomp| {
            let confinement = Confinement { memory: true, landlock, seccomp };
            [Supported, Required, Optional].map(|policy| confinement.satisfies(policy))
        };
        assert_eq!(allowed(Active, Active), [true, true, true]);
        assert_eq!(allowed(Unsupported, Active), [true, false, true]);
        assert_eq!(allowed(Active, Unsupported), [true, false, true]);
        assert_eq!(allowed(Failed, Active), [false, false, true]);
        assert_eq!(allowed(Active, Failed), [false, false, true]);
        let missing = Confinement { memory: true, landlock: Unsupported, seccomp: Failed }.missing();
        assert_eq!(missing, "this kernel has no Landlock and seccomp could not be applied");
        assert_eq!(Confinement { memory: true, landlock: Active, seccomp: Active }.missing(), "");
    }
}
