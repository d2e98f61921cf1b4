//! `quire doctor`: each kind of breakage is made for real, and the line about it says how to mend it.

use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use quire_domain::InstallationId;
use quire_testkit::{WebResponse, WebServer};
use serde_json::Value;

use crate::program::{Cli, output_of};
use crate::test_env::{TestEnv, on_both_stores};

/// A report of `quire doctor --json` and its exit code.
struct Report {
    json: Value,
    exit_code: i32,
}

impl Report {
    fn of(command: &mut Command) -> Self {
        let output = output_of(command);
        let json = serde_json::from_str(&output.stdout)
            .unwrap_or_else(|_| panic!("not JSON: {}{}", output.stdout, output.stderr));
        Self { json, exit_code: output.status.code().unwrap() }
    }

    fn line(&self, name: &str) -> &Value {
        let checks = self.json["checks"].as_array().unwrap();
        checks
            .iter()
            .find(|check| check["name"] == name)
            .unwrap_or_else(|| panic!("no {name}: {}", self.json))
    }

    fn status(&self, name: &str) -> &str {
        self.line(name)["status"].as_str().unwrap()
    }

    /// Checks the status of a line, and that the line contains these words.
    fn assert(&self, name: &str, status: &str, words: &[&str]) {
        let line = self.line(name);
        assert_eq!(line["status"], status, "{line}");
        assert_eq!(line["remedy"].is_string(), status != "ok", "{line}");
        let text = line.to_string();
        for word in words {
            assert!(text.contains(word), "{word:?} is not in {text}");
        }
        assert_eq!(self.exit_code, i32::from(self.json["status"] == "error"), "{}", self.json);
    }
}

fn doctor(cli: &Cli) -> Report {
    Report::of(&mut cli.command(&["doctor", "--json"]))
}

on_both_stores! {
    a_sound_installation_has_no_error_and_is_left_as_it_was,
    missing_migrations_are_an_error_with_the_command_that_applies_them,
    storage_of_another_installation_or_none_is_an_error,
    a_disk_with_too_little_space_is_an_error,
}

async fn a_sound_installation_has_no_error_and_is_left_as_it_was(env: &TestEnv) {
    let before = env.sql.schema().await;
    let report = doctor(&env.cli);
    for name in
        ["database", "migrations", "clock", "storage", "disk", "redis", "model", "tesseract", "sandbox"]
    {
        report.assert(name, "ok", &[]);
    }
    report.assert("authentication", "ok", &["127.0.0.1:8080"]);
    report.assert("proxies", "ok", &[]);
    let version = if env.is_on_postgresql() { "PostgreSQL 1" } else { "SQLite 3." };
    report.assert("database", "ok", &[version]);
    assert_eq!(report.exit_code, 0, "{}", report.json);
    assert_eq!(env.sql.schema().await, before);
    let left: Vec<_> = std::fs::read_dir(env.documents_folder()).unwrap().collect();
    let is_probe = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with("doctor-");
    assert!(!left.into_iter().any(|entry| is_probe(&entry.unwrap().file_name())));

    let server = env.cli.serve();
    assert_eq!(doctor(&env.cli).exit_code, 0, "it works beside a server");
    assert_eq!(server.stop().status.code(), Some(0));
    let text = env.cli.run_ok(&["doctor"]);
    assert!(text.lines().all(|line| line.starts_with("ok ") || line.starts_with("warning")), "{text}");
}

async fn missing_migrations_are_an_error_with_the_command_that_applies_them(env: &TestEnv) {
    env.cli.run_ok(&["migrate", "down", "--to", "27", "--yes"]);
    doctor(&env.cli).assert("migrations", "error", &["27 of ", "quire migrate up"]);
    env.cli.run_ok(&["migrate", "up"]);
    env.sql.execute("UPDATE schema_migrations SET checksum = 'other' WHERE version = 2").await.unwrap();
    doctor(&env.cli).assert("migrations", "error", &["0002_history has changed"]);
}

async fn storage_of_another_installation_or_none_is_an_error(env: &TestEnv) {
    let file = env.documents_folder().join("installation-id");
    let id = std::fs::read_to_string(&file).unwrap();
    let other = InstallationId::new().to_string();
    std::fs::write(&file, &other).unwrap();
    doctor(&env.cli).assert("storage", "error", &[&other, id.trim(), "storage.documents"]);
    std::fs::remove_file(&file).unwrap();
    doctor(&env.cli).assert("storage", "error", &["no installation id", id.trim()]);
    std::fs::remove_dir_all(env.documents_folder()).unwrap();
    doctor(&env.cli).assert("storage", "error", &["no storage folder"]);
    assert!(!env.documents_folder().exists(), "it is not created");
    std::fs::write(env.documents_folder(), "a file in its place").unwrap();
    doctor(&env.cli).assert("storage", "error", &["no storage folder"]);
}

async fn a_disk_with_too_little_space_is_an_error(env: &TestEnv) {
    let mut command = env.cli.command(&["doctor", "--json"]);
    let report = Report::of(command.env("QUIRE_UPLOADS_MIN_FREE_MB", "1000000000"));
    report.assert("disk", "error", &["uploads are refused", "uploads.min_free_mb"]);
}

#[test]
fn a_database_that_is_down_hides_no_other_finding_and_no_password_is_shown() {
    let cli = Cli::new()
        .with("QUIRE_DATABASE_BUSY_TIMEOUT", "100ms")
        .with("QUIRE_STORAGE_DATABASE", "postgres://quire:hunter2@127.0.0.1:1/quire")
        .with("QUIRE_REDIS_URL", "redis://:hunter2@127.0.0.1:1/0")
        .with("QUIRE_MODEL_URL", "http://127.0.0.1:1/v1")
        .with("QUIRE_MODEL_API_KEY", "hunter2");
    let report = doctor(&cli);
    report.assert("database", "error", &["postgres://quire:***@127.0.0.1:1/quire", "storage.database"]);
    report.assert("migrations", "error", &["does not answer"]);
    report.assert("clock", "warning", &[]);
    report.assert("redis", "warning", &["Redis does not work", "redis.url"]);
    report.assert("model", "error", &["cannot be reached", "model.url"]);
    report.assert("sandbox", "ok", &["Landlock and seccomp"]);
    assert!(!report.json.to_string().contains("hunter2"), "{}", report.json);
    assert!(!cli.path("quire-data").exists(), "nothing is created");
    let required = Report::of(cli.command(&["doctor", "--json"]).env("QUIRE_REDIS_REQUIRED", "true"));
    required.assert("redis", "error", &["required"]);
}

#[test]
fn a_fresh_folder_is_no_error_and_a_file_that_is_no_database_is_one() {
    let cli = Cli::new().with("QUIRE_REDIS_ENABLED", "false");
    let report = doctor(&cli);
    report.assert("database", "warning", &["quire serve"]);
    assert_eq!(report.exit_code, 0, "{}", report.json);
    assert!(!cli.path("quire-data").exists(), "nothing is created");
    std::fs::create_dir(cli.path("quire-data")).unwrap();
    cli.write("quire-data/quire.db", "this is no database, whatever its name says");
    doctor(&cli).assert("database", "error", &["quire.db"]);
}

#[test]
fn a_model_that_refuses_the_key_is_an_error_and_one_that_takes_it_is_not() {
    let model = WebServer::start(|request| {
        let is_right =
            request.path == "/v1/models" && request.header("authorization") == Some("Bearer right");
        WebResponse::new(if is_right { 200 } else { 401 }, "application/json", "{}")
    });
    let url = format!("http://{}/v1", model.address);
    let cli = Cli::new().with("QUIRE_REDIS_ENABLED", "false").with("QUIRE_MODEL_URL", &url);
    let with_key = |key: &str| Report::of(cli.command(&["doctor", "--json"]).env("QUIRE_MODEL_API_KEY", key));
    with_key("wrong").assert("model", "error", &["refuses the key", "model.api_key"]);
    with_key("right").assert("model", "ok", &[]);
}

#[test]
fn a_missing_tesseract_or_language_is_a_warning_with_its_package() {
    let cli = Cli::new().with("QUIRE_REDIS_ENABLED", "false");
    let with = |name: &str, value: &str| Report::of(cli.command(&["doctor", "--json"]).env(name, value));
    with("QUIRE_READING_OCR_PROGRAM", "no-such-program").assert(
        "tesseract",
        "warning",
        &["no-such-program", "apt-get install tesseract-ocr tesseract-ocr-"],
    );
    with("QUIRE_READING_OCR_LANGUAGES", "vi").assert("tesseract", "warning", &["tesseract-ocr-vie"]);
    with("QUIRE_READING_OCR_ENABLED", "false").assert("tesseract", "ok", &["turned off"]);
}

/// Landlock allows no more than 16 layers on a process. The program is started in one that has used them up.
#[test]
fn a_sandbox_that_cannot_be_had_is_an_error() {
    let cli = Cli::new().with("QUIRE_REDIS_ENABLED", "false");
    let case = "reading::ocr_confinement::a_process_without_a_free_layer_of_landlock";
    let mut layered = Command::new(std::env::current_exe().unwrap());
    layered.args(["--exact", case, "--nocapture"]).current_dir(cli.path("."));
    layered.env("QUIRE_TEST_LAYERED", "doctor --json").env("QUIRE_REDIS_ENABLED", "false");
    for name in ["QUIRE_TEST_POSTGRES_URL", "QUIRE_TEST_REDIS_URL"] {
        layered.env_remove(name);
    }
    let output = output_of(&mut layered);
    // The harness of the test prints a line before the program replaces it.
    let start = output.stdout.find('{').unwrap_or_else(|| panic!("{}{}", output.stdout, output.stderr));
    let json: Value = serde_json::from_str(&output.stdout[start..]).unwrap();
    let report = Report { json, exit_code: output.status.code().unwrap() };
    let has_landlock = doctor(&cli).status("sandbox") == "ok";
    let expected = if has_landlock { "error" } else { "warning" };
    report.assert("sandbox", expected, &["Landlock", "reading.confinement"]);
}

#[test]
fn files_that_other_users_may_read_are_found() {
    let env = TestEnv::on_sqlite(&[]);
    let (cli, mode) = (&env.cli, |name: &str, mode| {
        std::fs::set_permissions(env.cli.path(name), Permissions::from_mode(mode)).unwrap();
    });
    mode(".", 0o755);
    doctor(cli).assert("file modes", "ok", &[]);
    mode("quire-data", 0o755);
    doctor(cli).assert("file modes", "warning", &["quire-data", "755", "chmod -R go= "]);
    mode("quire-data", 0o700);
    cli.write("quire.toml", "[server]\nauth_token = \"3f1c9a7b5d2e8f604c1b9a7d5e3f2c8b\"\n");
    mode("quire.toml", 0o644);
    let report = doctor(cli);
    report.assert("file modes", "error", &["quire.toml", "chmod go= "]);
    assert!(!report.json.to_string().contains("3f1c9a7b"), "{}", report.json);
    mode("quire.toml", 0o600);
    doctor(cli).assert("file modes", "ok", &[]);
}

#[test]
fn a_public_address_without_a_key_and_proxies_that_are_everybody_are_errors() {
    let env = TestEnv::on_sqlite(&[("QUIRE_SERVER_LISTEN", "0.0.0.0:8080")]);
    let report = doctor(&env.cli);
    report.assert("authentication", "error", &["0.0.0.0:8080", "quire keys create"]);
    report.assert("proxies", "warning", &["plain HTTP", "server.trusted_proxies"]);
    env.cli.run_ok(&["keys", "create", "--name", "ana", "--role", "admin"]);
    let trusting = |proxies: &str| {
        Report::of(env.cli.command(&["doctor", "--json"]).env("QUIRE_SERVER_TRUSTED_PROXIES", proxies))
    };
    let everybody = trusting("0.0.0.0/0");
    everybody.assert("authentication", "ok", &[]);
    everybody.assert("proxies", "error", &["X-Forwarded-For"]);
    trusting("10.0.0.2").assert("proxies", "ok", &[]);
    // An address in use is no matter: nothing listens.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = env.cli.command(&["doctor", "--json"]);
    let address = taken.local_addr().unwrap().to_string();
    Report::of(command.env("QUIRE_SERVER_LISTEN", &address)).assert("authentication", "ok", &[&address]);
}
