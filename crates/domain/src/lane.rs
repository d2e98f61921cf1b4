//! Lanes: what work shares that is scarce, such as a language model, text recognition or a host.
//!
//! A lane limits how many calls are made at once. It can be closed until a time, because a provider asked for that, and
//! an operator can pause it. A run that finds its lane full, closed or paused waits in the queue and holds nothing. A
//! pipeline is a lane too: while it is paused, none of its runs is claimed.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::pipeline::Pipeline;
use crate::reading::Extractor;

/// The longest name, in bytes.
const MAX_LENGTH: usize = 120;
/// How the names of the lanes of hosts begin.
const HOST: &str = "host:";

/// The name of a lane: its kind, and which one of that kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LaneName(Arc<str>);

/// A text that is not the name of a lane.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a lane; lanes are ocr, indexing, document_intelligence, model:NAME, host:NAME and pipeline:NAME"
)]
pub struct NotALane(pub String);

impl LaneName {
    /// The lane of text recognition.
    pub fn ocr() -> Self {
        Self("ocr".into())
    }

    /// The lane in which the documents that were processed before the index existed are indexed, and all are embedded again after a change of the model. No run waits in it.
    pub fn indexing() -> Self {
        Self("indexing".into())
    }

    /// The lane of Azure Document Intelligence.
    pub fn document_intelligence() -> Self {
        Self(Extractor::DocumentIntelligence.as_str().into())
    }

    /// The lane of a language model's endpoint.
    pub fn model(endpoint: &str) -> Result<Self, NotALane> {
        Self::parse(&format!("model:{endpoint}"))
    }

    /// The lane of a host, by its name or address. Very long names with the same end share a lane.
    pub fn host(host: &str) -> Self {
        let plain: String = host
            .trim_matches(['[', ']', '.'])
            .chars()
            .map(|char| if char.is_ascii_alphanumeric() || "._-".contains(char) { char } else { '-' })
            .map(|char| char.to_ascii_lowercase())
            .collect();
        let longest = MAX_LENGTH - HOST.len();
        let end = &plain[plain.len().saturating_sub(longest)..];
        Self(format!("{HOST}{}", if end.is_empty() { "-" } else { end }).into())
    }

    /// Whether it is the lane of a host. There are as many of these as links name hosts, so they are listed only while they
    /// are closed or paused, or while runs wait in them.
    pub fn is_host(&self) -> bool {
        self.0.starts_with(HOST)
    }

    /// The lane of all runs of a pipeline.
    pub fn pipeline(pipeline: Pipeline) -> Self {
        Self(format!("pipeline:{pipeline}").into())
    }

    /// Whether runs of the pipeline may wait in it.
    pub fn may_serve(&self, pipeline: Pipeline) -> bool {
        match self.0.split_once(':') {
            // A link may lead to a scan.
            None if &*self.0 == "ocr" => matches!(pipeline, Pipeline::Document | Pipeline::Link),
            None if &*self.0 == "indexing" => false,
            None => pipeline == Pipeline::Document,
            Some(("host", _)) => pipeline == Pipeline::Link,
            Some(("pipeline", name)) => pipeline.as_str() == name,
            Some(_) => true,
        }
    }

    /// The lane of that name.
    pub fn parse(name: &str) -> Result<Self, NotALane> {
        let is_valid = match name.split_once(':') {
            None => ["ocr", "indexing", Extractor::DocumentIntelligence.as_str()].contains(&name),
            Some(("model" | "host", which)) => is_plain(which),
            Some(("pipeline", which)) => Pipeline::parse(which).is_ok(),
            Some(_) => false,
        };
        if is_valid && name.len() <= MAX_LENGTH {
            Ok(Self(name.into()))
        } else {
            Err(NotALane(name.to_owned()))
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_plain(which: &str) -> bool {
    !which.is_empty() && which.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

impl fmt::Display for LaneName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<LaneName> for String {
    fn from(name: LaneName) -> Self {
        name.0.as_ref().to_owned()
    }
}

impl TryFrom<String> for LaneName {
    type Error = NotALane;

    fn try_from(name: String) -> Result<Self, NotALane> {
        Self::parse(&name)
    }
}

/// A lane as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Its name.
    pub name: LaneName,
    /// Set after a provider asked to wait.
    pub closed: Option<LaneClosing>,
    /// Set while an operator pauses it.
    pub paused: Option<LanePause>,
}

/// Why a lane is closed, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneClosing {
    /// When it opens by itself.
    pub until: Timestamp,
    /// Why, for people.
    pub reason: String,
}

/// Who paused a lane, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanePause {
    /// When.
    pub at: Timestamp,
    /// The name of the credential.
    pub by: String,
}

/// Whether calls may be made in a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneState {
    /// They may.
    Open,
    /// Not before this time.
    Closed {
        /// The time.
        until: Timestamp,
    },
    /// Not before an operator resumes it.
    Paused,
}

impl LaneState {
    /// The name for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Closed { .. } => "CLOSED",
            Self::Paused => "PAUSED",
        }
    }
}

impl Lane {
    /// A lane that is open.
    pub fn open(name: LaneName) -> Self {
        Self { name, closed: None, paused: None }
    }

    /// Its state at that time.
    pub fn state(&self, now: Timestamp) -> LaneState {
        match (&self.paused, self.closing(now)) {
            (Some(_), _) => LaneState::Paused,
            (None, Some(closing)) => LaneState::Closed { until: closing.until },
            (None, None) => LaneState::Open,
        }
    }

    /// Why it is closed and until when, if that time has not passed.
    pub fn closing(&self, now: Timestamp) -> Option<&LaneClosing> {
        self.closed.as_ref().filter(|closing| closing.until > now)
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    #[test]
    fn a_lane_is_named_by_its_kind_and_which_one_it_is() {
        for name in
            ["ocr", "indexing", "model:openai", "model:local-2.x", "host:example.com", "pipeline:document"]
        {
            assert_eq!(LaneName::parse(name).unwrap().as_str(), name);
        }
        let long = format!("host:{}", "x".repeat(200));
        for name in
            ["", "ocr:", "ocr:1", "model", "model:", "model:a b", "host:a/b", "pipeline:x", "gpu:1", &long]
        {
            assert!(LaneName::parse(name).is_err(), "{name}");
        }
        for (host, name) in [
            ("Example.com.", "host:example.com"),
            ("[2001:db8::1]", "host:2001-db8--1"),
            ("127.0.0.1", "host:127.0.0.1"),
            ("", "host:-"),
        ] {
            assert_eq!(LaneName::host(host).as_str(), name);
        }
        let long = LaneName::host(&format!("{}.example.com", "x".repeat(200)));
        assert_eq!(LaneName::parse(long.as_str()).as_ref(), Ok(&long));
        assert!(long.is_host() && !LaneName::ocr().is_host());
        assert_eq!(LaneName::pipeline(Pipeline::Link), LaneName::parse("pipeline:link").unwrap());
        assert!(serde_json::from_str::<LaneName>("\"gpu\"").is_err());
    }

    #[test]
    fn a_closed_lane_opens_at_its_time_and_a_paused_one_when_it_is_resumed() {
        let now = Timestamp::UNIX_EPOCH;
        let until = now + SignedDuration::from_secs(5);
        let mut lane = Lane::open(LaneName::ocr());
        assert_eq!(lane.state(now), LaneState::Open);
        lane.closed = Some(LaneClosing { until, reason: "429".to_owned() });
        assert_eq!(lane.state(now), LaneState::Closed { until });
        assert_eq!((lane.state(until), lane.closing(until)), (LaneState::Open, None));
        lane.paused = Some(LanePause { at: now, by: "ana".to_owned() });
        assert_eq!(lane.state(until), LaneState::Paused);
    }
}
