//! Server-sent events: the lines of a streamed response.

/// Collects bytes and returns the data of each event that is complete.
#[derive(Default)]
pub(in crate::model) struct EventParser {
    /// The bytes of a line that is not complete.
    line: Vec<u8>,
    data: String,
}

impl EventParser {
    /// The data of the events that these bytes complete. Comments and other fields are left out.
    pub(in crate::model) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            self.line.extend_from_slice(&rest[..end]);
            rest = &rest[end + 1..];
            let line = std::mem::take(&mut self.line);
            self.end_line(String::from_utf8_lossy(&line).trim_end_matches('\r'), &mut events);
        }
        self.line.extend_from_slice(rest);
        events
    }

    fn end_line(&mut self, line: &str, events: &mut Vec<String>) {
        if line.is_empty() {
            if !self.data.is_empty() {
                events.push(std::mem::take(&mut self.data));
            }
        } else if let Some(data) = line.strip_prefix("data:") {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_wherever_the_bytes_are_cut() {
        let text = ": comment\r\ndata: {\"a\":\"ñ\"}\r\n\r\nevent: x\nid: 7\ndata:b\ndata: c\n\n\n\ndata: [DONE]\n\ndata: lost";
        let expected = ["{\"a\":\"ñ\"}", "b\nc", "[DONE]"];
        for size in 1..text.len() {
            let mut parser = EventParser::default();
            let events: Vec<_> = text.as_bytes().chunks(size).flat_map(|bytes| parser.push(bytes)).collect();
            assert_eq!(events, expected, "pieces of {size} bytes");
        }
    }
}
