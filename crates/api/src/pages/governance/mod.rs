//! The pages for governors: suggested changes of schemas, decisions, schema versions, and the reliability of confidence. Other
//! visitors do not see them.

pub(crate) mod candidates;
mod change;
mod curve;
pub(crate) mod reliability;
pub(crate) mod schemas;
pub(crate) mod trail;

use quire_application::{App, events};

use super::address::{Paging, address};
use super::frame::{Frame, Link, NavigationItem};
use super::visitor::Visitor;
use crate::ApiError;

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
