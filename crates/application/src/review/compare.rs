//! Finds two versions of an interpretation to compare.

use std::str::FromStr;

use quire_domain::{DocumentId, Run, RunId, RunState};
use quire_ports::{InterpretationVersion, PortError, Store};
use quire_understanding::Schema;

use super::view::schema_of;
use crate::{App, Error};

/// The name of a version: `RUN` is its active version, `RUN:3` its third.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionReference {
    /// The run.
    pub run: RunId,
    /// The number of the version; the active one without it.
    pub number: Option<u32>,
}

impl FromStr for VersionReference {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (run, number) = text.split_once(':').map_or((text, None), |(run, number)| (run, Some(number)));
        let parsed: RunId = run.parse().map_err(|_| ())?;
        let number = number.map(|number| number.parse::<u32>().map_err(|_| ())).transpose()?;
        let name = Self { run: parsed, number };
        // Each version has exactly one name, and numbers start at 1.
        if name.to_string() == text && number != Some(0) { Ok(name) } else { Err(()) }
    }
}

impl std::fmt::Display for VersionReference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}", self.run)?;
        self.number.map_or(Ok(()), |number| write!(formatter, ":{number}"))
    }
}

/// Why two versions cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// No run of the document has completed.
    #[error("no run of this document has completed yet; retry when one has")]
    NoCompletedRun,
    /// The document has no such run.
    #[error("this document has no run {0}; GET /documents/ID/processing-history lists its runs")]
    NoSuchRun(RunId),
    /// The run has not completed.
    #[error("run {0} has not completed; compare completed runs")]
    NotCompleted(RunId),
    /// The run has no interpretation.
    #[error("run {0} has no interpretation; compare another, or process the document again")]
    Missing(RunId),
    /// The run has no such version.
    #[error("run {0} has no version {1}; GET /runs/ID/interpretations lists its versions")]
    NoSuchVersion(RunId, u32),
    /// There is no earlier version.
    #[error("there is no earlier version; name one with the parameter from")]
    NothingBefore,
    /// There is no such document, or the database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// Two versions of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedVersions {
    /// The earlier version.
    pub from: InterpretationVersion,
    /// The later version.
    pub to: InterpretationVersion,
    /// The schema of the later version's run.
    pub schema: Schema,
}

/// Finds two versions. By default the later one is the version that a reviewer sees, and the earlier one is the version before
/// it, or else the active version of the previous completed run.
pub async fn versions_to_compare(
    app: &App,
    document: DocumentId,
    from: Option<VersionReference>,
    to: Option<VersionReference>,
) -> Result<ComparedVersions, CompareError> {
    let store = &app.store;
    let review = store.reviews.review(document).await?;
    let (run, to) = if let Some(name) = to {
        find(store, document, name).await?
    } else {
        let run = review.latest_completed_run.ok_or(CompareError::NoCompletedRun)?;
        let active = review.active.ok_or(CompareError::Missing(run.id))?;
        (run, active)
    };
    let from = match from {
        Some(name) => find(store, document, name).await?.1,
        None => before(store, &run, &to).await?.ok_or(CompareError::NothingBefore)?,
    };
    let schema = schema_of(store, &run).await?;
    Ok(ComparedVersions { from, to, schema })
}

async fn find(
    store: &Store,
    document: DocumentId,
    name: VersionReference,
) -> Result<(Run, InterpretationVersion), CompareError> {
    let VersionReference { run: id, number } = name;
    let run = match store.run_reader.run(id).await {
        Ok(run) if run.subject == document.into() => run,
        // A run of another document is reported as missing.
        Ok(_) | Err(PortError::NotFound(_)) => return Err(CompareError::NoSuchRun(id)),
        Err(error) => return Err(error.into()),
    };
    if !matches!(run.state, RunState::Completed { .. }) {
        return Err(CompareError::NotCompleted(id));
    }
    if let Some(version) = store.reviews.version(id, number).await? {
        return Ok((run, version));
    }
    match number {
        Some(number) if store.reviews.version(id, None).await?.is_some() => {
            Err(CompareError::NoSuchVersion(id, number))
        }
        _ => Err(CompareError::Missing(id)),
    }
}

async fn before(
    store: &Store,
    run: &Run,
    version: &InterpretationVersion,
) -> Result<Option<InterpretationVersion>, CompareError> {
    match version.number {
        0 | 1 => Ok(store.reviews.version_of_run_before(run.id).await?),
        number => Ok(store.reviews.version(run.id, Some(number - 1)).await?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_named_in_one_way() {
        let run = RunId::new();
        for (text, number) in
            [(run.to_string(), None), (format!("{run}:1"), Some(1)), (format!("{run}:20"), Some(20))]
        {
            assert_eq!(text.parse(), Ok(VersionReference { run, number }));
        }
        for wrong in ["", ":", "1", ":1", "x:1"].map(str::to_owned).into_iter().chain(
            [":", ":0", ":01", ":+1", ":-1", ":1:1", ": 1", ":4294967296"].map(|end| format!("{run}{end}")),
        ) {
            assert!(wrong.parse::<VersionReference>().is_err(), "{wrong}");
        }
        assert!(run.to_string().to_uppercase().parse::<VersionReference>().is_err());
    }
}
