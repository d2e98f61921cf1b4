//! Which runs a worker claims.

use std::fmt;
use std::str::FromStr;

use crate::lane::LaneName;
use crate::pipeline::Pipeline;

/// The runs that a worker claims: those of some pipelines, those that wait in some lanes, or all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaimScope {
    /// It claims the runs of these pipelines.
    pub pipelines: Vec<Pipeline>,
    /// It claims the runs that wait in these lanes, because other workers have no permit for them.
    pub lanes: Vec<LaneName>,
}

/// A part of a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopePart {
    /// The runs of a pipeline.
    Pipeline(Pipeline),
    /// The runs that wait in a lane.
    Lane(LaneName),
}

/// A text that names neither a pipeline nor a lane.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is neither a pipeline nor a lane; pipelines are document, proposal and link, lanes are ocr, \
     document_intelligence, model:NAME and host:NAME"
)]
pub struct NotAScope(pub String);

impl FromStr for ScopePart {
    type Err = NotAScope;

    fn from_str(name: &str) -> Result<Self, NotAScope> {
        if let Ok(pipeline) = Pipeline::parse(name.strip_prefix("pipeline:").unwrap_or(name)) {
            return Ok(Self::Pipeline(pipeline));
        }
        // No run waits in the lane of indexing.
        let lane = LaneName::parse(name).ok().filter(|lane| *lane != LaneName::indexing());
        lane.map(Self::Lane).ok_or_else(|| NotAScope(name.to_owned()))
    }
}

impl ClaimScope {
    /// The runs of one pipeline.
    pub fn of_pipeline(pipeline: Pipeline) -> Self {
        Self { pipelines: vec![pipeline], lanes: Vec::new() }
    }

    /// Everything that the parts name. Without any, all runs.
    pub fn of_parts(parts: impl IntoIterator<Item = ScopePart>) -> Self {
        let mut scope = Self::default();
        for part in parts {
            match part {
                ScopePart::Pipeline(pipeline) => scope.pipelines.push(pipeline),
                ScopePart::Lane(lane) => scope.lanes.push(lane),
            }
        }
        scope
    }

    /// The scope of this text, as [`fmt::Display`] writes it.
    pub fn parse(text: &str) -> Result<Self, NotAScope> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(str::parse).collect::<Result<Vec<_>, _>>().map(Self::of_parts)
    }

    /// Whether it has all runs.
    pub fn is_everything(&self) -> bool {
        self.pipelines.is_empty() && self.lanes.is_empty()
    }

    /// Whether every run of the pipeline is claimed.
    pub fn claims(&self, pipeline: Pipeline) -> bool {
        self.is_everything() || self.pipelines.contains(&pipeline)
    }

    /// Whether some run of the pipeline may be claimed.
    pub fn executes(&self, pipeline: Pipeline) -> bool {
        self.claims(pipeline) || self.lanes.iter().any(|lane| lane.may_serve(pipeline))
    }

    /// Whether the worker claims runs that wait in the lane once they are woken. Another worker leaves them asleep.
    pub fn wakes(&self, lane: &LaneName) -> bool {
        Pipeline::ALL.into_iter().any(|pipeline| self.claims(pipeline) && lane.may_serve(pipeline))
    }
}

impl fmt::Display for ClaimScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pipelines = self.pipelines.iter().map(|pipeline| pipeline.as_str());
        let names: Vec<&str> = pipelines.chain(self.lanes.iter().map(LaneName::as_str)).collect();
        f.write_str(&names.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_read_as_it_is_written() {
        for text in ["", "document", "link,proposal", "document,ocr,model:openai"] {
            assert_eq!(ClaimScope::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(ClaimScope::parse("pipeline:link").unwrap(), ClaimScope::of_pipeline(Pipeline::Link));
        let refused = ClaimScope::parse("document,everything").unwrap_err().to_string();
        assert!(
            refused.contains("everything") && refused.contains("document, proposal and link"),
            "{refused}"
        );
    }

    #[test]
    fn a_worker_claims_its_pipelines_and_what_waits_in_its_lanes() {
        let all = ClaimScope::default();
        assert!(Pipeline::ALL.into_iter().all(|pipeline| all.claims(pipeline) && all.executes(pipeline)));
        assert!(all.wakes(&LaneName::ocr()));
        let links = ClaimScope::of_pipeline(Pipeline::Link);
        assert!(links.claims(Pipeline::Link) && !links.executes(Pipeline::Document));
        // It could not claim a document that it woke.
        assert!(!links.wakes(&LaneName::document_intelligence()));
        assert!(links.wakes(&LaneName::ocr()) && links.wakes(&LaneName::host("example.com")));
        assert!(ClaimScope::parse("indexing").is_err(), "no run waits there");
        let ocr = ClaimScope::parse("ocr").unwrap();
        assert!(!ocr.claims(Pipeline::Document) && ocr.executes(Pipeline::Document));
        assert!(ocr.executes(Pipeline::Link) && !ocr.executes(Pipeline::Proposal));
        assert!(!ocr.wakes(&LaneName::ocr()));
    }
}
