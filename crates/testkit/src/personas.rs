//! A provider for proposals: it expands ideas and answers as the personas would.

use quire_domain::proposal::{GENERIC_REVIEWER_NAME, Persona};
use serde_json::{Value, json};

use crate::ModelReply;

/// The name in the first sentence of the instructions, such as `Critic`; none if a proposal is asked for.
pub fn reviewer(body: &Value) -> Option<&str> {
    let instructions = body["messages"][0]["content"].as_str().unwrap();
    instructions.strip_prefix("You are ").and_then(|rest| rest.split(',').next())
}

/// Everything that a request tells a model.
pub fn prompt(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    messages.iter().map(|message| message["content"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

/// A proposal with this solution.
pub fn proposal(solution: &str) -> String {
    json!({
        "title": "Shared umbrellas",
        "summary": "Umbrellas that anybody can borrow.",
        "problem_statement": "People get wet.",
        "proposed_solution": solution,
        "assumptions": ["It rains."],
        "scope_non_goals": ["Raincoats."],
    })
    .to_string()
}

/// The review of this persona with this score.
pub fn review(name: &str, score: f64) -> Value {
    let id = Persona::ALL.iter().find(|persona| persona.name() == name);
    json!({
        "persona_name": name,
        "persona_id": id.map_or("generic_reviewer", |persona| persona.id()),
        "confidence_score": score,
        "strengths": ["It is simple."],
        "concerns": [{"text": "Theft.", "is_blocking": false}],
        "recommendations": ["Ask for a deposit."],
        "blocking_issues": [],
        "estimated_effort": "two weeks",
        "dependency_risks": ["The weather."],
    })
}

/// The text of the answer to a request: the proposal with this solution, or the review with the score of its persona.
pub fn answer_text(body: &Value, solution: &str, scores: [f64; 5]) -> String {
    match reviewer(body) {
        None => proposal(solution),
        Some(name) if name == GENERIC_REVIEWER_NAME => review(name, scores[0]).to_string(),
        Some(name) => {
            let place = Persona::ALL.iter().position(|persona| persona.name() == name).unwrap();
            review(name, scores[place]).to_string()
        }
    }
}

/// The same as a reply.
pub fn answer(body: &Value, scores: [f64; 5]) -> ModelReply {
    ModelReply::Completion(answer_text(body, "Stands at every corner.", scores))
}
