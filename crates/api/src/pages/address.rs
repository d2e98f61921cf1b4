//! Addresses of pages with their parameters.

/// The addresses of the previous and the next page.
pub(super) struct Paging {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

impl Paging {
    /// The largest offset.
    pub(super) const MAX_OFFSET: u32 = 100_000;

    /// The paging of a list; `from` is the address of the page at an offset.
    pub(super) fn of(skip: u32, shown: u32, has_more: bool, from: impl Fn(u32) -> String) -> Self {
        Self {
            before: (skip > 0).then(|| from(skip.saturating_sub(shown))),
            after: (has_more && skip + shown <= Self::MAX_OFFSET).then(|| from(skip + shown)),
        }
    }
}

/// An address with the parameters that are not empty.
pub(super) fn address(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(parameters.iter().filter(|(_, value)| !value.is_empty()));
    let query = query.finish();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leaves_out_empty_parameters() {
        assert_eq!(address("/a", &[("b", ""), ("c", "")]), "/a");
        assert_eq!(address("/a", &[("b", "x y"), ("c", ""), ("d", "1&2")]), "/a?b=x+y&d=1%262");
    }
}
