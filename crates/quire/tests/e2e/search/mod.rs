//! Search over HTTP and on the command line.

mod asking;
mod endpoint;
mod finding;
mod hiding;
mod hostile;
mod indexing;
mod meaning;

/// A query as it stands in an address.
fn encoded(query: &str) -> String {
    let encode = |byte: u8| match byte {
        b' ' => "+".to_owned(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    query.bytes().map(encode).collect::<Vec<_>>().concat()
}
