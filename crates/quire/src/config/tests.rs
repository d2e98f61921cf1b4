use std::path::Path;

use quire_domain::{Pipeline, RecoveryPolicy, RequeuePolicy, StepName};

use super::layers::variable;
use super::*;

/// Loads a configuration from a file, variables and flags.
fn load(file: &str, variables: &[(&str, &str)], flags: &[Flag]) -> Result<(Config, Layers), ConfigError> {
    let mut layers = Layers::defaults()?;
    layers.apply_file(Path::new("quire.toml"), file)?;
    layers
        .apply_environment(variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())))?;
    for flag in flags {
        layers.set_text(flag.key, &flag.value, super::layers::SettingOrigin::Flag(flag.name))?;
    }
    Config::from_layers(layers)
}

fn error_of(file: &str, variables: &[(&str, &str)]) -> String {
    load(file, variables, &[]).unwrap_err().to_string()
}

/// Checks that each file is refused with the key, the value and the rule.
fn assert_refused(cases: &[(&str, &str, &str, &str)]) {
    for (file, key, value, rule) in cases {
        let error = error_of(file, &[]);
        for part in [*key, *value, *rule, "from quire.toml"] {
            assert!(error.contains(part), "{part} is not in: {error}");
        }
    }
}

#[test]
fn the_defaults_are_valid_and_every_key_has_its_own_variable() {
    let (config, layers) = load("", &[], &[]).unwrap();
    assert_eq!(config.server.listen, "127.0.0.1:8080");
    assert_eq!(config.engine.lease, SignedDuration::from_secs(15));
    assert_eq!(config.location(), DatabaseLocation::Sqlite("./quire-data/quire.db".into()));
    let variables: std::collections::BTreeSet<_> = layers.settings.keys().map(|key| variable(key)).collect();
    assert_eq!(variables.len(), layers.settings.len());
    assert!(variables.contains("QUIRE_PIPELINES_DOCUMENT_RUN_LIMIT"));
}

/// Proves R217: run limits, tick, zombie age, backoff, attempts and the limit of concurrent calls.
#[test]
fn the_default_settings_have_the_documented_values() {
    let (config, _) = load("", &[], &[]).unwrap();
    let (engine, pipelines) = (&config.engine, &config.pipelines);
    let seconds = SignedDuration::from_secs;
    assert_eq!((engine.tick, engine.zombie_after), (seconds(1), SignedDuration::from_hours(2)));
    let retry = engine.retry;
    assert_eq!((retry.base_delay_ms, retry.max_delay_ms), (500, 5_000));
    assert!((retry.jitter_ratio - 0.2).abs() < f64::EPSILON, "{}", retry.jitter_ratio);
    assert_eq!((config.lanes.max_concurrent_calls, config.server.draft_wait), (4, seconds(60)));
    let documented =
        [(&pipelines.document, 120, 2), (&pipelines.proposal, 1_800, 3), (&pipelines.link, 300, 3)];
    for ((pipeline, limit, attempts), name) in documented.into_iter().zip(Pipeline::ALL) {
        assert_eq!(
            (pipeline.run_limit, config.policy(name).backoff.max_attempts),
            (seconds(limit), attempts)
        );
    }
    assert_eq!(pipelines.proposal.step_limit, Some(seconds(300)));
}

#[test]
fn models_have_their_own_prices() {
    let file = "[model]\nname = 'big'\nprice_per_million_in = 1.0\nother_prices = 'org/small:8b = 0.15 / 0.60; free=0/0;'";
    let (config, _) = load(file, &[], &[]).unwrap();
    let expected = [("big", (1.0, 0.0)), ("org/small:8b", (0.15, 0.6)), ("free", (0.0, 0.0))];
    let expected = expected.map(|(name, prices)| (name.to_owned(), prices));
    assert_eq!(config.model.prices(), Some(expected.into()));
}

/// Proves R185, R217: the settings of locks and retries of links.
#[test]
fn the_settings_of_links_have_the_documented_defaults_bounds_and_variables() {
    let (config, _) = load("", &[], &[]).unwrap();
    let (background, redis) = (&config.background, &config.redis);
    assert_eq!((background.redis_lock_enabled, background.redis_lock_required), (true, false));
    assert_eq!((background.lock_ttl_ms, background.lock_skip_on_held), (300_000, true));
    let backoff = config.policy(Pipeline::Link).backoff;
    assert_eq!((backoff.max_attempts, backoff.base_ms, backoff.max_ms), (3, 500, 5_000));
    assert!((backoff.jitter_ratio - 0.2).abs() < f64::EPSILON);
    assert_eq!((redis.enabled, redis.required, redis.prefix.as_str()), (true, false, "bsr"));
    assert_eq!(redis.url(), "redis://127.0.0.1:6379/0");
    assert_eq!(redis.socket_timeout, SignedDuration::from_secs(5));

    let variables = [
        ("BACKGROUND_REDIS_LOCK_ENABLED", "no"),
        ("BACKGROUND_LOCK_TTL_MS", "1000"),
        ("BACKGROUND_LOCK_SKIP_ON_HELD", "0"),
        ("BACKGROUND_RETRY_ATTEMPTS", "10"),
        ("BACKGROUND_RETRY_BASE_DELAY_MS", "50"),
        ("BACKGROUND_RETRY_MAX_DELAY_MS", "100"),
        ("BACKGROUND_RETRY_JITTER_RATIO", "1"),
        ("PREFERRED_LANG", "ru"),
        ("REDIS_REQUIRED", "true"),
        ("REDIS_HOST", "cache"),
        ("REDIS_PORT", "7000"),
        ("REDIS_DB", "2"),
        ("REDIS_PREFIX", "mine"),
        ("REDIS_SOCKET_TIMEOUT", "0.5"),
    ];
    let (config, _) = load("", &variables, &[]).unwrap();
    let (background, redis) = (&config.background, &config.redis);
    assert_eq!((background.redis_lock_enabled, background.lock_skip_on_held), (false, false));
    assert_eq!((background.lock_ttl_ms, background.preferred_lang.as_str()), (1_000, "ru"));
    let backoff = config.policy(Pipeline::Link).backoff;
    assert_eq!((backoff.max_attempts, backoff.base_ms, backoff.max_ms), (10, 50, 100));
    assert_eq!((redis.required, redis.prefix.as_str()), (true, "mine"));
    assert_eq!(redis.url(), "redis://cache:7000/2");
    assert_eq!(redis.socket_timeout, SignedDuration::from_millis(500));
    let required = [("BACKGROUND_REDIS_LOCK_REQUIRED", "1"), ("REDIS_URL", "redis://:hunter2@h/1")];
    let (config, layers) = load("", &required, &[]).unwrap();
    assert!(config.background.redis_lock_required);
    assert_eq!(config.redis.url(), "redis://:hunter2@h/1");
    assert!(!layers.to_toml().contains("hunter2") && !format!("{config:?}").contains("hunter2"));
}

/// Proves R185.
#[test]
fn an_invalid_setting_of_links_stops_the_start() {
    for (name, value, allowed) in [
        ("BACKGROUND_REDIS_LOCK_ENABLED", "perhaps", "true or false"),
        ("BACKGROUND_LOCK_TTL_MS", "999", "between 1000 and 3600000"),
        ("BACKGROUND_LOCK_TTL_MS", "3600001", "between 1000 and 3600000"),
        ("BACKGROUND_RETRY_ATTEMPTS", "0", "between 1 and 10"),
        ("BACKGROUND_RETRY_ATTEMPTS", "11", "between 1 and 10"),
        ("BACKGROUND_RETRY_BASE_DELAY_MS", "49", "between 50 and 60000"),
        ("BACKGROUND_RETRY_BASE_DELAY_MS", "5001", "background.retry.max_delay_ms, which is 5000"),
        ("BACKGROUND_RETRY_MAX_DELAY_MS", "99", "between 100 and 300000"),
        ("BACKGROUND_RETRY_JITTER_RATIO", "1.1", "between 0 and 1"),
        ("PREFERRED_LANG", "klingon", "auto, en, es, ru"),
        ("REDIS_PORT", "0", "between 1 and 65535"),
        ("REDIS_PREFIX", "two words", "no white space"),
        ("REDIS_URL", "rediss://:hunter2@h", "redis://localhost:6379/0"),
        ("REDIS_SOCKET_TIMEOUT", "0", "between 10ms and 5m"),
    ] {
        let error = error_of("", &[(name, value)]);
        assert!(error.contains(name) && error.contains(allowed), "{name}={value}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    let contradiction = [("BACKGROUND_REDIS_LOCK_REQUIRED", "true"), ("REDIS_ENABLED", "false")];
    assert!(error_of("", &contradiction).contains("background.redis_lock_required"));
}

#[test]
fn a_flag_beats_a_variable_beats_the_file_beats_the_default() {
    let file = "[engine]\nslots = 3\ntick = '2s'\n[log]\nlevel = 'warn'";
    let variables = [("QUIRE_ENGINE_SLOTS", "5"), ("QUIRE_LOG_LEVEL", "debug"), ("PATH", "/bin")];
    let flags = [Flag { name: "--log-level", key: "log.level", value: "error".to_owned() }];
    let (config, layers) = load(file, &variables, &flags).unwrap();
    assert_eq!(config.engine.heartbeat, SignedDuration::from_secs(5));
    assert_eq!(config.engine.tick, SignedDuration::from_secs(2));
    assert_eq!(config.slots(), 5);
    assert_eq!(config.log.level, LogLevel::Error);
    let text = layers.to_toml();
    for line in [
        "heartbeat = \"5s\"\n",
        "tick = \"2s\"  # from quire.toml\n",
        "slots = 5  # from environment variable QUIRE_ENGINE_SLOTS\n",
        "level = \"error\"  # from --log-level\n",
    ] {
        assert!(text.contains(line), "{line} is not in:\n{text}");
    }
}

#[test]
fn the_printed_configuration_can_be_loaded_again() {
    let (_, layers) = load("[storage]\ndata = 'a \"quoted\" \\ folder'", &[], &[]).unwrap();
    let (config, again) = load(&layers.to_toml(), &[], &[]).unwrap();
    assert_eq!(config.storage.data, Path::new("a \"quoted\" \\ folder"));
    assert_eq!(again.nested(), layers.nested());
}

#[test]
fn an_unknown_name_is_refused_with_the_most_similar_known_one() {
    let in_file = error_of("[engine]\nslot = 3", &[]);
    assert!(in_file.contains("engine.slot in quire.toml (did you mean engine.slots?)"), "{in_file}");
    for pipeline in ["document", "link"] {
        let without_effect = error_of(&format!("[pipelines.{pipeline}]\nmax_retries = 3"), &[]);
        let name = format!("pipelines.{pipeline}.max_retries in quire.toml");
        assert!(without_effect.contains(&name), "{without_effect}");
    }
    let section = error_of("[enigne]\nslots = 3", &[]);
    assert!(section.contains("did you mean engine.slots?"), "{section}");
    let variable = error_of("", &[("QUIRE_ENGINE_SLOT", "3")]);
    assert!(variable.contains("QUIRE_ENGINE_SLOT") && variable.contains("QUIRE_ENGINE_SLOTS?"), "{variable}");
    let far = error_of("", &[("QUIRE_COLOUR_OF_THE_SKY", "blue")]);
    assert!(far.contains("QUIRE_COLOUR_OF_THE_SKY") && !far.contains("did you mean"), "{far}");
    load("", &[("QUIRE_TEST_POSTGRES_URL", "x"), ("QUIRE_REHEARSAL_FAULT", "y")], &[]).unwrap();
}

#[test]
#[allow(clippy::too_many_lines)] // A line or two for each setting.
fn an_invalid_value_is_refused_with_its_key_its_value_and_its_rule() {
    assert_refused(&[
        ("[engine]\nslots = 5000", "engine.slots", "5000", "between 0 and 1000"),
        ("[engine]\nslots = -1", "engine.slots", "-1", "u32"),
        ("[engine]\nslots = '3'", "engine.slots", "\"3\"", "a whole number"),
        ("[engine]\ntick = '1ms'", "engine.tick", "\"1ms\"", "between 10ms and 10m"),
        ("[engine]\ntick = '5 parsecs'", "engine.tick", "parsecs", "a duration such as"),
        ("[engine]\ntick = '-5s'", "engine.tick", "-5s", "a duration such as"),
        (
            "[engine]\nheartbeat = '15s'",
            "engine.heartbeat",
            "\"15s\"",
            "shorter than engine.lease, which is 15s",
        ),
        (
            "[engine.retry]\nbase_delay_ms = 6000",
            "engine.retry.base_delay_ms",
            "6000",
            "engine.retry.max_delay_ms",
        ),
        ("[engine.retry]\njitter_ratio = 2", "engine.retry.jitter_ratio", "2.0", "between 0 and 1"),
        (
            "[pipelines.proposal]\nstep_limit = '9s'",
            "pipelines.proposal.step_limit",
            "9s",
            "between 10s and 30m",
        ),
        ("[pipelines.link]\nrequeue = 'often'", "pipelines.link.requeue", "often", "`auto`"),
        (
            "[pipelines.document]\nrequeue = 'manual'",
            "pipelines.document.requeue",
            "manual",
            "create a new run",
        ),
        ("[uploads]\nmax_mb = 0", "uploads.max_mb", "0", "between 1 and 2048"),
        ("[uploads]\nmax_mb = 65", "uploads.max_mb", "65", "reading.max_file_mb, which is 64"),
        ("[confidence]\nlow_max = 0.8", "confidence.low_max", "0.8", "below mid_max"),
        ("[confidence]\nmid_max = 1.5", "confidence.mid_max", "1.5", "between 0 and 1"),
        ("[confidence]\nboosted_exit = 0.9", "confidence.boosted_exit", "0.9", "above boosted_enter"),
        ("[confidence]\ndemoted_exit = 0.9", "confidence.demoted_exit", "0.9", "must be below boosted_exit"),
        ("[confidence]\npolicy_version = 'a b'", "confidence.policy_version", "a b", "letters"),
        ("[confidence]\nmin_volume = -1", "confidence.min_volume", "-1", "u32"),
        (
            "[limits]\nuploads_per_minute = 'often'",
            "limits.uploads_per_minute",
            "often",
            "\"default\" or a whole",
        ),
        ("[limits]\nuploads_per_minute = -1", "limits.uploads_per_minute", "-1", "\"default\" or a whole"),
        (
            "[limits]\ndownloads_per_minute = 2000000",
            "limits.downloads_per_minute",
            "2000000",
            "between 0 and",
        ),
        (
            "[server]\ntrusted_proxies = '10.0.0.0/40'",
            "server.trusted_proxies",
            "/40",
            "a range (10.0.0.0/8)",
        ),
        ("[server]\ncors_origins = '*'", "server.cors_origins", "*", "https://app.example"),
        (
            "[server]\nsession_idle = '200h'",
            "server.session_idle",
            "200h",
            "server.session_lifetime, which is 168h",
        ),
        ("[server]\nsession_lifetime = '10s'", "server.session_lifetime", "10s", "between 1m and 8760h"),
        ("[server]\ndraft_wait = '11m'", "server.draft_wait", "11m", "and 10m"),
        ("[server]\nauth_token = 'short'", "server.auth_token", "***", "openssl rand"),
        ("[interpreter]\nkind = 'magic'", "interpreter.kind", "magic", "`model`"),
        ("[lanes]\nmax_concurrent_calls = 0", "lanes.max_concurrent_calls", "0", "between 1 and 10000"),
        ("[model]\nother_prices = 'a = 1'", "model.other_prices", "a = 1", "must be prices such as"),
        ("[model]\nother_prices = 'a = 1 / -2'", "model.other_prices", "-2", "must be prices such as"),
        ("[model]\nprice_per_million_in = -1.0", "model.price_per_million_in", "-1.0", "between 0 and"),
        ("[interpreter]\nkind = 'model'\n[model]\nname = ' '", "model.name", "\" \"", "must name a model"),
        (
            "[interpreter]\nkind = 'model'\n[model]\nname = 'x'\nurl = 'localhost'",
            "model.url",
            "localhost",
            "http://localhost:11434/v1",
        ),
        (
            "[interpreter]\nkind = 'model'\n[model]\nname = 'x'\nurl = 'https://x'\napi_key = 'clé'",
            "model.api_key",
            "***",
            "printable ASCII",
        ),
        (
            "[interpreter]\nkind = 'model'\n[model]\nname = 'x'\nurl = 'http://models.example/v1'",
            "model.url",
            "http://models.example/v1",
            "model.allow_http = true",
        ),
        ("[reading]\nconfinement = 'none'", "reading.confinement", "none", "`required`"),
        ("[reading]\ncovered_text = 'hide'", "reading.covered_text", "hide", "`apart`"),
        ("[search]\nenabled = 'yes'", "search.enabled", "yes", "true or false"),
        ("[log]\nformat = 'xml'", "log.format", "xml", "`pretty`"),
        ("[storage]\ndatabase = 'mysql://x'", "storage.database", "mysql", "postgres://"),
    ]);
    let variable = error_of("", &[("QUIRE_ENGINE_SLOTS", "many")]);
    assert!(variable.contains("\"many\" (from environment variable QUIRE_ENGINE_SLOTS)"), "{variable}");
    assert!(error_of("[engine", &[]).contains("quire.toml is not valid TOML"));
}

#[test]
fn an_invalid_setting_of_a_model_or_of_http_is_refused_without_its_secret() {
    assert_refused(&[
        ("[model]\nidle_timeout = '1ms'", "model.idle_timeout", "1ms", "between 100ms and 30m"),
        ("[model]\nrecord_to = 'a'\nreplay_from = 'b'", "model.replay_from", "b", "model.record_to"),
        ("[http]\nproxy = 'https://user:secret@proxy'", "http.proxy", "***", "http://proxy.example:3128"),
        ("[http]\nca_file = 'nowhere.pem'", "http.ca_file", "nowhere.pem", "a readable PEM file"),
        (
            "[interpreter]\nkind = 'model'\n[model]\nname = 'x'\nurl = 'https://x'\nheaders = 'Authorization: Basic abc'",
            "model.headers",
            "***",
            "none that Quire sets",
        ),
        (
            "[interpreter]\nkind = 'model'\n[model]\nname = 'x'\nurl = 'https://x'\napi_version = 'a&b'",
            "model.api_version",
            "a&b",
            "2024-10-21",
        ),
    ]);
}

#[test]
fn files_are_in_a_folder_or_in_an_object_store() {
    let place = |text: &str| load(text, &[], &[]).unwrap().0.blob_location().to_string();
    assert_eq!(place(""), "./quire-data/documents");
    assert_eq!(place("[storage]\ndocuments = '/srv/files'"), "/srv/files");
    assert_eq!(place("[storage]\nblobs = 'file:/srv/blobs'"), "/srv/blobs");
    let azure =
        "[storage]\nblobs = 'az://records/one/two/'\n[storage.azure]\naccount = 'acme'\naccess_key = 'a2V5'";
    assert_eq!(place(azure), "az://records/one/two");
    assert_eq!(load(azure, &[], &[]).unwrap().0.documents_folder(), None);
    assert_eq!(place("[storage]\nblobs = 's3://records'"), "s3://records", "with the role of the machine");
    assert_refused(&[
        ("[storage]\nblobs = 'ftp://records'", "storage.blobs", "ftp://records", "az://container/prefix"),
        ("[storage]\nblobs = 'az://user:secret@records'", "storage.blobs", "***", "[storage.azure]"),
        ("[storage]\nblobs = 'file:a'\ndocuments = 'b'", "storage.blobs", "file:a", "storage.documents"),
        (
            "[storage]\nblobs = 'az://records'\n[storage.azure]\nconnection_string = 'AccountKey=secret'",
            "storage.azure.connection_string",
            "***",
            "AccountName",
        ),
        (
            "[storage]\nblobs = 's3://records'\n[storage.s3]\nendpoint = 'http://minio.example:9000'",
            "storage.s3.endpoint",
            "http://minio.example:9000",
            "only for this machine",
        ),
        (
            "[storage]\nblobs = 's3://records'\n[storage.s3]\nencryption = 'customer'\nencryption_key = 'secret'",
            "storage.s3.encryption_key",
            "***",
            "32 bytes",
        ),
    ]);
    for (text, key) in [
        ("[storage]\nblobs = 'az://records'", "storage.azure.account"),
        ("[storage]\nblobs = 'az://records'\n[storage.azure]\naccount = 'acme'", "storage.azure.access_key"),
        (
            "[storage]\nblobs = 's3://records'\n[storage.s3]\nsecret_access_key = 'secret'",
            "storage.s3.access_key_id",
        ),
    ] {
        let error = error_of(text, &[]);
        assert!(error.starts_with(&format!("{key} = ")) && error.contains("must be"), "{error}");
    }
}

#[test]
fn passwords_are_never_printed() {
    let secret = "hunter2";
    for url in [
        "postgres://quire:hunter2@db/quire",
        "postgres://quire:pa@ss?hunter2/@db/quire",
        "postgresql://quire@db/quire?sslmode=require&password=hunter2&x=1",
        "postgres://quire:x@db/quire?sslpassword=hunter2",
    ] {
        assert!(!mask_url(url).contains(secret), "{}", mask_url(url));
        let variables = [("QUIRE_STORAGE_DATABASE", url)];
        assert!(!load("", &variables, &[]).unwrap().1.to_toml().contains(secret));
    }
    assert_eq!(mask_url("postgres://quire:hunter2@db:5432/q?a=b"), "postgres://quire:***@db:5432/q?a=b");
    assert_eq!(mask_url("sqlite:quire.db"), "sqlite:quire.db");
    let error = error_of("", &[("QUIRE_STORAGE_DATABASE", "mysql://quire:hunter2@db/quire")]);
    assert!(error.contains("storage.database") && !error.contains(secret), "{error}");
}

#[test]
fn the_default_policies_depend_on_the_database_and_the_pipeline() {
    let policies = |database: &str| {
        let (config, _) = load("", &[("QUIRE_STORAGE_DATABASE", database)], &[]).unwrap();
        Pipeline::ALL.map(|pipeline| config.policy(pipeline))
    };
    let [document, proposal, link] = policies("");
    assert_eq!((document.requeue, document.recovery), (RequeuePolicy::Never, RecoveryPolicy::Fail));
    assert_eq!((document.backoff.max_attempts, proposal.backoff.max_attempts), (2, 3));
    let base_delay = SignedDuration::from_mins(1);
    assert_eq!(proposal.requeue, RequeuePolicy::Manual { max_retries: 5, base_delay });
    assert_eq!(link.recovery, RecoveryPolicy::Fail);
    let [document, _, link] = policies("postgres://db/quire");
    let base_delay = SignedDuration::from_secs(30);
    assert_eq!(document.requeue, RequeuePolicy::Auto { max_claims: 3, base_delay });
    assert_eq!(document.recovery, RecoveryPolicy::Requeue { max_claims: 3 });
    assert_eq!(link.recovery, RecoveryPolicy::Requeue { max_claims: 3 });
}

#[test]
fn without_search_a_document_has_two_steps() {
    let (mut config, _) = load("", &[], &[]).unwrap();
    assert_eq!(config.plan(Pipeline::Document).steps, Pipeline::Document.steps());
    config.search.enabled = false;
    assert_eq!(config.plan(Pipeline::Document).steps, [StepName::Extraction, StepName::Interpretation]);
}

#[test]
fn a_database_is_named_by_its_url() {
    let of = |database| DatabaseLocation::of(database, Path::new("data"));
    assert_eq!(of(""), Ok(DatabaseLocation::Sqlite("data/quire.db".into())));
    assert_eq!(of("sqlite:x.db"), Ok(DatabaseLocation::Sqlite("x.db".into())));
    assert_eq!(of("sqlite:///srv/x.db"), Ok(DatabaseLocation::Sqlite("/srv/x.db".into())));
    assert_eq!(of("postgresql://h/n"), Ok(DatabaseLocation::Postgres("postgresql://h/n".to_owned())));
    assert!(of("sqlite:").is_err());
    assert!(of("x.db").is_err());
}

#[test]
fn variables_of_other_programs_set_settings_and_quire_variables_beat_them() {
    let variables = [
        ("AUTH_TOKEN", " 4f1c0a9be27d5863f0b1c2d3e4a59687 "),
        ("LOG_LEVEL", "WARNING"),
        ("VET_RECORDS_DB_PATH", "/srv/records.db"),
        ("VET_RECORDS_STORAGE_PATH", "/srv/files"),
        ("VET_RECORDS_DISABLE_PROCESSING", "1"),
        ("VET_RECORDS_CORS_ORIGINS", "http://localhost:5173,https://app.example"),
        ("VET_RECORDS_RATE_LIMIT_UPLOAD", "7/minute"),
        ("VET_RECORDS_RATE_LIMIT_DOWNLOAD", "0"),
        ("VET_RECORDS_CONFIDENCE_POLICY_VERSION", "v7"),
        ("VET_RECORDS_CONFIDENCE_LOW_MAX", "0.4"),
        ("VET_RECORDS_CONFIDENCE_MID_MAX", "0.9"),
        ("VET_RECORDS_HUMAN_EDIT_NEUTRAL_CANDIDATE_CONFIDENCE", "0.6"),
    ];
    let (config, _) = load("", &variables, &[]).unwrap();
    assert_eq!(config.server.auth_token.non_empty(), Some("4f1c0a9be27d5863f0b1c2d3e4a59687"));
    assert_eq!(config.log.level, LogLevel::Warn);
    assert_eq!(config.location(), DatabaseLocation::Sqlite("/srv/records.db".into()));
    assert_eq!(config.documents_folder().as_deref(), Some(Path::new("/srv/files")));
    assert_eq!(config.storage.data, Path::new("./quire-data"));
    assert!(!config.uploads.processing);
    let limits = (config.limits.uploads_per_minute, config.limits.downloads_per_minute);
    assert_eq!(limits, (PerMinute::Of(7), PerMinute::Of(0)));
    let policy = &config.confidence;
    assert_eq!((policy.version.as_str(), policy.low_max, policy.mid_max), ("v7", 0.4, 0.9));
    assert!((policy.human_edit_neutral - 0.6).abs() < f64::EPSILON);
    assert!(!format!("{config:?}").contains("sixteen"), "a secret is printed");
    let both = [("LOG_LEVEL", "debug"), ("QUIRE_LOG_LEVEL", "error")];
    assert_eq!(load("", &both, &[]).unwrap().0.log.level, LogLevel::Error);
    for blank in ["AUTH_TOKEN", "LOG_LEVEL", "VET_RECORDS_DB_PATH", "VET_RECORDS_DISABLE_PROCESSING"] {
        load("", &[(blank, " ")], &[]).unwrap();
    }
}

#[test]
fn an_invalid_value_in_a_variable_of_another_program_is_refused() {
    for (name, value) in [
        ("VET_RECORDS_STORAGE_PATH", "  "),
        ("VET_RECORDS_DISABLE_PROCESSING", "perhaps"),
        ("LOG_LEVEL", "loud"),
        ("VET_RECORDS_RATE_LIMIT_UPLOAD", "7/hour"),
        ("VET_RECORDS_RATE_LIMIT_DOWNLOAD", "often"),
        ("AUTH_TOKEN", "hunter2"),
    ] {
        let error = error_of("", &[(name, value)]);
        assert!(error.contains(name) && error.contains("must"), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}

#[test]
fn every_alias_is_documented_and_sets_an_existing_setting() {
    let (_, layers) = load("", &[], &[]).unwrap();
    for alias in super::aliases::ALIASES {
        assert!(DEFAULTS.contains(alias.name), "{} is not in quire.default.toml", alias.name);
        assert!(layers.settings.contains_key(alias.key), "{}", alias.key);
    }
}
