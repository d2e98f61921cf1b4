//! Proposals, their reviews and decisions.

use quire_domain::RunId;
use quire_domain::proposal::{Persona, Verdict};
use quire_ports::{
    PortResult, ProposalRequest, ProposalRun, ProposalScope, ProposalSummary, ProposalVersion, StoredReview,
};

use super::{ColumnReader, known, run};
use crate::error::corrupt;

/// A row of `{run}`, `{proposal_input}`, `{proposal_version}` and `{proposal_decision}`, still without its reviews.
pub fn proposal_run(row: &dyn ColumnReader) -> PortResult<ProposalRun> {
    Ok(ProposalRun {
        run: run(row)?,
        request: request(row)?,
        version: version(row)?,
        reviews: Vec::new(),
        decision: row.optional_json("verdict_decision_json")?,
    })
}

fn request(row: &dyn ColumnReader) -> PortResult<ProposalRequest> {
    let scope = row.text("input_scope")?;
    let known_scope = ProposalScope::ALL.into_iter().find(|known| known.as_str() == scope);
    let temperature = row.optional_float("input_temperature")?;
    Ok(ProposalRequest {
        scope: known(known_scope, "scope", scope)?,
        parent: row.optional_uuid("input_parent_run_id")?.map(RunId),
        key_id: row.optional_uuid("input_user_id")?,
        input_idea: row.string("input_input_idea")?,
        extra_context: row.optional_json("input_extra_context")?,
        model: row.string("input_model")?,
        temperature: temperature.ok_or_else(|| corrupt("column temperature is NULL"))?,
        parameters: row.json("input_parameters_json")?,
        schema_version: row.optional_string("input_schema_version")?,
        prompt_set_version: row.optional_string("input_prompt_set_version")?,
        edited_proposal: row.optional_json("input_edited_proposal_json")?,
        edit_notes: row.optional_string("input_edit_notes")?,
    })
}

fn version(row: &dyn ColumnReader) -> PortResult<Option<ProposalVersion>> {
    let Some(proposal) = row.optional_json("proposal_expanded_proposal_json")? else { return Ok(None) };
    Ok(Some(ProposalVersion {
        proposal,
        diff: row.optional_json("proposal_proposal_diff_json")?,
        persona_template_version: row.string("proposal_persona_template_version")?,
        edit_notes: row.optional_string("proposal_edit_notes")?,
    }))
}

/// A row of `{persona_review}`.
pub fn stored_review(row: &dyn ColumnReader) -> PortResult<StoredReview> {
    Ok(StoredReview {
        review: row.json("review_review_json")?,
        prompt_parameters: row.json("review_prompt_parameters_json")?,
    })
}

/// Reviews in the order of the personas; a reviewer without a persona comes last.
pub fn ordered_reviews(mut reviews: Vec<StoredReview>) -> Vec<StoredReview> {
    let place = |stored: &StoredReview| {
        Persona::ALL.iter().position(|persona| persona.id() == stored.review.persona_id).unwrap_or(usize::MAX)
    };
    reviews.sort_by_key(place);
    reviews
}

/// A row of `proposals/list`.
pub fn proposal_summary(row: &dyn ColumnReader) -> PortResult<ProposalSummary> {
    let verdict = row.optional_text("verdict_decision_label")?;
    Ok(ProposalSummary {
        run: run(row)?,
        parent: row.optional_uuid("input_parent_run_id")?.map(RunId),
        idea: row.string("input_input_idea")?,
        confidence: row.optional_float("verdict_overall_weighted_confidence")?,
        verdict: verdict.map(Verdict::parse).transpose().map_err(corrupt)?,
        title: row.optional_string("proposal_title")?,
        summary: row.optional_string("proposal_summary")?,
    })
}
