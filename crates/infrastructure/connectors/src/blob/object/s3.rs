//! Amazon S3, and services that speak its protocol.

use object_store::RetryConfig;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};

use super::ObjectSettingsError;
use super::azure::require_encrypted;
use super::transport::Transport;

/// Variables by which a cloud tells a machine where to get its credentials.
const AMBIENT: [&str; 6] = [
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
];

/// How to reach a bucket.
#[derive(Clone)]
pub struct S3Settings {
    /// The region of the bucket.
    pub region: String,
    /// The address of the service, if it is not Amazon's.
    pub endpoint: Option<String>,
    /// Whether the bucket is a part of the host's name instead of the path. With an endpoint, the endpoint then names it.
    pub is_virtual_hosted: bool,
    /// The keys. Without them, the role of the machine is used.
    pub keys: Option<S3Keys>,
    /// How the service encrypts what it stores.
    pub encryption: S3Encryption,
}

/// An access key.
#[derive(Clone)]
pub struct S3Keys {
    /// The id of the key.
    pub id: String,
    /// The secret.
    pub secret: String,
    /// The token of a temporary key.
    pub session_token: Option<String>,
}

/// How the service encrypts what it stores.
#[derive(Clone)]
pub enum S3Encryption {
    /// As the bucket says.
    Bucket,
    /// With a key of S3.
    S3,
    /// With a key of the key service. Without an id, with the default one.
    Kms(Option<String>),
    /// Twice, with a key of the key service.
    DoubleKms(Option<String>),
    /// With this key of 32 bytes, in Base64, which the service does not keep.
    Customer(String),
}

impl S3Encryption {
    /// The options of the library.
    fn options(&self) -> Vec<(&'static str, String)> {
        let (kind, key) = match self {
            Self::Bucket => return Vec::new(),
            Self::S3 => ("AES256", None),
            Self::Kms(key) => ("aws:kms", key.clone().map(|key| ("aws_sse_kms_key_id", key))),
            Self::DoubleKms(key) => ("aws:kms:dsse", key.clone().map(|key| ("aws_sse_kms_key_id", key))),
            Self::Customer(key) => ("sse-c", Some(("aws_sse_customer_key_base64", key.clone()))),
        };
        key.into_iter().chain([("aws_server_side_encryption", kind.to_owned())]).collect()
    }
}

/// What a machine in a cloud knows about its credentials.
fn ambient_options() -> Vec<(&'static str, String)> {
    AMBIENT.iter().filter_map(|name| Some((*name, std::env::var(name).ok()?))).collect()
}

pub(super) fn service(
    bucket: &str,
    settings: &S3Settings,
    transport: Transport,
    retry: RetryConfig,
) -> Result<AmazonS3, ObjectSettingsError> {
    let mut builder = AmazonS3Builder::new()
        .with_http_connector(transport)
        .with_retry(retry)
        .with_bucket_name(bucket)
        .with_region(&settings.region)
        .with_virtual_hosted_style_request(settings.is_virtual_hosted);
    if let Some(endpoint) = &settings.endpoint {
        require_encrypted("endpoint", endpoint)?;
        builder = builder.with_endpoint(endpoint).with_allow_http(true);
    }
    if let Some(keys) = &settings.keys {
        builder = builder.with_access_key_id(&keys.id).with_secret_access_key(&keys.secret);
        if let Some(token) = &keys.session_token {
            builder = builder.with_token(token);
        }
    }
    let ambient = if settings.keys.is_some() { Vec::new() } else { ambient_options() };
    for (name, value) in ambient.into_iter().chain(settings.encryption.options()) {
        if let Ok(name) = name.to_lowercase().parse::<AmazonS3ConfigKey>() {
            builder = builder.with_config(name, value);
        }
    }
    // The library's message may contain a value.
    builder.build().map_err(|_| ObjectSettingsError::Setting {
        setting: "encryption_key",
        rule: "must be 32 bytes in Base64 for encryption \"customer\", and the other settings valid",
    })
}
