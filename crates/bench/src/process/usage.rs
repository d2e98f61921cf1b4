//! What a process and all that it starts use of the machine, as the kernel counts it.

use std::collections::HashMap;
use std::thread::available_parallelism;
use std::time::Instant;

/// The kernel counts in hundredths of a second, whatever it uses itself.
const TICKS: f64 = 100.0;

/// What it used in all.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// By the clock.
    pub seconds: f64,
    /// Of cores, by the process and all that it started.
    pub work: f64,
    /// Resident memory of the process itself, at most.
    pub main_mb: f64,
    /// And with all that it started.
    pub tree_mb: f64,
    /// Seconds of cores in which nobody did anything.
    idle: f64,
}

impl Usage {
    /// How much of the cores it used, in percent.
    pub fn own(&self) -> f64 {
        self.work / (self.seconds * cores()) * 100.0
    }

    /// How much of the cores anybody used meanwhile.
    pub fn busy(&self) -> f64 {
        (1.0 - self.idle / (self.seconds * cores())).max(0.0) * 100.0
    }
}

fn cores() -> f64 {
    available_parallelism().map_or(1, usize::from) as f64
}

/// Looks at a process and its descendants from time to time.
pub struct Meter {
    process: u32,
    began: Instant,
    idle_before: f64,
    /// What each was last seen to have used; those that ended count as well.
    work: HashMap<u32, f64>,
    main_mb: f64,
    tree_mb: f64,
}

impl Meter {
    pub fn start(process: u32) -> Self {
        Self {
            process,
            began: Instant::now(),
            idle_before: idle(),
            work: HashMap::new(),
            main_mb: 0.0,
            tree_mb: 0.0,
        }
    }

    pub fn look(&mut self) {
        let seen: HashMap<u32, Seen> = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter_map(|id| Some((id, Seen::of(id)?)))
            .collect();
        let mut tree_mb = 0.0;
        for (id, one) in &seen {
            if !descends(&seen, *id, self.process) {
                continue;
            }
            self.work.insert(*id, one.work);
            tree_mb += one.resident_mb;
            if *id == self.process {
                self.main_mb = self.main_mb.max(one.resident_mb);
            }
        }
        self.tree_mb = self.tree_mb.max(tree_mb);
    }

    pub fn stop(self) -> Usage {
        Usage {
            seconds: self.began.elapsed().as_secs_f64(),
            work: self.work.values().sum(),
            main_mb: self.main_mb,
            tree_mb: self.tree_mb,
            idle: idle() - self.idle_before,
        }
    }
}

/// A process at one moment.
struct Seen {
    parent: u32,
    work: f64,
    resident_mb: f64,
}

impl Seen {
    /// Of one that has not ended meanwhile.
    fn of(id: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // The name before it may have anything in it.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |place: usize| fields.get(place)?.parse::<f64>().ok();
        let pages = number(21)?;
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            work: (number(11)? + number(12)?) / TICKS,
            resident_mb: pages * 4096.0 / f64::from(1 << 20),
        })
    }
}

fn descends(seen: &HashMap<u32, Seen>, mut id: u32, from: u32) -> bool {
    // Processes come and go while they are listed, so that the way up may be broken, and is never endless.
    for _ in 0..64 {
        if id == from {
            return true;
        }
        match seen.get(&id) {
            Some(one) => id = one.parent,
            None => return false,
        }
    }
    false
}

/// Seconds in which cores had nothing to do, or waited for the disk with nothing else to do.
fn idle() -> f64 {
    let stat = std::fs::read_to_string("/proc/stat").unwrap();
    let all = stat.lines().next().unwrap();
    all.split_whitespace().skip(4).take(2).map(|ticks| ticks.parse::<f64>().unwrap()).sum::<f64>() / TICKS
}
