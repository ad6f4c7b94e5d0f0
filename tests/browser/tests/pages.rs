//! Opens the pages of catalogue results in headless Chromium: steps through them, and compares the document with
//! the report model of the page and with the trace that the same command saved.
//!
//! Needs `chromium` and `chromedriver`, and the binary of Linchpin: `LINCHPIN`, or `target/debug/linchpin`.
//! `LINCHPIN_SCREENSHOTS=DIR` keeps a picture of each page at 1280 and at 400 pixels.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use thirtyfour::prelude::*;

/// Pages of counterexamples: the model and the options of `check`.
const EXECUTIONS: [(&str, &[&str]); 9] = [
    ("treiber_stack_reuse", &[]),
    ("ms_queue_swapped", &[]),
    ("ms_queue_reuse", &[]),
    ("two_lock_queue_early_point", &[]),
    ("snark_deque", &[]),
    ("lms_queue_reuse", &[]),
    ("treiber_stack_as_fifo", &[]),
    // A lasso.
    ("clh_lock", &[]),
    // A stuck execution.
    ("fine_list_locks_backwards", &[]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn linchpin(directory: &Path, arguments: &[&str]) {
    let binary = std::env::var_os("LINCHPIN").map_or(root().join("target/debug/linchpin"), PathBuf::from);
    let output = Command::new(&binary).current_dir(directory).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}", binary.display()));
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A running driver, ended with the test.
struct Chromium {
    process: Child,
    driver: WebDriver,
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Chromium {
    async fn start(profile: &Path) -> WebDriverResult<Chromium> {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = socket.local_addr().expect("an address").port();
        drop(socket);
        let process = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed");
        let mut options = DesiredCapabilities::chrome();
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] {
            options.add_arg(argument)?;
        }
        options.add_arg(&format!("--user-data-dir={}", profile.display()))?;
        // Messages of the console, and every request.
        let logs = serde_json::json!({ "browser": "ALL", "performance": "ALL" });
        options.insert_base_capability("goog:loggingPrefs".to_string(), logs);
        let address = format!("http://127.0.0.1:{port}");
        for _ in 0..100 {
            if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let driver = WebDriver::new(&address, options).await?;
        Ok(Chromium { process, driver })
    }
}

/// A page in the browser.
struct Opened<'a> {
    driver: &'a WebDriver,
    name: String,
}

impl<'a> Opened<'a> {
    async fn new(driver: &'a WebDriver, file: &Path, width: u32) -> WebDriverResult<Opened<'a>> {
        let name = file.file_stem().expect("a name").to_string_lossy().to_string();
        driver.set_window_rect(0, 0, width, 900).await?;
        driver.goto(format!("file://{}", file.display())).await?;
        let page = Opened { driver, name };
        if let Some(directory) = std::env::var_os("LINCHPIN_SCREENSHOTS") {
            let picture = Path::new(&directory).join(format!("{}-{width}.png", page.name));
            driver.screenshot(&picture).await?;
        }
        Ok(page)
    }

    async fn value(&self, script: &str) -> WebDriverResult<Value> {
        Ok(self.driver.execute(format!("return {script}"), Vec::new()).await?.json().clone())
    }

    async fn number(&self, script: &str) -> WebDriverResult<u64> {
        let value = self.value(script).await?;
        Ok(value.as_u64().unwrap_or_else(|| panic!("{}: {script} is {value}", self.name)))
    }

    /// Returns the report model of the page.
    async fn model(&self) -> WebDriverResult<Value> {
        self.value("JSON.parse(document.getElementById('model').textContent)").await
    }

    /// Checks that the page neither complained nor asked the network for anything.
    async fn is_quiet(&self) -> WebDriverResult<()> {
        let addresses = self.value("performance.getEntriesByType('resource').map(entry => entry.name)").await?;
        assert_eq!(addresses, serde_json::json!([]), "{}: requests", self.name);
        let errors = self.value("window.linchpinErrors ?? []").await?;
        assert_eq!(errors, serde_json::json!([]), "{}: errors", self.name);
        assert!(self.value("document.documentElement.classList.contains('js')").await?.as_bool() == Some(true));
        Ok(())
    }

    /// Checks that nothing but marked regions is wider than the window.
    async fn fits(&self) -> WebDriverResult<()> {
        let (content, window) = (
            self.number("document.documentElement.scrollWidth").await?,
            self.number("document.documentElement.clientWidth").await?,
        );
        assert!(content <= window, "{}: {content} pixels in a window of {window}", self.name);
        Ok(())
    }
}

/// Steps through one execution with the keys and compares each step with the model.
async fn step_through(page: &Opened<'_>, at: usize, data: &Value) -> WebDriverResult<()> {
    let (driver, name) = (page.driver, &page.name);
    let threads = data["threads"].as_array().expect("threads");
    let root = format!("document.getElementById('e{at}')");
    driver.execute(format!("{root}.open = true; location.hash = '#e{at}-s0'"), Vec::new()).await?;
    let rows = page.number(&format!("{root}.querySelectorAll('.row').length")).await?;
    assert_eq!(rows, threads.len() as u64 + 1, "{name}: a row for each step");
    for step in 0..=threads.len() {
        if step > 0 {
            driver.action_chain().send_keys(Key::Right).perform().await?;
        }
        let current = page.value(&format!("{root}.querySelector('.row.current').dataset.step")).await?;
        assert_eq!(current, step.to_string(), "{name}: the current step");
        // The drawing on the stage is the last one at or before the step.
        let drawn = page
            .value(&format!(
                "{root}.querySelector('.stage svg').outerHTML === \
                 [...{root}.querySelectorAll('figure')].filter(f => Number(f.id.split('-m')[1]) <= {step})\
                 .sort((a, b) => Number(a.id.split('-m')[1]) - Number(b.id.split('-m')[1])).pop()\
                 .firstElementChild.outerHTML"
            ))
            .await?;
        assert_eq!(drawn, true, "{name}: the drawing of step {step}");
        // Each thread shows its call, its line and its variables.
        for (thread, rest) in data["rests"][step].as_array().expect("rests").iter().enumerate() {
            let cells = page
                .value(&format!(
                    "[...{root}.querySelectorAll('.threads tr')[{thread}].querySelectorAll('td')].map(c => c.textContent)"
                ))
                .await?;
            let call = rest["call"].as_str().unwrap_or("idle");
            let line = rest["line"].as_u64().map_or(String::new(), |line| format!("line {line}"));
            let locals: Vec<&str> =
                rest["locals"].as_array().expect("locals").iter().filter_map(Value::as_str).collect();
            assert_eq!(cells, serde_json::json!([call, line, locals.join(", ")]), "{name}: step {step}, t{thread}");
        }
        if step > 0 {
            let lane = page
                .number(&format!(
                    "[...{root}.querySelector('.row.current .step').querySelectorAll('.lane')].findIndex(l => l.classList.contains('acts'))"
                ))
                .await?;
            assert_eq!(lane, threads[step - 1].as_u64().expect("a thread"), "{name}: the lane of step {step}");
        }
    }
    driver.action_chain().send_keys(Key::Home).perform().await?;
    let current = page.value(&format!("{root}.querySelector('.row.current').dataset.step")).await?;
    assert_eq!(current, "0", "{name}: Home");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_the_catalogue() -> WebDriverResult<()> {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let chromium = Chromium::start(&at.join("profile")).await?;
    let driver = &chromium.driver;
    for (model, options) in EXECUTIONS {
        let file = at.join(format!("{model}.html"));
        let page = file.display().to_string();
        let json = at.join("result.json").display().to_string();
        let check = [&["check", model, "--quiet", "--timeout", "60s", "--html", &page, "--json", &json], options];
        linchpin(&root(), &check.concat());
        let page = Opened::new(driver, &file, 1280).await?;
        page.is_quiet().await?;
        page.fits().await?;
        let data = page.model().await?;
        let executions = data["executions"].as_array().expect("executions");
        assert!(!executions.is_empty(), "{model} has a counterexample");
        // The page has the same steps as the traces that `--json` writes.
        let result: Value = serde_json::from_str(&std::fs::read_to_string(&json).expect("a result")).expect("JSON");
        for trace in result["results"].as_array().expect("results").iter().filter_map(|r| r.get("trace")) {
            let of_trace: Vec<&Value> =
                trace["steps"].as_array().expect("steps").iter().map(|step| &step["thread"]).collect();
            let is_shown = executions.iter().any(|execution| {
                execution["threads"].as_array().is_some_and(|threads| threads.iter().eq(of_trace.iter().copied()))
            });
            assert!(is_shown, "{model}: an execution of the result is not on the page");
        }
        for (number, execution) in executions.iter().enumerate() {
            step_through(&page, number, execution).await?;
        }
        page.is_quiet().await?;
        Opened::new(driver, &file, 400).await?.fits().await?;
    }
    let pages: [(&str, &[&str]); 3] = [
        ("proof", &["prove", "treiber_stack"]),
        ("overview", &["verify", "treiber_stack", "treiber_stack_reuse", "--timeout", "2s"]),
        ("random", &["run", "snark_deque_repaired", "--seed", "7", "--steps", "200"]),
    ];
    for (name, command) in pages {
        let file = at.join(format!("{name}.html"));
        linchpin(&root(), &[command, &["--html", &file.display().to_string()]].concat());
        for width in [1280, 400] {
            let page = Opened::new(driver, &file, width).await?;
            page.is_quiet().await?;
            page.fits().await?;
        }
    }
    chromium.driver.clone().quit().await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_shows_the_orders_that_were_tried() -> WebDriverResult<()> {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let lines = r#"{"thread": 0, "call": "enq", "args": ["</script><script>document.title='x'</script>"]}
{"thread": 0, "return": "enq"}
{"thread": 1, "call": "deq"}
{"thread": 1, "return": "deq", "result": null}
"#;
    std::fs::write(at.join("h.jsonl"), lines).expect("written");
    linchpin(at, &["history", "h.jsonl", "--spec", "Queue", "--html", "h.html"]);
    let chromium = Chromium::start(&at.join("profile")).await?;
    let page = Opened::new(&chromium.driver, &at.join("h.html"), 1280).await?;
    page.is_quiet().await?;
    assert_eq!(page.value("document.title").await?, "h.jsonl – Linchpin");
    assert_eq!(page.number("document.querySelectorAll('.intervals .call').length").await?, 2);
    assert_eq!(page.value("document.querySelector('#e0-c0 .order').textContent").await?, "1");
    assert_eq!(page.value("document.querySelector('#e0-c1 .order').textContent").await?, "✗");
    assert_eq!(page.number("document.querySelectorAll('script').length").await?, 2);
    chromium.driver.clone().quit().await?;
    Ok(())
}
