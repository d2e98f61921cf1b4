//! The pages of those who govern: what edits suggest about schemas, what was decided, the versions that came of it, and how
//! far confidence can be trusted. Nothing of them stands on the pages of others.

pub(crate) mod candidates;
mod change;
mod curve;
pub(crate) mod reliability;
pub(crate) mod schemas;
pub(crate) mod trail;

use quire_application::{App, events};

use super::frame::{Frame, Part, Place};
use super::visitor::Visitor;
use crate::ApiError;

/// The furthest place of a list.
const FURTHEST: u32 = 100_000;

/// Where the parts before and after this one are, if there are any.
struct Paging {
    before: Option<String>,
    after: Option<String>,
}

impl Paging {
    /// Of a list of which so many are passed over and so many shown; `from` is the address of the part from there.
    fn of(skip: u32, shown: u32, has_more: bool, from: impl Fn(u32) -> String) -> Self {
        Self {
            before: (skip > 0).then(|| from(skip.saturating_sub(shown))),
            after: (has_more && skip + shown <= FURTHEST).then(|| from(skip + shown)),
        }
    }
}

/// Where each of them is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sheet {
    Candidates,
    Schemas,
    Trail,
    Reliability,
}

/// The way from one to the others.
fn sheets(current: Sheet) -> Vec<Place> {
    let all = [
        (Sheet::Candidates, "/app/governance", "governance.candidates"),
        (Sheet::Schemas, "/app/governance/schemas", "governance.schemas"),
        (Sheet::Trail, "/app/governance/trail", "governance.trail"),
        (Sheet::Reliability, "/app/governance/reliability", "governance.reliability"),
    ];
    all.into_iter().map(|(sheet, href, word)| Place { href, word, is_current: sheet == current }).collect()
}

async fn framed(app: &App, visitor: Visitor) -> Result<Frame, ApiError> {
    let newest = events::newest(app).await?;
    Ok(Frame::new(visitor, Part::Governance, &["governance"], newest))
}

/// An address with those of these parameters that say something.
fn address(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters.iter().filter(|(_, value)| !value.is_empty()));
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_only_what_was_chosen() {
        assert_eq!(address("/a", &[("b", ""), ("c", "")]), "/a");
        assert_eq!(address("/a", &[("b", "x y"), ("c", ""), ("d", "1&2")]), "/a?b=x+y&d=1%262");
    }
}
