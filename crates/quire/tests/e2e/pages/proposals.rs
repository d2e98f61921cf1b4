//! Proposals in the browser: send in an idea, follow its steps, read the decision, retry, revise, compare, filter.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use quire_testkit::browser::Tab;
use quire_testkit::{ModelReply, ModelServer};
use serde_json::{Value, json};

use super::login::{key, log_in};
use crate::proposals::{KEY, answer, ended, prompt, provider, review, reviewer, send_idea, use_model};
use crate::test_env::TestEnv;

/// Holds requests to the model until it is opened.
#[derive(Clone, Default)]
struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    fn wait(&self) {
        let (is_open, opened) = &*self.0;
        drop(opened.wait_while(is_open.lock().unwrap(), |is_open| !*is_open).unwrap());
    }

    fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }
}

/// The answer of a critic who blocks the proposal.
fn blocking(body: &Value) -> ModelReply {
    match reviewer(body) {
        Some("Critic") => {
            let mut careful = review("Critic", 0.5);
            careful["blocking_issues"] = json!([{"text": "Thieves."}]);
            ModelReply::Completion(careful.to_string())
        }
        _ => answer(body, [0.9; 5]),
    }
}

/// A provider whose critic blocks every proposal.
pub(super) fn blocking_provider() -> ModelServer {
    ModelServer::with_key(KEY).answering(|body, _| blocking(body))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idea_is_sent_in_and_its_steps_and_decision_appear_live() {
    let env = TestEnv::on_sqlite(&[]);
    let gate = Gate::default();
    let held = gate.clone();
    let model = ModelServer::with_key(KEY).answering(move |body, _| {
        if reviewer(body) == Some("Critic") {
            held.wait();
        }
        blocking(body)
    });
    use_model(&env, &model);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app");
    tab.click("nav a[href='/app/proposals']");
    tab.until_text(".empty", "No proposals yet");
    tab.click("#propose textarea[name=idea]");
    tab.type_text("Go. Go. Go. Go. Go. Go. Go. Go. Go. Go. Go.");
    tab.click("#propose button");
    tab.until_text("#propose [role=alert]", "has 11 sentences");
    tab.click("#propose textarea[name=idea]");
    tab.press("Control+a");
    tab.type_text("Umbrellas for everybody.");
    tab.click("#propose [name=urgent]");
    tab.click("#propose button");
    tab.until("location.pathname.startsWith('/app/proposals/')");
    tab.until_text("h1", "Shared umbrellas");
    tab.until_text(".steps li:nth-child(1)", "Done");
    tab.until_text(".steps li:nth-child(3)", "Running");
    assert_eq!(tab.count(".steps li"), 7);
    assert_eq!(tab.count("#decision, #revise, #retry"), 0);
    tab.eval("window.sameDocument = true");
    gate.open();
    tab.until_text("#decision", "Weighted confidence 0.8000");
    assert_eq!(tab.eval("window.sameDocument"), true);
    tab.until_text("#progress", "Completed. 7 of 7 steps are done");
    tab.until_text("#decision .chip.reviewed", "Approve");
    tab.until_text("#decision .report", "Minority report: Critic");
    assert_eq!(tab.count("#reviews tbody tr"), 5);
    let critic = "#reviews [data-persona=critic]";
    for text in ["0.50", "0.25", "0.1250", "Thieves."] {
        tab.until_text(critic, text);
    }
    tab.click("#review-critic summary");
    tab.until_text("#review-critic dd", "Ask for a deposit.");
    let usage = tab.text("#usage").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        usage.contains("Cost Unknown Requests to the model 6 Tokens sent 4200 Tokens received 300"),
        "{usage}"
    );
    tab.until_text(".chip", "High priority");
    assert_eq!(model.requests().len(), 6);
    tab.go("/app/operations");
    tab.click("a[href='/app/model-usage']");
    tab.until_text("#model-usage tbody tr", "local");
    let total = tab.text("#model-usage tfoot").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(total.starts_with("Total 6 0 4200 300"), "{total}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_run_shows_its_reason_and_is_retried_from_the_page() {
    let env = TestEnv::on_sqlite(&[]);
    let is_broken = Arc::new(AtomicBool::new(true));
    let broken = is_broken.clone();
    let model = ModelServer::with_key(KEY).answering(move |body, _| {
        let fails = reviewer(body) == Some("Critic") && broken.load(Ordering::SeqCst);
        if fails { ModelReply::Refusal("no") } else { answer(body, [0.9; 5]) }
    });
    use_model(&env, &model);
    let server = env.cli.serve();
    let run = send_idea(&server, "Umbrellas.");
    ended(&env, &server, run).await;
    let mut tab = Tab::open(&server.address);
    tab.set_language("es");
    tab.go(&format!("/app/proposals/{run}"));
    tab.until_text("#run-state", "Fallida");
    tab.until_text("p.failure", "MODEL_REFUSED");
    tab.until_text(".steps li:nth-child(3)", "Valoración del crítico");
    tab.until_text(".steps li:nth-child(3) .chip.error", "Fallido");
    is_broken.store(false, Ordering::SeqCst);
    tab.click("#retry");
    tab.until_text("#toasts", "primer paso sin terminar");
    tab.until_text("#run-state", "Completada");
    tab.until_text("#decision", "Confianza ponderada 0,9000");
    assert_eq!(tab.count("#retry"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_run_is_cancelled_from_the_page_and_can_be_retried() {
    let env = TestEnv::on_sqlite(&[]);
    let is_silent = Arc::new(AtomicBool::new(true));
    let silent = is_silent.clone();
    let model = ModelServer::with_key(KEY).answering(move |body, _| {
        let waits = reviewer(body) == Some("Critic") && silent.load(Ordering::SeqCst);
        if waits { ModelReply::NoResponse } else { answer(body, [0.9; 5]) }
    });
    use_model(&env, &model);
    let server = env.cli.serve();
    let run = send_idea(&server, "Umbrellas.");
    let mut tab = Tab::open(&server.address);
    tab.go(&format!("/app/proposals/{run}"));
    tab.until_text(".steps li:nth-child(2)", "Done");
    tab.until_text(".steps li:nth-child(3)", "Running");
    assert_eq!(tab.count("#retry, #withdraw"), 0);
    tab.click("#cancel");
    tab.until_text("#toasts", "The run was cancelled.");
    tab.until_text("p.failure", "CANCELLED");
    assert_eq!(tab.count("#cancel"), 0);
    is_silent.store(false, Ordering::SeqCst);
    tab.click("#retry");
    tab.until_text("#run-state", "Completed");
    let expansions = model.requests().iter().filter(|request| reviewer(&request.body).is_none()).count();
    assert_eq!(expansions, 1, "what was stored is not asked for again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revision_is_made_with_the_keyboard_and_compared_with_its_parent() {
    let env = TestEnv::on_sqlite(&[]);
    let model = ModelServer::with_key(KEY).answering(|body, _| {
        let is_safe = prompt(body).contains("with a deposit");
        if is_safe { answer(body, [0.9; 5]) } else { blocking(body) }
    });
    use_model(&env, &model);
    let server = env.cli.serve();
    let run = send_idea(&server, "Umbrellas.");
    ended(&env, &server, run).await;
    let mut tab = Tab::open(&server.address);
    tab.go(&format!("/app/proposals/{run}"));
    tab.eval("document.querySelector('#revise summary').focus()");
    tab.press("Enter");
    tab.until_seen("#revise-form");
    tab.click("#revise-form button");
    tab.until_text("#revise-form [role=alert]", "Change a section or write notes");
    tab.eval("document.querySelector('[name=proposed_solution]').select()");
    tab.type_text("Stands, with a deposit.");
    tab.eval("document.querySelector('[name=assumptions]').select()");
    tab.type_text("It rains.");
    tab.press("Enter");
    tab.type_text("People are honest.");
    tab.eval("document.querySelector('[name=edit_notes]').focus()");
    tab.type_text("Mind the theft.");
    tab.press("Tab");
    tab.press("Enter");
    tab.until(&format!("!location.pathname.includes('{run}')"));
    tab.until_text("#run-state", "Completed");
    tab.until_text("#reviews [data-persona=architect] .chip", "Reused");
    assert_eq!(tab.count("#reviews [data-persona=critic] .chip"), 0);
    tab.until_text(".sections", "People are honest.");

    tab.click("a[href*='/compare/']");
    tab.until_text("h1", "Comparison of two proposals");
    tab.until_text("#comparison tbody tr.changed", "Stands, with a deposit.");
    tab.until_text(".diff del", "Stands at every corner.");
    tab.until_text(".diff ins", "Stands, with a deposit.");
    tab.until_text("#comparison", "+0.1000");
    tab.until_text("#personas tr:nth-child(2)", "+0.40");
    let blocked = tab.text("#personas tbody tr:nth-child(2)");
    assert!(blocked.contains("Yes") && blocked.contains("No"), "{blocked}");

    tab.go(&format!("/app/proposals/{run}"));
    assert_eq!(tab.count("#revisions tbody tr"), 1);
    tab.click("#revisions a[href*='/compare/']");
    tab.until_text("#comparison", "Mind the theft.");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_is_filtered_and_follows_new_runs() {
    let env = TestEnv::on_sqlite(&[]);
    let model = provider([0.9; 5]);
    use_model(&env, &model);
    let server = env.cli.serve();
    let run = send_idea(&server, "Umbrellas.");
    ended(&env, &server, run).await;
    let mut tab = Tab::open(&server.address);
    tab.go("/app/proposals");
    tab.until_text("#proposals tbody tr", "Shared umbrellas");
    tab.until_text("#proposals tbody tr", "0.9000");
    let second = send_idea(&server, "Raincoats.");
    tab.until(&format!("document.querySelector('#proposals tr[data-run=\"{second}\"] .chip.reviewed')"));
    for (query, rows) in [
        ("status=completed&run_type=&decision=approve&min_confidence=0.9&from=&until=", 2),
        ("decision=reject", 0),
        ("run_type=revision", 0),
        ("from=2020-01-01", 2),
        ("until=2020-01-01", 0),
        ("offset=1", 1),
    ] {
        tab.go(&format!("/app/proposals?{query}"));
        assert_eq!(tab.count("#proposals tbody tr"), rows, "{query}");
    }
    tab.go("/app/proposals?decision=reject");
    tab.until_text(".empty", "No proposals match");
    assert_eq!(tab.eval("document.querySelector('[name=decision]').value"), "reject");
    tab.go("/app/proposals?from=yesterday");
    tab.until_text("main", "INVALID_REQUEST");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_or_the_role_there_is_no_form() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app/proposals");
    tab.until_text(".new-idea", "model.url and model.name");
    assert_eq!(tab.count("#propose"), 0);
    drop(server);

    let model = ModelServer::start(KEY, vec![ModelReply::Refusal("no")]);
    use_model(&env, &model);
    let server = env.cli.serve();
    let run = send_idea(&server, "Umbrellas.");
    ended(&env, &server, run).await;
    drop(server);
    let reader = key(&env, "reader", "read");
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    tab.go("/app/proposals");
    log_in(&mut tab, &reader);
    tab.until_text("#proposals tbody tr", "Umbrellas.");
    assert_eq!(tab.count(".new-idea"), 0);
    tab.go(&format!("/app/proposals/{run}"));
    tab.until_text("#run-state", "Failed");
    assert_eq!(tab.count("#retry, #revise"), 0);
}
