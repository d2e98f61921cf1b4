//! axe-core finds no accessibility problem on any page, in both languages and in light and dark colours.

use quire_domain::RunId;
use quire_testkit::browser::Tab;
use quire_testkit::documents::clinical_record;
use serde_json::json;

use crate::proposals::{ended, send_idea, use_model};
use crate::record::mark_reviewed;
use crate::test_env::TestEnv;
use crate::uploads::upload;

/// The variable that names the file of axe-core.
const AXE: &str = "QUIRE_TEST_AXE";
/// The rules: WCAG 2.2 AA and best practices.
const RULES: &str = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']";

pub(super) fn axe() -> String {
    let file = std::env::var(AXE).unwrap_or_else(|_| {
        panic!("{AXE} names no file axe.min.js of axe-core; `cargo xtask test` downloads it")
    });
    std::fs::read_to_string(file).unwrap()
}

/// Checks these pages in both languages and in light and dark colours. Each has a selector to wait for.
pub(super) fn assert_accessible(tab: &mut Tab, pages: &[(&str, &str)]) {
    let axe = axe();
    let mut found = Vec::new();
    for language in ["es", "en"] {
        for theme in ["light", "dark"] {
            tab.set_cookie("quire_language", language);
            tab.set_cookie("quire_theme", theme);
            for (page, shown) in pages {
                tab.go(page);
                tab.until_seen(shown);
                // Contrast is measured after transitions end.
                tab.until("document.getAnimations().length === 0");
                tab.eval(&axe);
                let broken = tab.eval(&format!(
                    "axe.run(document, {{ runOnly: {RULES} }}).then(({{ violations }}) => violations.map((rule) => \
                     `${{rule.id}}: ${{rule.help}}: ${{rule.nodes.map((node) => node.html + ' ' + node.failureSummary).join(' | ')}}`))"
                ));
                let broken = broken.as_array().unwrap().iter();
                found.extend(broken.map(|rule| format!("{page} in {language}, {theme}: {rule}")));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_are_accessible() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    assert_accessible(&mut tab, &[("/app", "h1"), ("/app/nothing", "h1")]);
    let (_, _, document) = upload(&server, "/documents/upload", "alta.pdf", &clinical_record(1));
    env.wait_for_latest_run(document).await;
    let runs = format!("/app/documents/{document}/runs");
    assert_accessible(
        &mut tab,
        &[("/app", "main a"), (&runs, "#runs article"), ("/app/operations", "svg.plot")],
    );
    let review = format!("/app/documents/{document}");
    assert_accessible(&mut tab, &[(&review, ".field")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn governance_is_accessible() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    assert_accessible(&mut tab, &[("/app/governance", ".empty"), ("/app/governance/trail", ".empty")]);
    let document = super::governance::with_candidates(&env, &server).await;
    assert_eq!(mark_reviewed(&server, document).status, 200);
    tab.go("/app/governance");
    tab.click("[data-critical] [data-decision=REJECT]");
    tab.until_seen("#decide");
    tab.eval(&axe());
    let wrong = tab.eval("axe.run().then(({ violations }) => violations.map((rule) => rule.id))");
    assert_eq!(wrong, serde_json::json!([]), "also with the dialog open");
    tab.type_text("x");
    tab.click("#decide [name=confirm]");
    tab.click("#decide [data-submit]");
    tab.until_seen("#toasts .toast.success");
    assert_accessible(
        &mut tab,
        &[
            ("/app/governance", ".candidate"),
            ("/app/governance/schemas", "#keys"),
            ("/app/governance/trail", "#trail"),
            ("/app/governance/reliability", ".curve"),
        ],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_proposals_are_accessible() {
    let env = TestEnv::on_sqlite(&[]);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    assert_accessible(&mut tab, &[("/app/proposals", ".empty")]);
    drop(server);
    let model = super::proposals::blocking_provider();
    use_model(&env, &model);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    let run = send_idea(&server, "Umbrellas.");
    ended(&env, &server, run).await;
    let edit =
        json!({"edited_proposal": {"proposed_solution": "Stands, with a deposit."}, "edit_notes": "x"});
    let revised = server.post_json(&format!("/v1/runs/{run}/revisions"), &edit);
    let revision: RunId = revised.body["run_id"].as_str().unwrap().parse().unwrap();
    ended(&env, &server, revision).await;
    let (detail, comparison) =
        (format!("/app/proposals/{run}"), format!("/app/proposals/{run}/compare/{revision}"));
    assert_accessible(
        &mut tab,
        &[
            ("/app/proposals", "#proposals tbody tr"),
            (&detail, "#revisions"),
            (&comparison, ".diff ins"),
            ("/app/model-usage", "tfoot"),
        ],
    );
    tab.go(&detail);
    tab.click("#revise summary");
    tab.click("#review-critic summary");
    tab.click("#revise-form button");
    tab.until_seen("#revise-form [role=alert]");
    tab.eval(&axe());
    let wrong = tab.eval("axe.run().then(({ violations }) => violations.map((rule) => rule.id))");
    assert_eq!(wrong, json!([]), "also with everything open");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_login_page_is_accessible() {
    let env = TestEnv::on_sqlite(&[]);
    let key = env.cli.run_ok(&["keys", "create", "--name", "alma", "--role", "admin"]);
    let server = env.cli.serve();
    let mut tab = Tab::open(&server.address);
    assert_accessible(&mut tab, &[("/app/login", "input[name=key]")]);
    tab.type_text("x");
    tab.press("Enter");
    tab.until_seen("[role=alert]");
    tab.eval(&axe());
    let wrong = tab.eval("axe.run().then(({ violations }) => violations.map((rule) => rule.id))");
    assert_eq!(wrong, serde_json::json!([]), "also after a failed login");
    tab.click("input[name=key]");
    tab.type_text(key.trim_end());
    tab.press("Enter");
    tab.until_text(".account", "alma");
    assert_accessible(&mut tab, &[("/app", ".account")]);
}
