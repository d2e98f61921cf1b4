//! The JSON in an answer. A model that only the prompt tells about the form puts it into a code fence or thinks aloud first.

/// The part of an answer that is JSON, if there is exactly such a part; otherwise the whole answer.
pub(super) fn json_of(text: String) -> String {
    let is_json = |part: &str| serde_json::from_str::<serde::de::IgnoredAny>(part).is_ok();
    if is_json(&text) {
        return text;
    }
    let spoken = text.rsplit_once("</think>").map_or(text.as_str(), |(_, spoken)| spoken);
    let inner = match (spoken.find('{'), spoken.rfind('}')) {
        (Some(start), Some(end)) if start < end => &spoken[start..=end],
        _ => spoken,
    };
    if is_json(inner) { inner.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_thoughts_and_prose_around_json_are_left_out() {
        for (text, expected) in [
            ("{\"a\":1}", "{\"a\":1}"),
            ("```json\n{\"a\":1}\n```", "{\"a\":1}"),
            ("<think>{maybe}</think>\n{\"a\":1}", "{\"a\":1}"),
            ("Here you are: {\"a\":{}} Anything else?", "{\"a\":{}}"),
            ("{\"a\":", "{\"a\":"),
            ("no", "no"),
            ("} {", "} {"),
        ] {
            assert_eq!(json_of(text.to_owned()), expected, "{text}");
        }
    }
}
