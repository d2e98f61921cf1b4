//! The budget of a day, compared with what all operations of the day have cost, on every machine.

use jiff::tz::TimeZone;
use quire_domain::Failure;
use quire_ports::{AnalysisErrorKind, DailyModelUsage};

use super::{DocumentIntelligenceReader, MODEL};
use crate::steps::error_code::database_failure;

impl DocumentIntelligenceReader {
    /// Fails if the budget of today is spent. Operations that are under way do not count yet.
    pub(super) async fn require_budget(&self) -> Result<(), Failure> {
        let limit = self.options.max_cost_per_day;
        if limit <= 0.0 {
            return Ok(());
        }
        let now = self.clock.now();
        let midnight = now.to_zoned(TimeZone::UTC).start_of_day().map_or(now, |day| day.timestamp());
        let usage = self.calls.daily_usage(midnight, jiff::Timestamp::MAX).await;
        let usage = usage.map_err(|error| database_failure(&error))?;
        let own = |usage: &&DailyModelUsage| usage.model == MODEL;
        let spent: f64 = usage.iter().filter(own).filter_map(|day| day.usage.cost).sum();
        if spent < limit {
            return Ok(());
        }
        let message = "document_intelligence.max_cost_per_day is used up until midnight UTC; raise it, or use the local extractor";
        Err(Failure::permanent(AnalysisErrorKind::BudgetSpent.as_str(), message))
    }
}
