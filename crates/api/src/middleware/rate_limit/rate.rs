//! A token bucket per client: full at first, refilled evenly, and stored as one time per client.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const MINUTE: Duration = Duration::from_mins(1);
/// Clients remembered at once, so that many addresses cannot fill the memory.
const MAX_CLIENTS: usize = 10_000;

/// The decision about one request. Times are from now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RateDecision {
    /// Requests per minute.
    pub(super) limit: u64,
    /// Requests that could follow at once.
    pub(super) remaining: u64,
    /// Until the bucket is full again.
    pub(super) reset: Duration,
    /// Until a retry helps, if this request is refused.
    pub(super) wait: Option<Duration>,
}

/// A number of requests or bytes per minute for each client. All times are since one moment of the caller's choice.
pub(super) struct Rate {
    limit: u64,
    /// When the bucket of each client will be full again.
    full_at: Mutex<HashMap<String, Duration>>,
}

impl Rate {
    /// That many per minute, at least one.
    pub(super) fn per_minute(limit: u64) -> Self {
        Self { limit: limit.max(1), full_at: Mutex::default() }
    }

    /// Takes one token of that client, if there is one.
    pub(super) fn take(&self, client: &str, now: Duration) -> RateDecision {
        let mut clients = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let each = self.time_of(1);
        let missing = clients.get(client).map_or(Duration::ZERO, |full_at| full_at.saturating_sub(now));
        let after = missing + each;
        if after > MINUTE {
            return self.decision(missing, Some(after.saturating_sub(MINUTE)));
        }
        remember(&mut clients, client, now, after);
        self.decision(after, None)
    }

    /// Takes that many tokens of that client, even if it has fewer: it has to wait afterwards.
    pub(super) fn charge(&self, client: &str, now: Duration, count: u64) {
        let mut clients = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = clients.get(client).map_or(Duration::ZERO, |full_at| full_at.saturating_sub(now));
        remember(&mut clients, client, now, missing.saturating_add(self.time_of(count)));
    }

    /// The time in which that many tokens are refilled.
    fn time_of(&self, count: u64) -> Duration {
        let nanoseconds = MINUTE.as_nanos() * u128::from(count) / u128::from(self.limit);
        Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
    }

    /// How long that client has to wait for a token. Takes none.
    pub(super) fn wait(&self, client: &str, now: Duration) -> Option<Duration> {
        let clients = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = clients.get(client).map_or(Duration::ZERO, |full_at| full_at.saturating_sub(now));
        Some((missing + self.time_of(1)).saturating_sub(MINUTE)).filter(|wait| !wait.is_zero())
    }

    fn decision(&self, reset: Duration, wait: Option<Duration>) -> RateDecision {
        let each = self.time_of(1).as_nanos().max(1);
        let remaining = MINUTE.saturating_sub(reset).as_nanos() / each;
        RateDecision {
            limit: self.limit,
            remaining: u64::try_from(remaining).unwrap_or(self.limit).min(self.limit),
            reset,
            wait,
        }
    }
}

/// Stores what a client has used.
fn remember(clients: &mut HashMap<String, Duration>, client: &str, now: Duration, missing: Duration) {
    if clients.len() >= MAX_CLIENTS && !clients.contains_key(client) {
        make_room(clients, now);
    }
    clients.insert(client.to_owned(), now.saturating_add(missing));
}

/// Forgets clients with a full bucket, or else the client that is nearest to one.
fn make_room(clients: &mut HashMap<String, Duration>, now: Duration) {
    clients.retain(|_, full_at| *full_at > now);
    if clients.len() < MAX_CLIENTS {
        return;
    }
    let nearest = clients.iter().min_by_key(|(_, full_at)| **full_at).map(|(client, _)| client.clone());
    nearest.and_then(|client| clients.remove(&client));
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(1000);

    fn seconds(count: u64) -> Duration {
        START + Duration::from_secs(count)
    }

    /// Proves R078 for the count.
    #[test]
    fn a_full_bucket_allows_a_burst_and_then_refills_evenly() {
        let rate = Rate::per_minute(10);
        for left in (0..10).rev() {
            let decision = rate.take("a", START);
            assert_eq!((decision.limit, decision.remaining, decision.wait), (10, left, None));
        }
        let refused = rate.take("a", START);
        assert_eq!((refused.remaining, refused.wait), (0, Some(Duration::from_secs(6))));
        assert_eq!(refused.reset, Duration::from_mins(1));
        assert_eq!(rate.take("b", START).wait, None, "others have theirs");
        assert_eq!(rate.take("a", seconds(5)).wait, Some(Duration::from_secs(1)), "refusals cost nothing");
        assert_eq!(rate.take("a", seconds(6)).wait, None);
        assert!(rate.take("a", seconds(6)).wait.is_some());
        assert_eq!(rate.take("a", seconds(66)).remaining, 9, "after a minute it is full");
    }

    #[test]
    fn looking_at_a_bucket_takes_nothing() {
        let rate = Rate::per_minute(2);
        for _ in 0..10 {
            assert_eq!(rate.wait("a", START), None);
        }
        for _ in 0..2 {
            assert_eq!(rate.wait("a", START), None);
            rate.take("a", START);
        }
        assert_eq!(rate.wait("a", START), Some(Duration::from_secs(30)));
        assert_eq!(rate.wait("a", START), rate.take("a", START).wait);
        assert_eq!(rate.wait("a", seconds(30)), None);
    }

    #[test]
    fn limits_that_do_not_divide_a_minute_hold_too() {
        for limit in [1, 7, 13, 1000] {
            let rate = Rate::per_minute(limit);
            let taken = (0..=limit).filter(|_| rate.take("a", START).wait.is_none()).count();
            assert_eq!(u64::try_from(taken), Ok(limit));
            let wait = rate.take("a", START).wait.unwrap();
            assert_eq!(rate.take("a", START + wait).wait, None, "a client that waits as told is admitted");
        }
    }

    #[test]
    fn bytes_are_charged_as_they_pass_and_debts_are_paid_by_waiting() {
        let megabytes = Rate::per_minute(100 << 20);
        megabytes.charge("a", START, 60 << 20);
        assert_eq!(megabytes.wait("a", START), None);
        megabytes.charge("a", START, 90 << 20);
        let wait = megabytes.wait("a", START).unwrap();
        assert!((Duration::from_secs(30)..Duration::from_secs(31)).contains(&wait), "{wait:?}");
        assert_eq!(megabytes.wait("b", START), None);
        assert_eq!(megabytes.wait("a", START + wait), None);
    }

    #[test]
    fn the_number_of_remembered_clients_is_limited_and_busy_ones_stay() {
        let rate = Rate::per_minute(2);
        for _ in 0..2 {
            rate.take("busy", START);
        }
        for client in 0..MAX_CLIENTS + 100 {
            rate.take(&client.to_string(), START);
        }
        assert!(rate.full_at.lock().unwrap().len() <= MAX_CLIENTS);
        assert!(rate.take("busy", START).wait.is_some(), "its limit is not forgotten");
        rate.take("later", seconds(60));
        assert_eq!(rate.full_at.lock().unwrap().len(), 1, "those with full buckets are");
    }
}
