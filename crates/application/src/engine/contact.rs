//! For how long the store has answered this engine without a break. After a silence of the store all leases have expired,
//! although no worker died: nobody could renew one. So an engine judges the leases of others only after it was in contact
//! for a whole lease term, in which every worker that is alive has renewed its lease.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use quire_ports::ExpiredLeaseAction;

use super::settings::LeaseSettings;

/// After this many failed heartbeats the engine counts as disconnected.
const MAX_MISSED_HEARTBEATS: u32 = 3;

pub(super) struct StoreContact {
    lease: LeaseSettings,
    heartbeat: Duration,
    state: Mutex<ContactState>,
}

struct ContactState {
    /// When the contact began. None since a heartbeat got no answer.
    since: Option<Timestamp>,
    /// The last answer.
    last: Timestamp,
    /// The same on the clock of this machine.
    last_instant: Instant,
}

impl StoreContact {
    pub(super) fn new(lease: LeaseSettings, heartbeat: Duration, now: Timestamp) -> Self {
        let state = ContactState { since: None, last: now, last_instant: Instant::now() };
        Self { lease, heartbeat, state: Mutex::new(state) }
    }

    /// Notes that the store has answered a heartbeat.
    pub(super) fn answered(&self, now: Timestamp) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.since.is_none() || self.is_break(state.last, now) {
            state.since = Some(now);
        }
        state.last = now;
        state.last_instant = Instant::now();
    }

    /// Notes that the store did not answer a heartbeat.
    pub(super) fn lost(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).since = None;
    }

    /// What this engine may do now with leases that have expired.
    pub(super) fn expired_leases(&self, now: Timestamp) -> ExpiredLeaseAction {
        let LeaseSettings::Renewed { term } = self.lease else {
            // The lock on the file beside the database proves that no other worker is alive.
            return ExpiredLeaseAction::End;
        };
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.since {
            Some(since) if !self.is_break(state.last, now) && now.duration_since(since) >= term => {
                ExpiredLeaseAction::End
            }
            _ => ExpiredLeaseAction::Leave,
        }
    }

    /// Whether so much time between two answers means that the store was silent, or this process was not awake. A
    /// silence that can make a lease expire is longer than this.
    fn is_break(&self, earlier: Timestamp, later: Timestamp) -> bool {
        let slack = self.lease.renewal_timeout().unwrap_or_default() / 2;
        let longest = SignedDuration::try_from(self.heartbeat + slack).unwrap_or(SignedDuration::MAX);
        later.duration_since(earlier) > longest
    }

    /// Whether the store has answered a heartbeat lately.
    pub(super) fn is_connected(&self) -> bool {
        let last = self.state.lock().unwrap_or_else(PoisonError::into_inner).last_instant;
        last.elapsed() <= self.heartbeat * MAX_MISSED_HEARTBEATS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_900_000_000 + second).unwrap()
    }

    fn contact(term: i64) -> StoreContact {
        let lease = LeaseSettings::Renewed { term: SignedDuration::from_secs(term) };
        StoreContact::new(lease, Duration::from_secs(5), at(0))
    }

    /// The first second in which leases are judged, if the store answers at these seconds.
    fn judged_from(contact: &StoreContact, answers: &[i64]) -> Option<i64> {
        (0..100).find(|second| {
            if answers.contains(second) {
                contact.answered(at(*second));
            }
            contact.expired_leases(at(*second)) == ExpiredLeaseAction::End
        })
    }

    #[test]
    fn leases_are_judged_after_a_whole_term_of_contact() {
        assert_eq!(judged_from(&contact(15), &[0, 5, 10, 15, 20]), Some(15));
        assert_eq!(judged_from(&contact(15), &[0, 5, 14, 19, 24, 29]), Some(29), "9 s without an answer");
        assert_eq!(judged_from(&contact(15), &[0, 5]), None, "no answer since");
    }

    #[test]
    fn a_heartbeat_without_an_answer_begins_the_term_anew() {
        let contact = contact(15);
        for second in [0, 5, 10] {
            contact.answered(at(second));
        }
        contact.lost();
        assert_eq!(judged_from(&contact, &[11, 16, 21, 26]), Some(26));
    }

    #[test]
    fn a_process_that_holds_the_lock_on_the_file_judges_at_once() {
        let contact = StoreContact::new(LeaseSettings::Exclusive, Duration::from_secs(5), at(0));
        assert_eq!(contact.expired_leases(at(0)), ExpiredLeaseAction::End);
    }
}
