//! A page in a browser, and what a person does with it.

use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::keyboard::Key;
use super::process;
use super::screenshot::packed;
use super::socket::Socket;

/// What takes longer does not happen.
const PATIENCE: Duration = Duration::from_mins(1);
/// The window, unless a test wants another.
const WINDOW: (u32, u32) = (1440, 900);

/// A page in a browser of its own.
pub struct Tab {
    socket: Socket,
    session: String,
    /// Its browser, which goes with the first of its pages.
    context: String,
    is_first: bool,
    origin: String,
}

impl Tab {
    /// An empty page, for a server at `HOST:PORT`. It has no cookies yet and speaks English.
    pub fn open(address: &str) -> Self {
        let mut socket = Socket::connect(process::address());
        let context = socket.command(None, "Target.createBrowserContext", &json!({})).unwrap();
        let context = context["browserContextId"].as_str().unwrap().to_owned();
        Self::within(socket, &context, true, format!("http://{address}"))
    }

    /// Another page beside it in the same browser, with the same cookies.
    #[must_use]
    pub fn open_another(&self) -> Self {
        Self::within(Socket::connect(process::address()), &self.context, false, self.origin.clone())
    }

    fn within(mut socket: Socket, context: &str, is_first: bool, origin: String) -> Self {
        let made = json!({ "url": "about:blank", "browserContextId": context });
        let target = socket.command(None, "Target.createTarget", &made).unwrap();
        let attached = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = socket.command(None, "Target.attachToTarget", &attached).unwrap();
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let mut tab = Self { socket, session, context: context.to_owned(), is_first, origin };
        for domain in ["Page", "Runtime", "Network", "Log", "DOM"] {
            tab.command(&format!("{domain}.enable"), json!({}));
        }
        // Nobody sits before the system's dialog for files: a test answers it.
        tab.command("Page.setInterceptFileChooserDialog", json!({ "enabled": true }));
        tab.set_language("en-GB");
        tab.resize(WINDOW.0, WINDOW.1);
        tab
    }

    /// Says this to the browser in its own protocol, about this page.
    pub fn command(&mut self, method: &str, parameters: Value) -> Value {
        self.try_command(method, parameters).unwrap_or_else(|error| panic!("{error}"))
    }

    #[allow(clippy::needless_pass_by_value)] // What is asked is written where it is asked.
    fn try_command(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.socket.command(Some(&self.session), method, &parameters)
    }

    /// The size of the window.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.command("Emulation.setDeviceMetricsOverride", size);
    }

    /// The language that the browser asks for.
    pub fn set_language(&mut self, language: &str) {
        let agent =
            json!({ "userAgent": "Mozilla/5.0 (X11; Linux x86_64) Chrome", "acceptLanguage": language });
        self.command("Emulation.setUserAgentOverride", agent);
    }

    /// The colours that the system likes: `dark` or `light`.
    pub fn set_color_scheme(&mut self, colours: &str) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": colours }] });
        self.command("Emulation.setEmulatedMedia", features);
    }

    /// Remembers a cookie of the server.
    pub fn set_cookie(&mut self, name: &str, value: &str) {
        let cookie = json!({ "name": name, "value": value, "url": self.origin });
        self.command("Network.setCookie", cookie);
    }

    /// Goes to a page of the server and waits until it is there.
    pub fn go(&mut self, path: &str) {
        self.socket.forget("Page.loadEventFired");
        let url = format!("{}{path}", self.origin);
        let answer = self.command("Page.navigate", json!({ "url": url }));
        assert!(answer["errorText"].is_null(), "{url}: {}", answer["errorText"]);
        self.socket.wait_for_event("Page.loadEventFired");
    }

    /// What an expression of JavaScript says; a promise is waited for.
    pub fn eval(&mut self, expression: &str) -> Value {
        self.try_eval(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_eval(&mut self, expression: &str) -> Result<Value, String> {
        let question = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.try_command("Runtime.evaluate", question)?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(details["exception"]["description"].to_string()),
            None => Ok(answer["result"]["value"].take()),
        }
    }

    /// Looks until an expression is true. A page that is left meanwhile is looked at again when the next is there.
    pub fn until(&mut self, expression: &str) {
        let begun = Instant::now();
        loop {
            let seen = self.try_eval(&format!("Boolean({expression})"));
            if seen == Ok(Value::Bool(true)) {
                return;
            }
            if begun.elapsed() > PATIENCE {
                let shown =
                    self.try_eval("location.href + '\\n' + document.body?.innerText").unwrap_or_default();
                panic!("never: {expression} ({seen:?})\n{}", shown.as_str().unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Looks until something of this selector is to be seen.
    pub fn until_seen(&mut self, selector: &str) {
        let selector = json!(selector);
        self.until(&format!("[...document.querySelectorAll({selector})].some((e) => e.checkVisibility())"));
    }

    /// Looks until something of this selector has that text in it.
    pub fn until_text(&mut self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        self.until(&format!(
            "[...document.querySelectorAll({selector})].some((e) => e.checkVisibility() && e.textContent.includes({text}))"
        ));
    }

    /// The text of the first of this selector, as it is seen.
    pub fn text(&mut self, selector: &str) -> String {
        let selector = json!(selector);
        self.eval(&format!("document.querySelector({selector})?.innerText ?? ''"))
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// How many there are of this selector.
    pub fn count(&mut self, selector: &str) -> u64 {
        let selector = json!(selector);
        self.eval(&format!("document.querySelectorAll({selector}).length")).as_u64().unwrap()
    }

    /// The middle of the first of this selector that is to be seen, in the window.
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        self.until_seen(selector);
        let selector = json!(selector);
        let middle = self.eval(&format!(
            "(() => {{ const e = [...document.querySelectorAll({selector})].find((e) => e.checkVisibility()); \
             e.scrollIntoView({{ block: 'nearest', inline: 'nearest', behavior: 'instant' }}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] }})()"
        ));
        (middle[0].as_f64().unwrap(), middle[1].as_f64().unwrap())
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64), held: u8) {
        let (button, buttons, count) = match kind {
            "mouseMoved" => ("none", 0, 0),
            _ => ("left", 1, 1),
        };
        let event = json!({
            "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": count, "modifiers": held,
        });
        self.command("Input.dispatchMouseEvent", event);
    }

    /// Moves the mouse there.
    pub fn hover(&mut self, selector: &str) {
        let place = self.middle(selector);
        self.mouse("mouseMoved", place, 0);
    }

    /// Clicks there.
    pub fn click(&mut self, selector: &str) {
        let place = self.middle(selector);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.mouse(kind, place, 0);
        }
    }

    /// Presses a key, such as `Enter`, `a` or `Shift+Tab`.
    pub fn press(&mut self, key: &str) {
        for stroke in Key::parse(key).strokes() {
            self.command("Input.dispatchKeyEvent", stroke);
        }
    }

    /// Types a text, letter by letter.
    pub fn type_text(&mut self, text: &str) {
        for letter in text.chars() {
            let letter = letter.to_string();
            if letter.is_ascii() {
                self.press(if letter == " " { "Space" } else { &letter });
            } else {
                self.command("Input.insertText", json!({ "text": letter }));
            }
        }
    }

    /// Drags these files from outside onto the first of this selector and lets them fall.
    pub fn drop_files(&mut self, selector: &str, files: &[&Path]) {
        let (x, y) = self.middle(selector);
        let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
        for kind in ["dragEnter", "dragOver", "drop"] {
            let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
            self.command("Input.dispatchDragEvent", json!({ "type": kind, "x": x, "y": y, "data": data }));
        }
    }

    /// Chooses these files in a field for files.
    pub fn choose_files(&mut self, selector: &str, files: &[&Path]) {
        let document = self.command("DOM.getDocument", json!({}));
        let root = &document["root"]["nodeId"];
        let found = self.command("DOM.querySelector", json!({ "nodeId": root, "selector": selector }));
        let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
        self.command("DOM.setFileInputFiles", json!({ "nodeId": found["nodeId"], "files": files }));
    }

    /// Chooses these files in the system's dialog that the page has opened.
    pub fn answer_file_chooser(&mut self, files: &[&Path]) {
        let opened = self.socket.wait_for_event("Page.fileChooserOpened");
        let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
        let chosen = json!({ "backendNodeId": opened["params"]["backendNodeId"], "files": files });
        self.command("DOM.setFileInputFiles", chosen);
    }

    /// Answers the dialog that a page shows when it is left.
    pub fn answer_dialog(&mut self, accept: bool) {
        self.socket.wait_for_event("Page.javascriptDialogOpening");
        self.command("Page.handleJavaScriptDialog", json!({ "accept": accept }));
    }

    /// Keeps a picture of what is seen, as a PNG.
    pub fn screenshot(&mut self, file: &Path) {
        let picture = self.command("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = STANDARD.decode(picture["data"].as_str().unwrap()).unwrap();
        std::fs::write(file, packed(&bytes)).unwrap();
    }

    /// What went wrong on its pages: exceptions, broken policies, questions to others than the server.
    pub fn page_errors(&self) -> Vec<String> {
        self.socket.events().iter().filter_map(|message| self.page_error(message)).collect()
    }

    fn page_error(&self, message: &Value) -> Option<String> {
        let told = &message["params"];
        match message["method"].as_str()? {
            "Runtime.exceptionThrown" => Some(told["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if told["type"] == "error" => Some(told["args"].to_string()),
            "Log.entryAdded" if told["entry"]["source"] == "security" => {
                Some(told["entry"]["text"].to_string())
            }
            "Network.requestWillBeSent" => {
                let url = told["request"]["url"].as_str()?;
                let is_own = url.starts_with(&format!("{}/", self.origin))
                    || ["data:", "blob:", "about:"].iter().any(|kind| url.starts_with(kind));
                (!is_own).then(|| format!("asked {url}"))
            }
            _ => None,
        }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        // What happened until now is told before the answer to a question.
        let _ = self.try_command("Page.getLayoutMetrics", json!({}));
        let troubles = self.page_errors();
        if self.is_first {
            let _ = self.socket.command(
                None,
                "Target.disposeBrowserContext",
                &json!({ "browserContextId": self.context }),
            );
        }
        assert!(troubles.is_empty(), "the pages had troubles: {troubles:#?}");
    }
}
