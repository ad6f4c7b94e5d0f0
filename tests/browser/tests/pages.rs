//! Opens the pages of catalogue results in headless Chromium: steps through them, and compares the document
//! with the report model of the page and with the trace that the same command saved.
//!
//! Needs `chromium` and `chromedriver`, and the binary of Linchpin: `LINCHPIN`, or `target/debug/linchpin`.
//! `LINCHPIN_SCREENSHOTS=DIR` keeps a picture of each page at 1280 and at 400 pixels.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
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

fn binary() -> PathBuf {
    std::env::var_os("LINCHPIN").map_or(root().join("target/debug/linchpin"), PathBuf::from)
}

fn linchpin(directory: &Path, arguments: &[&str]) {
    let binary = binary();
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

/// Flags for a machine without a display and without a way to the network.
const FLAGS: [&str; 9] = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// How long the driver may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

impl Chromium {
    async fn start(profile: &Path) -> WebDriverResult<Chromium> {
        // The driver takes a free port and prints its number.
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed");
        let lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        let (found, port) = std::sync::mpsc::channel();
        // The thread reads to the end, so that the driver never waits for its reader.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let number = line.split("started successfully on port ").nth(1);
                if let Some(port) = number.and_then(|rest| rest.trim_end_matches('.').parse::<u16>().ok()) {
                    let _ = found.send(port);
                }
            }
        });
        let port = port.recv_timeout(PATIENCE).expect("chromedriver prints its port");
        let mut options = DesiredCapabilities::chrome();
        for flag in FLAGS {
            options.add_arg(flag)?;
        }
        options.add_arg(&format!("--user-data-dir={}", profile.display()))?;
        // Messages of the console, and every request.
        options.set("goog:loggingPrefs", json!({ "browser": "ALL", "performance": "ALL" }))?;
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), options).await?;
        driver.goto("about:blank").await?;
        Ok(Chromium { process, driver })
    }
}

/// A page in the browser.
struct Opened<'a> {
    driver: &'a WebDriver,
    name: String,
    address: String,
}

impl<'a> Opened<'a> {
    async fn new(driver: &'a WebDriver, file: &Path, width: u32) -> WebDriverResult<Opened<'a>> {
        let name = file.file_stem().expect("a name").to_string_lossy().to_string();
        // The messages of earlier pages.
        driver.get_log("browser").await?;
        driver.get_log("performance").await?;
        set_size(driver, width, 900).await?;
        let address = format!("file://{}", file.display());
        driver.goto(&address).await?;
        let page = Opened { driver, name, address };
        if let Some(directory) = std::env::var_os("LINCHPIN_SCREENSHOTS") {
            let height = page.number("Math.min(4000, document.documentElement.scrollHeight)").await?;
            set_size(driver, width, u32::try_from(height).expect("a height")).await?;
            let picture = Path::new(&directory).join(format!("{}-{width}.png", page.name));
            driver.screenshot(&picture).await?;
            set_size(driver, width, 900).await?;
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

    /// Checks that the page neither complained nor asked for anything but itself.
    async fn is_quiet(&self) -> WebDriverResult<()> {
        let console: Vec<String> =
            self.driver.get_log("browser").await?.into_iter().map(|entry| entry.message).collect();
        assert_eq!(console, Vec::<String>::new(), "{}: the console", self.name);
        let mut asked = 0;
        for entry in self.driver.get_log("performance").await? {
            let event: Value = serde_json::from_str(&entry.message).expect("an event");
            let of = event["message"]["params"]["documentURL"].as_str().unwrap_or_default();
            // The first tab of the browser is a page of the browser itself, with frames.
            let is_of_page = !of.starts_with("chrome") && !of.starts_with("about:");
            if event["message"]["method"] == "Network.requestWillBeSent" && is_of_page {
                let address = &event["message"]["params"]["request"]["url"];
                assert_eq!(address, &json!(self.address), "{}: a request", self.name);
                asked += 1;
            }
        }
        // The log must show the page itself, or else it shows nothing.
        assert!(asked > 0, "{}: the log of requests is empty", self.name);
        let is_running = self.value("document.documentElement.classList.contains('js')").await?;
        assert_eq!(is_running, true, "{}: the script has run", self.name);
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

/// Sets the size of the view. The window of the browser has a least width, so the size is emulated.
async fn set_size(driver: &WebDriver, width: u32, height: u32) -> WebDriverResult<()> {
    let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    driver.cdp().send_raw("Emulation.setDeviceMetricsOverride", size).await?;
    Ok(())
}

/// What the page shows of the execution `root` in one step.
const SHOWN: &str = r"
    const root = document.getElementById(arguments[0]);
    const row = root.querySelector('.row.current');
    const step = Number(row.dataset.step);
    const number = figure => Number(figure.id.split('-m')[1]);
    const figures = [...root.querySelectorAll('figure')].filter(figure => number(figure) <= step);
    const last = figures.sort((a, b) => number(a) - number(b)).pop();
    return {
        step,
        drawn: root.querySelector('.stage svg').outerHTML === last.firstElementChild.outerHTML,
        threads: [...root.querySelectorAll('.threads tr')].map(tr =>
            [...tr.querySelectorAll('td')].map(cell => cell.textContent)),
        lane: [...row.querySelectorAll('.step > .lane')].findIndex(lane => lane.classList.contains('acts')),
        slider: Number(root.querySelector('.controls input').value),
        marked: [...root.querySelectorAll('.source li.next')].map(line => Number(line.id.split('-L')[1])),
    };";

/// Returns what the page must show of a step, from the report model.
fn expected(data: &Value, step: usize) -> Value {
    let rests = data["rests"][step].as_array().expect("rests");
    let line = |rest: &Value| rest["line"].as_u64();
    let cells = rests.iter().map(|rest| {
        let locals: Vec<&str> =
            rest["locals"].as_array().expect("locals").iter().filter_map(Value::as_str).collect();
        let line = line(rest).map_or(String::new(), |line| format!("line {line}"));
        json!([rest["call"].as_str().unwrap_or("idle"), line, locals.join(", ")])
    });
    let lane = step.checked_sub(1).map_or(json!(-1), |last| data["threads"][last].clone());
    let marked: BTreeSet<u64> = rests.iter().filter_map(line).collect();
    json!({
        "step": step, "drawn": true, "threads": cells.collect::<Vec<_>>(), "lane": lane, "slider": step,
        "marked": marked,
    })
}

/// Steps through one execution with the keys and compares each step with the model.
async fn step_through(page: &Opened<'_>, at: usize, data: &Value) -> WebDriverResult<()> {
    let (driver, name) = (page.driver, &page.name);
    let threads = data["threads"].as_array().expect("threads");
    let id = format!("e{at}");
    let root = format!("document.getElementById('{id}')");
    // A single execution is a section, several can be folded.
    let unfold = format!("const root = {root}; if (root.tagName === 'DETAILS') root.open = true;");
    driver.execute(format!("{unfold} location.hash = '#{id}-s0'"), Vec::new()).await?;
    let rows = page.number(&format!("{root}.querySelectorAll('.row').length")).await?;
    assert_eq!(rows, threads.len() as u64 + 1, "{name}: a row for each step");
    // The event of the new address comes later.
    let mut waited = 0;
    while page.value(&format!("{root}.querySelector('.row.current').dataset.step")).await? != "0" {
        waited += 1;
        assert!(waited < 200, "{name}: the address leads to step 0");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for step in 0..=threads.len() {
        if step > 0 {
            driver.action_chain().send_keys(Key::Right).perform().await?;
        }
        let shown = driver.execute(SHOWN, vec![json!(id)]).await?.json().clone();
        assert_eq!(shown, expected(data, step), "{name}: {id}, step {step}");
    }
    for (key, step) in
        [(Key::Home, 0), (Key::End, threads.len()), (Key::Left, threads.len().saturating_sub(1))]
    {
        driver.action_chain().send_keys(key).perform().await?;
        let shown = driver.execute(SHOWN, vec![json!(id)]).await?.json().clone();
        assert_eq!(shown, expected(data, step), "{name}: {id}, step {step}");
    }
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
        let result = at.join("result.json").display().to_string();
        let check = [&["check", model, "--quiet", "--html", &page, "--json", &result], options];
        linchpin(&root(), &check.concat());
        let page = Opened::new(driver, &file, 1280).await?;
        page.fits().await?;
        let data = page.model().await?;
        let executions = data["executions"].as_array().expect("executions");
        assert!(!executions.is_empty(), "{model} has a counterexample");
        // The page has the same steps as the traces that `--json` writes.
        let result: Value =
            serde_json::from_str(&std::fs::read_to_string(&result).expect("a result")).expect("JSON");
        for trace in result["results"].as_array().expect("results").iter().filter_map(|r| r.get("trace")) {
            let of_trace: Vec<&Value> =
                trace["steps"].as_array().expect("steps").iter().map(|step| &step["thread"]).collect();
            let is_shown = executions.iter().any(|execution| {
                execution["threads"]
                    .as_array()
                    .is_some_and(|threads| threads.iter().eq(of_trace.iter().copied()))
            });
            assert!(is_shown, "{model}: an execution of the result is not on the page");
        }
        for (number, execution) in executions.iter().enumerate() {
            step_through(&page, number, execution).await?;
        }
        page.is_quiet().await?;
        let narrow = Opened::new(driver, &file, 400).await?;
        narrow.is_quiet().await?;
        narrow.fits().await?;
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

/// A server of `explore`, ended with the test.
struct Explorer {
    process: Child,
    address: String,
}

impl Explorer {
    fn start(directory: &Path, model: &str) -> Explorer {
        let mut process = Command::new(binary())
            .current_dir(directory)
            .args(["explore", model, "--threads", "2", "--nodes", "2", "--idle", "5m"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("the server prints its address");
        Explorer { process, address: line.trim().to_string() }
    }
}

impl Drop for Explorer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_by_hand_goes_on_and_back_and_finds_a_violation() -> WebDriverResult<()> {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let explorer = Explorer::start(at, "treiber_stack_reuse");
    let chromium = Chromium::start(&at.join("profile")).await?;
    let driver = &chromium.driver;
    driver.get_log("browser").await?;
    driver.get_log("performance").await?;
    set_size(driver, 1280, 900).await?;
    driver.goto(&explorer.address).await?;
    let origin = explorer.address.split("/?").next().expect("an origin").to_string();
    let page = Opened { driver, name: "explore".into(), address: format!("{origin}/") };
    assert_eq!(
        driver.current_url().await?.as_str(),
        page.address,
        "the token is not in the address any more"
    );
    assert_eq!(page.value("document.cookie").await?, "", "the cookie is not for scripts");
    let steps = "Number(document.querySelector('.hand input[name=at]').value)";
    assert_eq!(page.number(steps).await?, 0);
    // The number of a move, as a key.
    press(&page, "1").await?;
    wait_for(&page, &format!("{steps} === 1")).await?;
    let shown = page.value("document.querySelector('.row.current').dataset.step").await?;
    assert_eq!(shown, "1", "the page shows the last step");
    press(&page, "b").await?;
    wait_for(&page, &format!("{steps} === 0")).await?;
    press(&page, "a").await?;
    wait_for(&page, &format!("{steps} === 1")).await?;
    // A click on the last move.
    page.value("[...document.querySelectorAll('button.move')].pop().click()").await?;
    wait_for(&page, &format!("{steps} === 2")).await?;
    page.value("document.querySelector('button[value=violation]').click()").await?;
    wait_for(&page, "/^Yes, after/.test(document.querySelector('.answer .text')?.textContent)").await?;
    page.value("document.querySelector('form[action=\"/take\"] button').click()").await?;
    wait_for(&page, "/not linearizable, confirmed by replay/.test(document.body.textContent)").await?;
    if let Some(directory) = std::env::var_os("LINCHPIN_SCREENSHOTS") {
        for width in [1280, 400] {
            set_size(driver, width, 2400).await?;
            driver.screenshot(&Path::new(&directory).join(format!("explore-{width}.png"))).await?;
        }
    }
    for width in [1280, 400] {
        set_size(driver, width, 900).await?;
        page.fits().await?;
    }
    let console: Vec<String> =
        driver.get_log("browser").await?.into_iter().map(|entry| entry.message).collect();
    assert_eq!(console, Vec::<String>::new(), "the console");
    let mut asked = 0;
    for entry in driver.get_log("performance").await? {
        let event: Value = serde_json::from_str(&entry.message).expect("an event");
        let parameters = &event["message"]["params"];
        let of = parameters["documentURL"].as_str().unwrap_or_default();
        if event["message"]["method"] == "Network.requestWillBeSent" && of.starts_with("http") {
            let address = parameters["request"]["url"].as_str().unwrap_or_default();
            // Chromium asks every server for an icon.
            assert!(address.starts_with(&origin), "a request to {address}");
            asked += 1;
        }
    }
    assert!(asked > 5, "the log of requests is empty");
    chromium.driver.clone().quit().await?;
    Ok(())
}

/// Presses a key. The driver would press it again if the page is left meanwhile.
async fn press(page: &Opened<'_>, key: &str) -> WebDriverResult<()> {
    page.value(&format!("dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}' }}))")).await?;
    Ok(())
}

/// Waits until a condition holds.
async fn wait_for(page: &Opened<'_>, condition: &str) -> WebDriverResult<()> {
    for _ in 0..600 {
        // While a page loads, a script may find nothing.
        if page.value(&format!("Boolean({condition})")).await.is_ok_and(|value| value == true) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{}: {condition} never holds", page.name);
}
