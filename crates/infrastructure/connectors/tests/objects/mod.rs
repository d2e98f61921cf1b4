//! Object stores on the services of the tests.

mod confirmation;
mod credentials;
mod repetition;

use quire_connectors::blob::ObjectBlobs;
use quire_connectors::blob::object::{
    AzureSettings, ObjectLocation, Repetition, S3Encryption, S3Keys, S3Settings,
};
use quire_connectors::http::HttpOptions;
use quire_testkit::object_services::TestContainer;

/// The id of the key of S3. Its secret belongs to the server.
pub const S3_KEY: &str = "test";

/// Files in a container of Azurite.
pub fn azure(container: &TestContainer) -> ObjectBlobs {
    azure_at(container, &container.endpoint, "", Repetition::Short)
}

/// The same container at another address, which may be a proxy.
pub fn azure_at(
    container: &TestContainer,
    endpoint: &str,
    prefix: &str,
    repetition: Repetition,
) -> ObjectBlobs {
    let settings = AzureSettings::of_connection_string(&container.connection_string()).unwrap();
    let settings = AzureSettings { endpoint: Some(endpoint.to_owned()), ..settings };
    let location = ObjectLocation { container: container.name.clone(), prefix: prefix.to_owned() };
    ObjectBlobs::azure(&location, &settings, &HttpOptions::default(), repetition).unwrap()
}

/// Files in a bucket of S3, with requests signed by this secret.
pub fn s3(bucket: &TestContainer, secret: &str) -> ObjectBlobs {
    let settings = S3Settings {
        region: "us-east-1".to_owned(),
        endpoint: Some(bucket.endpoint.clone()),
        is_virtual_hosted: false,
        keys: Some(S3Keys { id: S3_KEY.to_owned(), secret: secret.to_owned(), session_token: None }),
        encryption: S3Encryption::S3,
    };
    let location = ObjectLocation { container: bucket.name.clone(), prefix: String::new() };
    ObjectBlobs::s3(&location, &settings, &HttpOptions::default(), Repetition::Short).unwrap()
}
