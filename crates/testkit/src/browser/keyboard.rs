//! Key events as a keyboard sends them.

use serde_json::{Value, json};

const CONTROL: u8 = 2;
const SHIFT: u8 = 8;

/// A key with its modifiers: `Enter`, `a`, `Shift+Tab`, `Control+s`.
pub(super) struct Key {
    name: String,
    modifiers: u8,
}

impl Key {
    pub(super) fn parse(text: &str) -> Self {
        let mut parts = text.split('+').collect::<Vec<_>>();
        // The key "+" itself.
        let name = if text.ends_with('+') { "+" } else { parts.pop().unwrap() };
        let bits = parts.iter().map(|modifier| match *modifier {
            "Alt" => 1,
            "Control" => CONTROL,
            "Meta" => 4,
            "Shift" => SHIFT,
            _ => 0,
        });
        Self { name: name.to_owned(), modifiers: bits.sum() }
    }

    /// The events of pressing and releasing the key.
    pub(super) fn events(&self) -> [Value; 2] {
        let (code, number) = self.code();
        let text = match self.name.as_str() {
            "Enter" => Some("\r"),
            "Space" => Some(" "),
            name if name.chars().count() == 1 && !self.is_command() => Some(name),
            _ => None,
        };
        let key = if self.name == "Space" { " " } else { &self.name };
        let event = |kind: &str, text: Option<&str>| {
            let mut event = json!({
                "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": self.modifiers,
            });
            if let Some(text) = text {
                event["text"] = text.into();
            }
            // The operating system turns only real key presses into editing commands.
            if kind != "keyUp" && self.is_select_all() {
                event["commands"] = json!(["selectAll"]);
            }
            event
        };
        [event(if text.is_some() { "keyDown" } else { "rawKeyDown" }, text), event("keyUp", None)]
    }

    fn is_select_all(&self) -> bool {
        self.name == "a" && self.modifiers == CONTROL
    }

    /// Whether the modifiers make it a command instead of a letter.
    fn is_command(&self) -> bool {
        self.modifiers & !SHIFT != 0
    }

    /// The code and the number of the key.
    fn code(&self) -> (String, u32) {
        let number = match self.name.as_str() {
            "Backspace" => 8,
            "Tab" => 9,
            "Enter" => 13,
            "Escape" => 27,
            "Space" => 32,
            "PageUp" => 33,
            "PageDown" => 34,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Delete" => 46,
            name => {
                let letter = name.chars().next().unwrap().to_ascii_uppercase();
                // Other characters have numbers that are not their character codes.
                return match letter {
                    'A'..='Z' => (format!("Key{letter}"), u32::from(letter)),
                    '0'..='9' => (format!("Digit{letter}"), u32::from(letter)),
                    '?' | '/' => ("Slash".to_owned(), 191),
                    '.' => ("Period".to_owned(), 190),
                    _ => (String::new(), 0),
                };
            }
        };
        (self.name.clone(), number)
    }
}
