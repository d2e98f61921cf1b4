//! Keys as a keyboard sends them.

use serde_json::{Value, json};

const CONTROL: u8 = 2;
const SHIFT: u8 = 8;

/// A key, with what is held down: `Enter`, `a`, `Shift+Tab`, `Control+s`.
pub(super) struct Key {
    name: String,
    modifiers: u8,
}

impl Key {
    pub(super) fn parse(text: &str) -> Self {
        let mut held = text.split('+').collect::<Vec<_>>();
        // The key "+" itself.
        let name = if text.ends_with('+') { "+" } else { held.pop().unwrap() };
        let bits = held.iter().map(|held| match *held {
            "Alt" => 1,
            "Control" => CONTROL,
            "Meta" => 4,
            "Shift" => SHIFT,
            _ => 0,
        });
        Self { name: name.to_owned(), modifiers: bits.sum() }
    }

    /// What is sent when it goes down, and when it comes up.
    pub(super) fn strokes(&self) -> [Value; 2] {
        let (code, number) = self.place();
        let text = match self.name.as_str() {
            "Enter" => Some("\r"),
            "Space" => Some(" "),
            name if name.chars().count() == 1 && !self.commands() => Some(name),
            _ => None,
        };
        let key = if self.name == "Space" { " " } else { &self.name };
        let stroke = |kind: &str, text: Option<&str>| {
            let mut stroke = json!({
                "type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": self.modifiers,
            });
            if let Some(text) = text {
                stroke["text"] = text.into();
            }
            // What the system makes of keys, it makes of real ones only.
            if kind != "keyUp" && self.is_select_all() {
                stroke["commands"] = json!(["selectAll"]);
            }
            stroke
        };
        [stroke(if text.is_some() { "keyDown" } else { "rawKeyDown" }, text), stroke("keyUp", None)]
    }

    fn is_select_all(&self) -> bool {
        self.name == "a" && self.modifiers == CONTROL
    }

    /// Whether what is held down makes it a command and no letter.
    fn commands(&self) -> bool {
        self.modifiers & !SHIFT != 0
    }

    /// The name and the number of its place on the keyboard.
    fn place(&self) -> (String, u32) {
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
                // Other signs have numbers of their own: that of a point is no letter's.
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
