//! Azure Blob Storage.

use hyper::Uri;
use object_store::RetryConfig;
use object_store::azure::{AzureConfigKey, MicrosoftAzure, MicrosoftAzureBuilder};

use super::ObjectSettingsError;
use super::transport::Transport;
use crate::http::is_this_machine;

/// How to reach a storage account.
#[derive(Clone)]
pub struct AzureSettings {
    /// The name of the storage account.
    pub account: String,
    /// The address of the account, if it is not `https://ACCOUNT.blob.core.windows.net`.
    pub endpoint: Option<String>,
    /// The credential.
    pub credential: AzureCredential,
    /// A key of 32 bytes in Base64, with which the service encrypts what it stores. Without one it uses its own.
    pub encryption_key: Option<String>,
}

/// How to log in to a storage account.
#[derive(Clone)]
pub enum AzureCredential {
    /// A key of the account, in Base64.
    Key(String),
    /// A shared access signature: the query of a URL.
    Sas(String),
    /// An application registered in Entra ID.
    Application {
        /// The tenant of the application.
        tenant: String,
        /// The id of the application.
        client: String,
        /// Its secret, or the path of a file with a token of a Kubernetes cluster.
        proof: ApplicationProof,
    },
    /// The identity of the machine.
    ManagedIdentity {
        /// The id of a user-assigned one.
        client: Option<String>,
        /// The address that gives its token, if it is not that of a virtual machine.
        endpoint: Option<String>,
    },
}

/// How an application proves what it is.
#[derive(Clone)]
pub enum ApplicationProof {
    /// A secret.
    Secret(String),
    /// The path of a file with a token.
    TokenFile(String),
}

impl AzureSettings {
    /// Reads a connection string, as the portal of Azure shows it.
    pub fn of_connection_string(text: &str) -> Result<Self, ObjectSettingsError> {
        let part = |name: &str| {
            let found = text.split(';').find_map(|part| {
                let (key, value) = part.trim().split_once('=')?;
                key.eq_ignore_ascii_case(name).then(|| value.to_owned())
            });
            found.filter(|value| !value.is_empty())
        };
        let endpoint = part("BlobEndpoint").or_else(|| {
            let suffix = part("EndpointSuffix").filter(|suffix| suffix != "core.windows.net")?;
            Some(format!("https://{}.blob.{suffix}", part("AccountName")?))
        });
        // A connection string with a signature names its account only in its address.
        let account = part("AccountName").or_else(|| account_of(endpoint.as_deref()?));
        let credential = match (part("AccountKey"), part("SharedAccessSignature")) {
            (Some(key), _) => Some(AzureCredential::Key(key)),
            (None, Some(signature)) => Some(AzureCredential::Sas(signature)),
            (None, None) => None,
        };
        match (account, credential) {
            (Some(account), Some(credential)) => {
                Ok(Self { account, endpoint, credential, encryption_key: None })
            }
            _ => Err(ObjectSettingsError::Setting {
                setting: "connection_string",
                rule: "must have AccountName with AccountKey, or BlobEndpoint with SharedAccessSignature",
            }),
        }
    }
}

/// The account in an address such as `https://ACCOUNT.blob.core.windows.net`.
fn account_of(endpoint: &str) -> Option<String> {
    let uri: Uri = endpoint.parse().ok()?;
    uri.host()?.split_once('.').map(|(account, _)| account.to_owned())
}

pub(super) fn service(
    container: &str,
    settings: &AzureSettings,
    transport: Transport,
    retry: RetryConfig,
) -> Result<MicrosoftAzure, ObjectSettingsError> {
    let mut builder = MicrosoftAzureBuilder::new()
        .with_http_connector(transport)
        .with_retry(retry)
        .with_container_name(container)
        .with_account(&settings.account);
    if let Some(endpoint) = &settings.endpoint {
        require_encrypted("endpoint", endpoint)?;
        builder = builder.with_endpoint(endpoint.clone()).with_allow_http(true);
    }
    builder = match &settings.credential {
        AzureCredential::Key(key) => builder.with_access_key(key),
        AzureCredential::Sas(signature) => {
            builder.with_config(AzureConfigKey::SasKey, signature.trim_start_matches('?'))
        }
        AzureCredential::Application { tenant, client, proof } => {
            let builder = builder.with_tenant_id(tenant).with_client_id(client);
            match proof {
                ApplicationProof::Secret(secret) => builder.with_client_secret(secret),
                ApplicationProof::TokenFile(path) => builder.with_federated_token_file(path),
            }
        }
        AzureCredential::ManagedIdentity { client, endpoint } => {
            if let Some(client) = client {
                builder = builder.with_client_id(client);
            }
            if let Some(endpoint) = endpoint {
                builder = builder.with_msi_endpoint(endpoint);
            }
            builder
        }
    };
    if let Some(key) = &settings.encryption_key {
        builder = builder.with_encryption_key(key);
    }
    builder.build().map_err(|error| refused(&error, settings))
}

/// The library says what is wrong, but its messages may contain the value.
fn refused(_: &object_store::Error, settings: &AzureSettings) -> ObjectSettingsError {
    let (setting, rule) = match (&settings.encryption_key, &settings.credential) {
        (Some(_), _) => ("encryption_key", "must be 32 bytes in Base64, and the other settings valid"),
        (None, AzureCredential::Key(_)) => ("access_key", "must be the key of the account, in Base64"),
        (None, AzureCredential::Sas(_)) => ("sas_token", "must be the query of a shared access signature"),
        _ => ("endpoint", "must be a URL such as https://account.blob.core.windows.net"),
    };
    ObjectSettingsError::Setting { setting, rule }
}

/// Refuses to send files and credentials unencrypted to another machine.
pub(super) fn require_encrypted(setting: &'static str, url: &str) -> Result<(), ObjectSettingsError> {
    let rule = "must be an https:// URL; http:// is possible only for this machine";
    let refused = || ObjectSettingsError::Setting { setting, rule };
    let uri: Uri = url.parse().map_err(|_| refused())?;
    match uri.scheme_str() {
        Some("https") => Ok(()),
        Some("http") if is_this_machine(&uri) => Ok(()),
        _ => Err(refused()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_string_is_read_as_the_portal_shows_it() {
        let text = "DefaultEndpointsProtocol=https;AccountName=acme;AccountKey=a2V5PT0=;EndpointSuffix=core.windows.net";
        let settings = AzureSettings::of_connection_string(text).unwrap();
        assert_eq!((settings.account.as_str(), settings.endpoint), ("acme", None));
        assert!(matches!(settings.credential, AzureCredential::Key(key) if key == "a2V5PT0="));

        let text = "BlobEndpoint=https://acme.blob.core.windows.net/;SharedAccessSignature=sv=2024&sig=x%3D";
        let settings = AzureSettings::of_connection_string(text).unwrap();
        assert_eq!(settings.account, "acme");
        assert!(matches!(settings.credential, AzureCredential::Sas(sas) if sas == "sv=2024&sig=x%3D"));

        let other = "AccountName=acme;AccountKey=x;EndpointSuffix=core.chinacloudapi.cn";
        let settings = AzureSettings::of_connection_string(other).unwrap();
        assert_eq!(settings.endpoint.as_deref(), Some("https://acme.blob.core.chinacloudapi.cn"));
        for bad in ["", "AccountName=acme", "AccountKey=SECRET", "SECRET"] {
            let error = AzureSettings::of_connection_string(bad).err().unwrap().to_string();
            assert!(error.starts_with("connection_string must") && !error.contains("SECRET"), "{error}");
        }
    }

    #[test]
    fn only_this_machine_is_reached_without_encryption() {
        for good in ["https://a.example", "http://127.0.0.1:10000/a", "http://localhost:1", "http://[::1]:1"]
        {
            assert!(require_encrypted("endpoint", good).is_ok(), "{good}");
        }
        for bad in
            ["http://a.example", "http://10.0.0.1", "ftp://a", "a.example", "", "http://127.0.0.1.example"]
        {
            assert!(require_encrypted("endpoint", bad).is_err(), "{bad}");
        }
    }
}
