//! Who is answered, how often, with which headers, and what is remembered of it: with the real program, on both stores.

mod audit;
mod headers;
mod health;
mod keys;
mod limits;
mod login;
mod token;

use crate::http::{Answer, text};
use crate::program::Server;
use crate::scene::Scene;
use crate::uploading::form::Form;

/// What is guarded is the server, so that nothing needs to be read.
const QUIET: [(&str, &str); 2] = [("QUIRE_UPLOADS_PROCESSING", "false"), ("QUIRE_READING_PARSERS", "1")];

impl Scene {
    /// A new key, as the header that presents it.
    pub fn key(&self, name: &str, roles: &str) -> String {
        let key = self.quire.says(&["keys", "create", "--name", name, "--role", roles]);
        format!("Authorization: Bearer {}\r\n", key.trim_end())
    }
}

/// Asks for that, with these further lines in the head.
fn ask(server: &Server, request: &str, head: &str) -> Answer {
    server.send(request, head, "").map(text)
}

/// Uploads a small text.
fn upload(server: &Server, head: &str) -> Answer {
    upload_text(server, head, "Paciente: Luna, una gata de tres a\u{f1}os que come bien.")
}

fn upload_text(server: &Server, head: &str, text: &str) -> Answer {
    Form::file("a.txt", text.as_bytes()).send_with(server, "/documents/upload", head)
}
