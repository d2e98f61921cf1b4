//! Document Intelligence fails in each way that it can, for workers on PostgreSQL with their files in Azure.

use quire_domain::DocumentId;
use quire_ports::{BlobStore as _, DocumentJob};
use quire_testkit::DocumentIntelligenceServer;
use quire_testkit::document_intelligence_server::{AnalysisFault, filled_form};
use quire_testkit::documents::clinical_record;
use quire_testkit::object_services::azure_container;
use serde_json::Value;

use super::ObjectEnv;
use crate::program::TestServer;
use crate::test_env::{TestEnv, wait_until};
use crate::uploads::form::Form;

const KEY: &str = "di-a-key-of-the-faults";
const UNAVAILABLE: &str = "DOCUMENT_INTELLIGENCE_UNAVAILABLE";
const LIMITED: &str = "DOCUMENT_INTELLIGENCE_RATE_LIMITED";
const FAILED: &str = "DOCUMENT_INTELLIGENCE_FAILED";
/// The price of the one page of the document, and of what cost nothing.
const PAID: Option<f64> = Some(0.01);

/// A server without workers, its files in Azure, and the service.
struct Installation {
    object_env: ObjectEnv,
    service: DocumentIntelligenceServer,
    server: TestServer,
}

impl Installation {
    async fn start() -> Self {
        let container = azure_container().await;
        let ObjectEnv { env, objects } = ObjectEnv::on_azure(&container, &container.endpoint).await;
        let service = DocumentIntelligenceServer::start(KEY, filled_form());
        let settings = format!(
            "[document_intelligence]\nurl = \"{}\"\napi_key = \"{KEY}\"\nprice_per_1000_pages = 10.0\n\
             poll_interval = \"100ms\"\ntimeout = \"1s\"\n\
             [pipelines.document]\nstep_attempts = 1\nmax_claims = 3\nrequeue_delay = \"1s\"\n",
            service.url
        );
        env.cli.write("quire.toml", &settings);
        let env = env.with("QUIRE_PIPELINES_DOCUMENT_REQUEUE", "auto");
        let server =
            TestServer::ready(env.cli.command(&["serve", "--no-workers", "--listen", "127.0.0.1:0"]));
        Self { object_env: ObjectEnv { env, objects }, service, server }
    }

    fn env(&self) -> &TestEnv {
        &self.object_env.env
    }

    /// Uploads a document that the service reads.
    fn upload(&self) -> DocumentId {
        let form = Form::new().text("extractor", "document_intelligence");
        let form = form.field("file", "form.pdf", &clinical_record(1)).end();
        let response = form.send(&self.server, "/documents");
        assert_eq!(response.status, 200, "{}", response.body);
        response.document_id()
    }

    /// The only row of a document in the view `document_processing_jobs`.
    async fn job(&self, document: DocumentId) -> DocumentJob {
        let jobs = self.env().store.run_reader.jobs(document.into()).await.unwrap();
        let [job] = <[DocumentJob; 1]>::try_from(jobs).unwrap();
        job
    }

    /// Waits until the job is as it should be, and compares it with the state of the run in the API.
    async fn wait_for(&self, document: DocumentId, status: &str, state: &str, attempts: u32) -> DocumentJob {
        wait_until(async || {
            let job = self.job(document).await;
            job.status == status && job.attempts == attempts
        })
        .await;
        let run = self.env().runs_of(document).await.remove(0);
        assert_eq!(self.server.json(&format!("/runs/{}", run.id))["state"], state);
        self.job(document).await
    }

    /// The outcomes and costs of the operations of a document, in the order of their names.
    async fn costs(&self, document: DocumentId) -> Vec<(String, Option<f64>)> {
        let run = self.env().runs_of(document).await.remove(0);
        let calls = self.env().store.model_calls.of_run(run.id).await.unwrap();
        let mut costs: Vec<_> = calls.into_iter().map(|call| (call.outcome, call.cost)).collect();
        costs.sort_by(|one, other| one.0.cmp(&other.0));
        costs
    }

    /// Uploads a document, and checks how its job ends, what is in its log and what it cost.
    async fn expect(&self, what: &str, ends: Ends) {
        let document = self.upload();
        self.check(what, document, ends).await;
    }

    async fn check(&self, what: &str, document: DocumentId, ends: Ends) {
        self.env().wait_for_latest_run(document).await;
        let job = self.job(document).await;
        assert_eq!((job.status.as_str(), job.attempts), (ends.status, ends.attempts), "{what}: {job:?}");
        assert!(job.started_at.is_some() && job.completed_at.is_some(), "{what}: {job:?}");
        assert_eq!(logged(&job), ends.log, "{what}");
        let expected: Vec<_> =
            ends.costs.iter().map(|(outcome, cost)| ((*outcome).to_owned(), *cost)).collect();
        assert_eq!(self.costs(document).await, expected, "{what}");
    }
}

/// How a job ends.
struct Ends {
    status: &'static str,
    attempts: u32,
    log: &'static [&'static str],
    costs: &'static [(&'static str, Option<f64>)],
}

/// The codes in the log of a job.
fn logged(job: &DocumentJob) -> Vec<String> {
    let log: Vec<Value> = serde_json::from_str(&job.error_log).unwrap();
    log.iter().map(|entry| entry["error_code"].as_str().unwrap().to_owned()).collect()
}

/// Proves R057, R162, R165, R167, R168, R171 with files in Azure: upload, a provider that keeps silent, PENDING, and FAILED at the
/// limit.
#[tokio::test(flavor = "multi_thread")]
async fn a_silent_provider_costs_an_attempt_and_at_the_limit_the_job_fails() {
    let installation = Installation::start().await;
    let Installation { object_env, service, server } = &installation;
    let document = installation.upload();
    let job = installation.job(document).await;
    assert_eq!((job.status.as_str(), job.attempts, job.error_log.as_str()), ("PENDING", 0, "[]"));
    assert_eq!((job.started_at, job.completed_at), (None, None));
    let original = object_env.objects.get(&format!("{document}/original.pdf"), 1 << 20).await.unwrap();
    assert_eq!(original, clinical_record(1));
    assert!(service.submitted().is_empty(), "nobody reads it before the response");

    service.fault_submit(AnalysisFault::Silent);
    let workers = [object_env.env.cli.start(&["worker"]), object_env.env.cli.start(&["worker"])];
    let claimed = installation.wait_for(document, "PROCESSING", "RUNNING", 0).await;
    assert!(claimed.started_at.is_some() && claimed.completed_at.is_none());
    let failed = installation.wait_for(document, "PENDING", "QUEUED", 1).await;
    assert_eq!((logged(&failed), failed.completed_at), (vec![UNAVAILABLE.to_owned()], None));
    let costs = &[("OK", PAID), ("UNKNOWN_OUTCOME", PAID)];
    let ends = Ends { status: "COMPLETED", attempts: 1, log: &[UNAVAILABLE], costs };
    installation.check("no answer to the submission", document, ends).await;

    for _ in 0..3 {
        service.fault_submit(AnalysisFault::Status(500, None));
    }
    let log = &[UNAVAILABLE, UNAVAILABLE, UNAVAILABLE];
    let ends = Ends { status: "FAILED", attempts: 3, log, costs: &[] };
    installation.expect("three errors", ends).await;
    let ends = Ends { status: "COMPLETED", attempts: 0, log: &[], costs: &[("OK", PAID)] };
    installation.expect("the workers go on", ends).await;
    for worker in workers {
        assert_eq!(worker.stop().status.code(), Some(0), "it never ended");
    }
    assert!(!server.get("/metrics").body.is_empty());
    object_env.assert_nothing_is_half_stored().await;
}

/// Proves R165, R167, R168, R171 with files in Azure for each other fault.
#[tokio::test(flavor = "multi_thread")]
async fn each_fault_of_the_provider_is_logged_and_paid_for_as_it_should_be() {
    let installation = Installation::start().await;
    let service = &installation.service;
    let _worker = installation.env().cli.start(&["worker"]);

    service.fault_submit(AnalysisFault::Status(429, Some(1)));
    service.fault_poll(AnalysisFault::Status(429, Some(1)));
    let ends = Ends { status: "COMPLETED", attempts: 0, log: &[LIMITED, LIMITED], costs: &[("OK", PAID)] };
    installation.expect("429 with a time, on both calls", ends).await;

    service.fault_submit(AnalysisFault::Status(429, None));
    let ends = Ends { status: "COMPLETED", attempts: 1, log: &[UNAVAILABLE], costs: &[("OK", PAID)] };
    installation.expect("429 without a time", ends).await;

    service.fault_poll(AnalysisFault::Silent);
    let ends = Ends { status: "COMPLETED", attempts: 1, log: &[UNAVAILABLE], costs: &[("OK", PAID)] };
    installation.expect("no answer to a poll", ends).await;
    assert_eq!(service.submitted().len(), 3, "the same operation is polled again");

    service.fail_operation("InternalServerError");
    let costs = &[(FAILED, None), ("OK", PAID)];
    let ends = Ends { status: "COMPLETED", attempts: 1, log: &[FAILED], costs };
    installation.expect("an operation that may succeed the next time", ends).await;

    service.fail_operation("InvalidRequest");
    let ends = Ends { status: "FAILED", attempts: 1, log: &[FAILED], costs: &[(FAILED, None)] };
    installation.expect("an operation that fails for good", ends).await;

    let before = service.submitted().len();
    service.run_for(u32::MAX, None);
    let document = installation.upload();
    wait_until(async || service.submitted().len() > before).await;
    service.run_for(0, None);
    service.forget_operations();
    let ends =
        Ends { status: "COMPLETED", attempts: 0, log: &[], costs: &[("OK", PAID), ("VANISHED", PAID)] };
    installation.check("an operation that vanishes", document, ends).await;
    assert_eq!(service.submitted().len(), before + 2);
    installation.object_env.assert_nothing_is_half_stored().await;
}
