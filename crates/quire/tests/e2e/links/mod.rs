//! Links: pages on this machine are read and summarised, with a real Redis.

mod alerts;
mod commands;
mod guide;
mod locks;
mod providers;
mod requests;
mod summaries;

use quire_domain::RunId;
use quire_testkit::PageServer;
use serde_json::{Value, json};

use crate::program::TestServer;
use crate::test_env::TestEnv;

pub(crate) const ARTICLE: &str = "Umbrellas keep people dry in the rain. A city lends them at every corner, and people bring them back \
    when the sun returns. The mayor says that nobody should have to buy one.\n\n\
    The city counted 4,000 umbrellas last year. Nine of ten came back within a week. The others were found in trains, in \
    schools and once on top of a lamp post.\n\n\
    Critics say that the wind breaks too many of them. The city answers that a broken umbrella is repaired in two days, \
    and that the repairs cost less than the coughs.";

/// A site with an article, which the next server may read.
pub(crate) fn site(env: &TestEnv) -> PageServer {
    let site = PageServer::start();
    site.set_article("/umbrellas", "Shared umbrellas", ARTICLE);
    let file = format!(
        "[web]\nallow = \"{}\"\nrobots = false\nhost_interval = \"0s\"\n\
         [background.retry]\nbase_delay_ms = 50\nmax_delay_ms = 100\n",
        site.host()
    );
    env.cli.write("quire.toml", &file);
    site
}

/// Sends a page, which must be accepted.
pub(crate) fn send(server: &TestServer, url: &str) -> RunId {
    let response = server.post_json("/v1/requests", &json!({ "type": "url", "input_url": url }));
    assert_eq!(response.status, 202, "{:?}", response.body);
    id_of(&response.body["request_id"])
}

fn id_of(value: &Value) -> RunId {
    value.as_str().unwrap().parse().unwrap()
}

/// The detail of a request after its end.
pub(crate) async fn ended(env: &TestEnv, server: &TestServer, request: RunId) -> Value {
    env.wait_for_run(request).await;
    server.json(&format!("/v1/requests/{request}"))
}
