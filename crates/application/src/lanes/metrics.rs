//! The gauges of lanes.

use jiff::Timestamp;
use quire_domain::{LaneName, LaneState};
use quire_ports::LaneOverview;

/// The lanes of hosts have one gauge together: their names are those of the links that people send.
const HOSTS: &str = "host";

/// Reports how many calls of this process run in a lane. `all` has every lane with its calls.
pub(super) fn report_calls<'a>(
    lane: &LaneName,
    running: u32,
    all: impl Iterator<Item = (&'a LaneName, u32)>,
) {
    let (name, running) = if lane.is_host() {
        (HOSTS, all.filter(|(lane, _)| lane.is_host()).map(|(_, running)| running).sum())
    } else {
        (lane.as_str(), running)
    };
    metrics::gauge!("quire_lane_calls", "lane" => name.to_owned()).set(f64::from(running));
}

/// Reports how many runs wait in each lane, and which lanes are closed or paused.
pub(super) fn report_lanes(lanes: &[LaneOverview], now: Timestamp) {
    let (mut waiting_for_hosts, mut closed_hosts) = (0, 0);
    for LaneOverview { lane, waiting, .. } in lanes {
        let waiting = u32::try_from(*waiting).unwrap_or(u32::MAX);
        let closed = u32::from(lane.state(now) != LaneState::Open);
        if lane.name.is_host() {
            waiting_for_hosts += waiting;
            closed_hosts += closed;
        } else {
            report_lane(lane.name.as_str(), waiting, closed);
        }
    }
    report_lane(HOSTS, waiting_for_hosts, closed_hosts);
}

fn report_lane(name: &str, waiting: u32, closed: u32) {
    metrics::gauge!("quire_lane_waiting", "lane" => name.to_owned()).set(f64::from(waiting));
    metrics::gauge!("quire_lane_closed", "lane" => name.to_owned()).set(f64::from(closed));
}
