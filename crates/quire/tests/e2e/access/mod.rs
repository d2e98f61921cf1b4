//! Authentication, roles, rate limits, headers and the access audit.

mod audit;
mod headers;
mod health;
mod key_rotation;
mod keys;
mod login;
mod permissions;
mod proxies;
mod rate_limits;
mod stalled_clients;
mod token;
mod wrong_credentials;

use crate::http::Response;
use crate::program::TestServer;
use crate::test_env::TestEnv;
use crate::uploads::form::Form;

/// Access tests process no documents.
const NO_PROCESSING: [(&str, &str); 2] =
    [("QUIRE_UPLOADS_PROCESSING", "false"), ("QUIRE_READING_PARSERS", "1")];

impl TestEnv {
    /// Creates an API key and returns the header that sends it.
    pub fn create_key(&self, name: &str, roles: &str) -> String {
        let key = self.cli.run_ok(&["keys", "create", "--name", name, "--role", roles]);
        format!("Authorization: Bearer {}\r\n", key.trim_end())
    }
}

/// Uploads a short text with these additional headers.
fn upload(server: &TestServer, headers: &str) -> Response {
    upload_text(server, headers, "Paciente: Luna, una gata de tres a\u{f1}os que come bien.")
}

fn upload_text(server: &TestServer, headers: &str, text: &str) -> Response {
    Form::file("a.txt", text.as_bytes()).send_with(server, "/documents/upload", headers)
}
