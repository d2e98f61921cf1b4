//! The events of lanes.

use jiff::Timestamp;
use quire_domain::{Event, EventType, LaneClosing, LaneName};

pub(super) fn lane_closed(lane: &LaneName, closing: &LaneClosing, at: Timestamp) -> Event {
    Event {
        delay_ms: u64::try_from(closing.until.duration_since(at).as_millis()).ok(),
        reason: Some(closing.reason.clone()),
        ..event(EventType::LaneClosed, lane, at)
    }
}

pub(super) fn lane_paused(lane: &LaneName, actor: &str, at: Timestamp) -> Event {
    Event { actor: Some(actor.to_owned()), ..event(EventType::LanePaused, lane, at) }
}

pub(super) fn lane_resumed(lane: &LaneName, actor: &str, at: Timestamp) -> Event {
    Event { actor: Some(actor.to_owned()), ..event(EventType::LaneResumed, lane, at) }
}

fn event(event_type: EventType, lane: &LaneName, at: Timestamp) -> Event {
    Event { lane: Some(lane.clone()), ..Event::new(event_type, at) }
}
