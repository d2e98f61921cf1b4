//! The pages for governors: suggested changes of schemas, decisions, schema versions, and the reliability of confidence. Other
//! visitors do not see them.

pub(crate) mod candidates;
mod change;
mod curve;
pub(crate) mod reliability;
pub(crate) mod schemas;
pub(crate) mod trail;

use quire_application::{App, events};

use super::frame::{Frame, Link, NavigationItem};
use super::visitor::Visitor;
use crate::ApiError;

/// The largest offset.
const MAX_OFFSET: u32 = 100_000;

/// The addresses of the previous and the next page.
struct Paging {
    before: Option<String>,
    after: Option<String>,
}

impl Paging {
    /// The paging of a list; `from` is the address of the page at an offset.
    fn of(skip: u32, shown: u32, has_more: bool, from: impl Fn(u32) -> String) -> Self {
        Self {
            before: (skip > 0).then(|| from(skip.saturating_sub(shown))),
            after: (has_more && skip + shown <= MAX_OFFSET).then(|| from(skip + shown)),
        }
    }
}

/// A tab of the governance pages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GovernanceTab {
    Candidates,
    Schemas,
    Trail,
    Reliability,
}

/// The tabs of the governance pages.
fn tabs(current: GovernanceTab) -> Vec<Link> {
    let all = [
        (GovernanceTab::Candidates, "/app/governance", "governance.candidates"),
        (GovernanceTab::Schemas, "/app/governance/schemas", "governance.schemas"),
        (GovernanceTab::Trail, "/app/governance/trail", "governance.trail"),
        (GovernanceTab::Reliability, "/app/governance/reliability", "governance.reliability"),
    ];
    all.into_iter().map(|(sheet, href, word)| Link { href, word, is_current: sheet == current }).collect()
}

async fn load_frame(app: &App, visitor: Visitor) -> Result<Frame, ApiError> {
    let newest = events::newest(app).await?;
    Ok(Frame::new(visitor, NavigationItem::Governance, &["governance"], newest))
}

/// An address with the parameters that are not empty.
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
    fn an_address_leaves_out_empty_parameters() {
        assert_eq!(address("/a", &[("b", ""), ("c", "")]), "/a");
        assert_eq!(address("/a", &[("b", "x y"), ("c", ""), ("d", "1&2")]), "/a?b=x+y&d=1%262");
    }
}
