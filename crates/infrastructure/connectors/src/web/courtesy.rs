//! Requests to one host are spaced, so that a long list of links is no burden to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::robots::Robots;

/// A longer wait than this is left to the caller, who then holds nothing.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// How long the rules of a site are kept.
const ROBOTS_LIFETIME: Duration = Duration::from_hours(1);
/// With more hosts than this, those that were not asked for a while are forgotten.
const MAX_HOSTS: usize = 10_000;

/// When a request may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// After this short wait. The turn is taken.
    After(Duration),
    /// Not before this time has passed. The caller asks again then.
    Later(Duration),
}

/// What is known about the hosts that were asked.
#[derive(Default)]
pub(super) struct Courtesy {
    hosts: Mutex<HashMap<String, Lane>>,
    sites: Mutex<HashMap<String, Site>>,
}

/// The queue of one host.
struct Lane {
    /// When its next request may be sent.
    next: Instant,
    /// The time that the last caller was told who has to come later.
    told: Instant,
}

/// The rules of one site.
struct Site {
    robots: Arc<OnceCell<Robots>>,
    since: Instant,
}

impl Courtesy {
    /// The turn of a request to a host.
    pub(super) fn turn(&self, host: &str, interval: Duration, now: Instant) -> Turn {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() > MAX_HOSTS {
            hosts.retain(|_, lane| lane.next.max(lane.told) > now);
        }
        let lane = hosts.entry(host.to_owned()).or_insert(Lane { next: now, told: now });
        let at = lane.next.max(now);
        if at.duration_since(now) <= MAX_WAIT {
            lane.next = at + interval;
            return Turn::After(at.duration_since(now));
        }
        // Callers who come later get a time each, so that they do not all come back at once.
        lane.told = lane.told.max(at) + interval;
        Turn::Later((lane.told - interval).max(at).duration_since(now))
    }

    /// Where the rules of a site are kept, and fetched once.
    pub(super) fn robots(&self, site: &str, now: Instant) -> Arc<OnceCell<Robots>> {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if sites.len() > MAX_HOSTS {
            sites.retain(|_, site| now.duration_since(site.since) < ROBOTS_LIFETIME);
        }
        let site =
            sites.entry(site.to_owned()).or_insert_with(|| Site { robots: Arc::default(), since: now });
        if now.duration_since(site.since) >= ROBOTS_LIFETIME {
            *site = Site { robots: Arc::default(), since: now };
        }
        site.robots.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn requests_to_one_host_are_spaced_and_the_others_get_a_time_each() {
        let (courtesy, now) = (Courtesy::default(), Instant::now());
        let second = Duration::from_secs(1);
        let turn = |host: &str, now| courtesy.turn(host, second, now);
        let turns: Vec<Turn> = (0..6).map(|_| turn("a", now)).collect();
        let seconds = |number| Duration::from_secs(number);
        assert_eq!(
            turns,
            [
                Turn::After(seconds(0)),
                Turn::After(seconds(1)),
                Turn::After(seconds(2)),
                Turn::Later(seconds(3)),
                Turn::Later(seconds(4)),
                Turn::Later(seconds(5)),
            ]
        );
        assert_eq!(turn("b", now), Turn::After(Duration::ZERO), "another host");
        assert_eq!(turn("a", now + seconds(3)), Turn::After(Duration::ZERO), "its time has come");
        assert_eq!(turn("a", now + seconds(60)), Turn::After(Duration::ZERO));
        assert_eq!(courtesy.turn("c", Duration::ZERO, now), Turn::After(Duration::ZERO));
        assert_eq!(courtesy.turn("c", Duration::ZERO, now), Turn::After(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn the_rules_of_a_site_are_kept_for_an_hour() {
        let (courtesy, now) = (Courtesy::default(), Instant::now());
        let first = courtesy.robots("https://a", now);
        assert!(Arc::ptr_eq(&first, &courtesy.robots("https://a", now + Duration::from_secs(3599))));
        assert!(!Arc::ptr_eq(&first, &courtesy.robots("http://a", now)));
        assert!(!Arc::ptr_eq(&first, &courtesy.robots("https://a", now + ROBOTS_LIFETIME)));
    }
}
