//! A page in a browser, with the actions of a person.

use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::keyboard::Key;
use super::process;
use super::screenshot::compress;
use super::socket::Socket;

/// How long a test waits before it fails.
const TIMEOUT: Duration = Duration::from_mins(1);
/// The default size of the window.
const WINDOW: (u32, u32) = (1440, 900);

/// A page in a browser context of its own.
pub struct Tab {
    socket: Socket,
    session: String,
    /// The browser context. The first tab disposes of it.
    context: String,
    is_first: bool,
    origin: String,
}

impl Tab {
    /// Opens an empty page for a server at `HOST:PORT`. It has no cookies, and its language is English.
    pub fn open(address: &str) -> Self {
        let mut socket = Socket::connect(process::address());
        let context = socket.command(None, "Target.createBrowserContext", &json!({})).unwrap();
        let context = context["browserContextId"].as_str().unwrap().to_owned();
        Self::in_context(socket, &context, true, format!("http://{address}"))
    }

    /// Opens another page in the same browser context, with the same cookies.
    #[must_use]
    pub fn open_another(&self) -> Self {
        Self::in_context(Socket::connect(process::address()), &self.context, false, self.origin.clone())
    }

    fn in_context(mut socket: Socket, context: &str, is_first: bool, origin: String) -> Self {
        let made = json!({ "url": "about:blank", "browserContextId": context });
        let target = socket.command(None, "Target.createTarget", &made).unwrap();
        let attached = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = socket.command(None, "Target.attachToTarget", &attached).unwrap();
        let session = attached["sessionId"].as_str().unwrap().to_owned();
        let mut tab = Self { socket, session, context: context.to_owned(), is_first, origin };
        for domain in ["Page", "Runtime", "Network", "Log", "DOM"] {
            tab.command(&format!("{domain}.enable"), json!({}));
        }
        // A test answers the dialog that chooses files.
        tab.command("Page.setInterceptFileChooserDialog", json!({ "enabled": true }));
        tab.set_language("en-GB");
        tab.resize(WINDOW.0, WINDOW.1);
        tab
    }

    /// Sends a `DevTools` command for this page.
    pub fn command(&mut self, method: &str, parameters: Value) -> Value {
        self.try_command(method, parameters).unwrap_or_else(|error| panic!("{error}"))
    }

    #[allow(clippy::needless_pass_by_value)] // Callers write the parameters in place.
    fn try_command(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.socket.command(Some(&self.session), method, &parameters)
    }

    /// Sets the size of the window.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.command("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sets the language of the browser's requests.
    pub fn set_language(&mut self, language: &str) {
        let agent =
            json!({ "userAgent": "Mozilla/5.0 (X11; Linux x86_64) Chrome", "acceptLanguage": language });
        self.command("Emulation.setUserAgentOverride", agent);
    }

    /// Sets the preferred colour scheme: `dark` or `light`.
    pub fn set_color_scheme(&mut self, colours: &str) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": colours }] });
        self.command("Emulation.setEmulatedMedia", features);
    }

    /// Sets a cookie of the server.
    pub fn set_cookie(&mut self, name: &str, value: &str) {
        let cookie = json!({ "name": name, "value": value, "url": self.origin });
        self.command("Network.setCookie", cookie);
    }

    /// Opens a page of the server and waits until it is loaded.
    pub fn go(&mut self, path: &str) {
        self.socket.forget("Page.loadEventFired");
        let url = format!("{}{path}", self.origin);
        let answer = self.command("Page.navigate", json!({ "url": url }));
        assert!(answer["errorText"].is_null(), "{url}: {}", answer["errorText"]);
        self.socket.wait_for_event("Page.loadEventFired");
    }

    /// Evaluates a JavaScript expression. Waits for it if it is a promise.
    pub fn eval(&mut self, expression: &str) -> Value {
        self.try_eval(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_eval(&mut self, expression: &str) -> Result<Value, String> {
        let parameters = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = self.try_command("Runtime.evaluate", parameters)?;
        match answer.get("exceptionDetails") {
            Some(details) => Err(details["exception"]["description"].to_string()),
            None => Ok(answer["result"]["value"].take()),
        }
    }

    /// Waits until an expression is true, also across page loads.
    pub fn until(&mut self, expression: &str) {
        let started = Instant::now();
        loop {
            let value = self.try_eval(&format!("Boolean({expression})"));
            if value == Ok(Value::Bool(true)) {
                return;
            }
            if started.elapsed() > TIMEOUT {
                let shown =
                    self.try_eval("location.href + '\\n' + document.body?.innerText").unwrap_or_default();
                panic!("never true: {expression} ({value:?})\n{}", shown.as_str().unwrap_or_default());
            }
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Waits until an element of this selector is visible.
    pub fn until_seen(&mut self, selector: &str) {
        let selector = json!(selector);
        self.until(&format!("[...document.querySelectorAll({selector})].some((e) => e.checkVisibility())"));
    }

    /// Waits until a visible element of this selector contains this text.
    pub fn until_text(&mut self, selector: &str, text: &str) {
        let (selector, text) = (json!(selector), json!(text));
        self.until(&format!(
            "[...document.querySelectorAll({selector})].some((e) => e.checkVisibility() && e.textContent.includes({text}))"
        ));
    }

    /// The visible text of the first element of this selector.
    pub fn text(&mut self, selector: &str) -> String {
        let selector = json!(selector);
        self.eval(&format!("document.querySelector({selector})?.innerText ?? ''"))
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// The number of elements of this selector.
    pub fn count(&mut self, selector: &str) -> u64 {
        let selector = json!(selector);
        self.eval(&format!("document.querySelectorAll({selector}).length")).as_u64().unwrap()
    }

    /// The centre of the first visible element of this selector, in window coordinates.
    fn centre(&mut self, selector: &str) -> (f64, f64) {
        self.until_seen(selector);
        let selector = json!(selector);
        let centre = self.eval(&format!(
            "(() => {{ const e = [...document.querySelectorAll({selector})].find((e) => e.checkVisibility()); \
             e.scrollIntoView({{ block: 'nearest', inline: 'nearest', behavior: 'instant' }}); \
             const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] }})()"
        ));
        (centre[0].as_f64().unwrap(), centre[1].as_f64().unwrap())
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64), modifiers: u8) {
        let (button, buttons, count) = match kind {
            "mouseMoved" => ("none", 0, 0),
            _ => ("left", 1, 1),
        };
        let event = json!({
            "type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": count, "modifiers": modifiers,
        });
        self.command("Input.dispatchMouseEvent", event);
    }

    /// Moves the mouse over an element.
    pub fn hover(&mut self, selector: &str) {
        let position = self.centre(selector);
        self.mouse("mouseMoved", position, 0);
    }

    /// Clicks an element. Clicks again if the page moved or replaced it before the mouse reached it.
    pub fn click(&mut self, selector: &str) {
        let started = Instant::now();
        while started.elapsed() < TIMEOUT {
            let position = self.centre(selector);
            self.eval(&format!(
                "window.isClickMissed = true; addEventListener('click', (event) => {{ \
                 window.isClickMissed = !event.target.closest({}) }}, {{ capture: true, once: true }})",
                json!(selector)
            ));
            self.click_at(position);
            // A page that the click has loaded does not know the variable.
            if self.try_eval("window.isClickMissed") != Ok(Value::Bool(true)) {
                return;
            }
        }
        panic!("no click reached {selector}");
    }

    /// Clicks in the middle of an element that lies under another one.
    pub fn click_through(&mut self, selector: &str) {
        let position = self.centre(selector);
        self.click_at(position);
    }

    fn click_at(&mut self, position: (f64, f64)) {
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.mouse(kind, position, 0);
        }
    }

    /// Presses a key, such as `Enter`, `a` or `Shift+Tab`.
    pub fn press(&mut self, key: &str) {
        for event in Key::parse(key).events() {
            self.command("Input.dispatchKeyEvent", event);
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

    /// Drops files on the first visible element of this selector.
    pub fn drop_files(&mut self, selector: &str, files: &[&Path]) {
        let (x, y) = self.centre(selector);
        let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
        for kind in ["dragEnter", "dragOver", "drop"] {
            let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
            self.command("Input.dispatchDragEvent", json!({ "type": kind, "x": x, "y": y, "data": data }));
        }
    }

    /// Chooses files in a file input.
    pub fn choose_files(&mut self, selector: &str, files: &[&Path]) {
        let document = self.command("DOM.getDocument", json!({}));
        let root = &document["root"]["nodeId"];
        let found = self.command("DOM.querySelector", json!({ "nodeId": root, "selector": selector }));
        let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
        self.command("DOM.setFileInputFiles", json!({ "nodeId": found["nodeId"], "files": files }));
    }

    /// Chooses files in the file dialog that the page has opened.
    pub fn answer_file_chooser(&mut self, files: &[&Path]) {
        let opened = self.socket.wait_for_event("Page.fileChooserOpened");
        let files: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
        let chosen = json!({ "backendNodeId": opened["params"]["backendNodeId"], "files": files });
        self.command("DOM.setFileInputFiles", chosen);
    }

    /// Answers the dialog that a page shows before the browser leaves it.
    pub fn answer_dialog(&mut self, accept: bool) {
        self.socket.wait_for_event("Page.javascriptDialogOpening");
        self.command("Page.handleJavaScriptDialog", json!({ "accept": accept }));
    }

    /// Saves a screenshot as a PNG.
    pub fn screenshot(&mut self, file: &Path) {
        let image = self.command("Page.captureScreenshot", json!({ "format": "png" }));
        let bytes = STANDARD.decode(image["data"].as_str().unwrap()).unwrap();
        std::fs::write(file, compress(&bytes)).unwrap();
    }

    /// The errors of its pages: exceptions, broken content policies, requests to other servers.
    pub fn page_errors(&self) -> Vec<String> {
        self.socket.events().iter().filter_map(|message| self.page_error(message)).collect()
    }

    fn page_error(&self, message: &Value) -> Option<String> {
        let parameters = &message["params"];
        match message["method"].as_str()? {
            "Runtime.exceptionThrown" => Some(parameters["exceptionDetails"].to_string()),
            "Runtime.consoleAPICalled" if parameters["type"] == "error" => {
                Some(parameters["args"].to_string())
            }
            "Log.entryAdded" if parameters["entry"]["source"] == "security" => {
                Some(parameters["entry"]["text"].to_string())
            }
            "Network.requestWillBeSent" => {
                let url = parameters["request"]["url"].as_str()?;
                let is_own = url.starts_with(&format!("{}/", self.origin))
                    || ["data:", "blob:", "about:"].iter().any(|kind| url.starts_with(kind));
                (!is_own).then(|| format!("request to {url}"))
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
        // The result of this command arrives after all events until now.
        let _ = self.try_command("Page.getLayoutMetrics", json!({}));
        let errors = self.page_errors();
        if self.is_first {
            let _ = self.socket.command(
                None,
                "Target.disposeBrowserContext",
                &json!({ "browserContextId": self.context }),
            );
        }
        assert!(errors.is_empty(), "the pages had errors: {errors:#?}");
    }
}
