//! Measures the CPU time and memory of a process and its descendants, from `/proc`.

use std::collections::HashMap;
use std::thread::available_parallelism;
use std::time::Instant;

/// The unit of CPU times in `/proc`.
const TICKS_PER_SECOND: f64 = 100.0;

/// The usage of a process tree.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Wall clock time, in seconds.
    pub seconds: f64,
    /// CPU time of the process and its descendants.
    pub cpu_seconds: f64,
    /// Peak resident memory of the process itself.
    pub main_mb: f64,
    /// Peak resident memory of the process and its descendants.
    pub tree_mb: f64,
    /// Idle time of all cores, in seconds.
    idle: f64,
}

impl Usage {
    /// The share of all cores that the process tree used, in percent.
    pub fn own_cpu_percent(&self) -> f64 {
        self.cpu_seconds / (self.seconds * cores()) * 100.0
    }

    /// The share of all cores that any process used, in percent.
    pub fn total_cpu_percent(&self) -> f64 {
        (1.0 - self.idle / (self.seconds * cores())).max(0.0) * 100.0
    }
}

fn cores() -> f64 {
    available_parallelism().map_or(1, usize::from) as f64
}

/// Samples a process and its descendants.
pub struct UsageMeter {
    process: u32,
    started: Instant,
    idle_before: f64,
    /// The last known CPU time of each process, including those that ended.
    cpu_seconds: HashMap<u32, f64>,
    main_mb: f64,
    tree_mb: f64,
}

impl UsageMeter {
    pub fn start(process: u32) -> Self {
        Self {
            process,
            started: Instant::now(),
            idle_before: idle(),
            cpu_seconds: HashMap::new(),
            main_mb: 0.0,
            tree_mb: 0.0,
        }
    }

    pub fn sample(&mut self) {
        let processes: HashMap<u32, ProcessSample> = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter_map(|id| Some((id, ProcessSample::of(id)?)))
            .collect();
        let mut tree_mb = 0.0;
        for (id, process) in &processes {
            if !is_descendant(&processes, *id, self.process) {
                continue;
            }
            self.cpu_seconds.insert(*id, process.cpu_seconds);
            tree_mb += process.resident_mb;
            if *id == self.process {
                self.main_mb = self.main_mb.max(process.resident_mb);
            }
        }
        self.tree_mb = self.tree_mb.max(tree_mb);
    }

    /// The CPU time of the process and its descendants so far.
    pub fn cpu_seconds_now(&mut self) -> f64 {
        self.sample();
        self.cpu_seconds.values().sum()
    }

    pub fn stop(self) -> Usage {
        Usage {
            seconds: self.started.elapsed().as_secs_f64(),
            cpu_seconds: self.cpu_seconds.values().sum(),
            main_mb: self.main_mb,
            tree_mb: self.tree_mb,
            idle: idle() - self.idle_before,
        }
    }
}

/// The state of a process at one moment.
struct ProcessSample {
    parent: u32,
    cpu_seconds: f64,
    resident_mb: f64,
}

impl ProcessSample {
    /// `None` if the process has ended meanwhile.
    fn of(id: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The program name in parentheses may contain anything, so parsing starts after it.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<f64>().ok();
        let pages = number(21)?;
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            cpu_seconds: (number(11)? + number(12)?) / TICKS_PER_SECOND,
            resident_mb: pages * 4096.0 / f64::from(1 << 20),
        })
    }
}

fn is_descendant(processes: &HashMap<u32, ProcessSample>, mut id: u32, ancestor: u32) -> bool {
    // Processes start and end while they are listed, so the chain of parents may be broken or, in theory, circular.
    for _ in 0..64 {
        if id == ancestor {
            return true;
        }
        match processes.get(&id) {
            Some(process) => id = process.parent,
            None => return false,
        }
    }
    false
}

/// The idle time of all cores since boot, including waits for the disk, in seconds.
fn idle() -> f64 {
    let stat = std::fs::read_to_string("/proc/stat").unwrap();
    let all = stat.lines().next().unwrap();
    all.split_whitespace().skip(4).take(2).map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>()
        / TICKS_PER_SECOND
}
