//! Requests to one host are spaced, so that a long list of links is no burden to it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::robots::Robots;

/// A request that comes by this part of the interval too early is sent: the clock of the queue is another one.
const EARLY_PART: u32 = 10;
/// How long the rules of a site are kept.
const ROBOTS_LIFETIME: Duration = Duration::from_hours(1);
/// With more hosts than this, those that were not asked for a while are forgotten.
const MAX_HOSTS: usize = 10_000;

/// When a request may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestTime {
    /// Now. The time is taken.
    Now,
    /// Not before this time has passed. The caller asks again then, and holds nothing meanwhile.
    Later(Duration),
}

/// What is known about the hosts that were asked.
#[derive(Default)]
pub(super) struct HostSpacing {
    hosts: Mutex<HashMap<String, HostQueue>>,
    sites: Mutex<HashMap<String, Site>>,
}

/// The queue of one host.
struct HostQueue {
    /// When its next request may be sent.
    next: Instant,
    /// The time that was promised to the last caller who has to come later.
    last_promised: Instant,
}

/// The rules of one site.
struct Site {
    robots: Arc<OnceCell<Robots>>,
    since: Instant,
}

impl HostSpacing {
    /// The time of a request to a host.
    pub(super) fn request_time(&self, host: &str, interval: Duration, now: Instant) -> RequestTime {
        self.with_queue(host, now, |queue| {
            let at = queue.next.max(now);
            if at.duration_since(now) <= interval / EARLY_PART {
                queue.next = at + interval;
                return RequestTime::Now;
            }
            // Callers who come later get a time each, so that they do not all come back at once.
            let promised = queue.last_promised.max(at);
            queue.last_promised = promised + interval;
            RequestTime::Later(promised.duration_since(now))
        })
    }

    /// Counts a request that follows a redirect. It is sent at once: a run that went back to the queue for it would begin with
    /// the first address again. The next request to the host comes so much later.
    pub(super) fn count(&self, host: &str, interval: Duration, now: Instant) {
        self.with_queue(host, now, |queue| queue.next = queue.next.max(now) + interval);
    }

    fn with_queue<T>(&self, host: &str, now: Instant, change: impl FnOnce(&mut HostQueue) -> T) -> T {
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() > MAX_HOSTS {
            hosts.retain(|_, queue| queue.next.max(queue.last_promised) > now);
        }
        change(hosts.entry(host.to_owned()).or_insert(HostQueue { next: now, last_promised: now }))
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

    /// Proves E60: a call that comes too early is told a time, and nobody sleeps.
    #[tokio::test(start_paused = true)]
    async fn requests_to_one_host_are_spaced_and_whoever_is_early_gets_a_time_of_its_own() {
        let (spacing, now) = (HostSpacing::default(), Instant::now());
        let seconds = Duration::from_secs;
        let slot = |host: &str, now| spacing.request_time(host, seconds(1), now);
        let slots: Vec<RequestTime> = (0..4).map(|_| slot("a", now)).collect();
        assert_eq!(
            slots,
            [
                RequestTime::Now,
                RequestTime::Later(seconds(1)),
                RequestTime::Later(seconds(2)),
                RequestTime::Later(seconds(3)),
            ]
        );
        assert_eq!(slot("b", now), RequestTime::Now, "another host");
        let early = Duration::from_millis(950);
        for later in [early, seconds(2), seconds(3)] {
            assert_eq!(slot("a", now + later), RequestTime::Now, "its time has come: {later:?}");
        }
        assert_eq!(slot("a", now + seconds(60)), RequestTime::Now);
        assert_eq!(spacing.request_time("c", Duration::ZERO, now), RequestTime::Now);
        assert_eq!(spacing.request_time("c", Duration::ZERO, now), RequestTime::Now);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_after_a_redirect_is_sent_at_once_and_moves_the_next_one() {
        let (spacing, now) = (HostSpacing::default(), Instant::now());
        let second = Duration::from_secs(1);
        assert_eq!(spacing.request_time("a", second, now), RequestTime::Now);
        spacing.count("a", second, now);
        assert_eq!(spacing.request_time("a", second, now), RequestTime::Later(2 * second));
    }

    #[tokio::test(start_paused = true)]
    async fn the_rules_of_a_site_are_kept_for_an_hour() {
        let (spacing, now) = (HostSpacing::default(), Instant::now());
        let first = spacing.robots("https://a", now);
        assert!(Arc::ptr_eq(&first, &spacing.robots("https://a", now + Duration::from_secs(3599))));
        assert!(!Arc::ptr_eq(&first, &spacing.robots("http://a", now)));
        assert!(!Arc::ptr_eq(&first, &spacing.robots("https://a", now + ROBOTS_LIFETIME)));
    }
}
