//! The three pipelines and their ordered steps.
//!
//! The sets are closed. A step belongs to exactly one pipeline; any other combination of pipeline and step name is
//! refused before it reaches a database.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::proposal::Persona;

/// The kind of work of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pipeline {
    /// Reads, interprets and indexes a document.
    Document,
    /// Expands an idea and reviews it by five personas.
    Proposal,
    /// Reads and summarises a web page.
    Link,
}

impl Pipeline {
    /// All pipelines.
    pub const ALL: [Self; 3] = [Self::Document, Self::Proposal, Self::Link];

    /// The name that is stored and that the API shows.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Document => "document",
            Self::Proposal => "proposal",
            Self::Link => "link",
        }
    }

    /// The pipeline of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|pipeline| pipeline.as_str() == name).ok_or_else(|| UnknownName {
            what: "pipeline",
            name: name.to_owned(),
            known: "document, proposal, link".to_owned(),
        })
    }

    /// All steps of this pipeline, in order.
    pub fn steps(self) -> &'static [StepName] {
        use StepName as S;
        match self {
            Self::Document => &[S::Extraction, S::Interpretation, S::Embedding],
            Self::Proposal => &[
                S::Expand,
                S::ReviewArchitect,
                S::ReviewCritic,
                S::ReviewOptimist,
                S::ReviewSecurity,
                S::ReviewUserAdvocate,
                S::AggregateDecision,
            ],
            Self::Link => &[S::LinkExtraction, S::LinkSummarization],
        }
    }

    /// The step of this pipeline with exactly that name.
    pub fn step(self, name: &str) -> Result<StepName, UnknownName> {
        self.steps().iter().copied().find(|step| step.as_str() == name).ok_or_else(|| UnknownName {
            what: "step",
            name: name.to_owned(),
            known: self.steps().iter().map(|step| step.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One step of one pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // The names are the documentation.
pub enum StepName {
    Extraction,
    Interpretation,
    Embedding,
    Expand,
    ReviewArchitect,
    ReviewCritic,
    ReviewOptimist,
    ReviewSecurity,
    ReviewUserAdvocate,
    AggregateDecision,
    LinkExtraction,
    LinkSummarization,
}

impl StepName {
    /// The name that is stored and that the API shows. It is unique across pipelines.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Extraction => "EXTRACTION",
            Self::Interpretation => "INTERPRETATION",
            Self::Embedding => "EMBEDDING",
            Self::Expand => "expand",
            Self::ReviewArchitect => "review_architect",
            Self::ReviewCritic => "review_critic",
            Self::ReviewOptimist => "review_optimist",
            Self::ReviewSecurity => "review_security",
            Self::ReviewUserAdvocate => "review_user_advocate",
            Self::AggregateDecision => "aggregate_decision",
            Self::LinkExtraction => "extraction",
            Self::LinkSummarization => "summarization",
        }
    }

    /// The pipeline of the step.
    pub fn pipeline(self) -> Pipeline {
        match self {
            Self::Extraction | Self::Interpretation | Self::Embedding => Pipeline::Document,
            Self::LinkExtraction | Self::LinkSummarization => Pipeline::Link,
            _ => Pipeline::Proposal,
        }
    }

    /// Whether neither of the two steps needs what the other one makes, so that they may run side by side.
    pub fn may_run_beside(self, other: Self) -> bool {
        Persona::of_step(self).is_some() && Persona::of_step(other).is_some()
    }

    /// The position of the step in its pipeline, from 0.
    pub fn order(self) -> u8 {
        let place = self.pipeline().steps().iter().position(|step| *step == self);
        // Every step is in the list of its pipeline, which a test checks, and lists are short.
        place.map_or(0, |place| u8::try_from(place).unwrap_or(u8::MAX))
    }
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for StepName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for StepName {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Pipeline::ALL.iter().find_map(|pipeline| pipeline.step(&name).ok()).ok_or_else(|| {
            serde::de::Error::custom(UnknownName {
                what: "step",
                name,
                known: "see each pipeline".to_owned(),
            })
        })
    }
}

/// A name that is not in a closed set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {name:?}; use one of: {known}")]
pub struct UnknownName {
    /// What was named, such as `role`.
    pub what: &'static str,
    /// The unknown name.
    pub name: String,
    /// The names that exist.
    pub known: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves R041, R138: the sets are closed and ordered.
    #[test]
    fn each_pipeline_has_exactly_its_steps_in_order_and_refuses_others() {
        let names = |pipeline: Pipeline| -> Vec<_> { pipeline.steps().iter().map(|s| s.as_str()).collect() };
        assert_eq!(names(Pipeline::Document), ["EXTRACTION", "INTERPRETATION", "EMBEDDING"]);
        assert_eq!(
            names(Pipeline::Proposal),
            [
                "expand",
                "review_architect",
                "review_critic",
                "review_optimist",
                "review_security",
                "review_user_advocate",
                "aggregate_decision"
            ]
        );
        assert_eq!(names(Pipeline::Link), ["extraction", "summarization"]);
        for pipeline in Pipeline::ALL {
            for (place, step) in pipeline.steps().iter().enumerate() {
                assert_eq!(usize::from(step.order()), place);
                assert_eq!(step.pipeline(), pipeline);
                assert_eq!(pipeline.step(step.as_str()), Ok(*step));
            }
        }
        for wrong in ["extraction", "Extraction", "expand", "", "EXTRACTION "] {
            let refused = Pipeline::Document.step(wrong).unwrap_err();
            assert!(refused.to_string().contains("EXTRACTION, INTERPRETATION"), "{refused}");
        }
        assert!(Pipeline::Proposal.step("invalid_step").is_err());
        assert!(Pipeline::parse("documents").is_err());
    }
}
