//! `causeway login` and what follows it, as a person at a terminal has it: the program, a platform and a real provider.

mod ci;

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf, process::Command};

use causeway_cluster::IdentityProvider;
use causeway_testkit::{Child, Finished, binary, reserved_address, run};
use reqwest::{StatusCode, Url};
use serde_json::Value;
use tempfile::TempDir;

use super::{browser::Browser, dex};
use crate::trial::{SOON, Trial, the_error};

const PROVIDER: &str = "dex";

/// A platform that trusts a provider, and somebody's terminal with contexts of its own.
struct Terminal {
    trial: Trial,
    dex: IdentityProvider,
    address: String,
    home: TempDir,
}

impl Terminal {
    async fn open() -> Option<Self> {
        let dex = dex().await?;
        let own = ["--kube-listen", "--git-listen", "--argocd-listen"];
        let own = own.map(|flag| [flag.to_owned(), reserved_address().to_string()]);
        let trial = Trial::start(&own.concat());
        let issuer = dex.issuer().to_owned();
        let mut create = vec!["sign-in-provider", "create", PROVIDER, "--issuer", &issuer];
        create.extend(["--client-id", "causeway", "--group", "ops=operator"]);
        trial.cli(&create).expect_success();
        let contexts = trial.contexts();
        let contexts: Value = serde_json::from_slice(&fs::read(contexts).unwrap()).unwrap();
        let current = contexts["current"].as_str().unwrap();
        let address = contexts["contexts"][current]["address"].as_str().unwrap();
        let address = address.to_owned();
        let home = tempfile::tempdir().unwrap();
        Some(Self {
            trial,
            dex,
            address,
            home,
        })
    }

    fn contexts(&self) -> PathBuf {
        self.home.path().join("contexts.json")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        command
            .args(arguments)
            .env("CAUSEWAY_CONFIG", self.contexts());
        command
    }

    fn cli(&self, arguments: &[&str]) -> Finished {
        run(&mut self.command(arguments))
    }

    fn login(&self, flags: &[&str]) -> Child {
        let begin = ["login", "--server", self.address.as_str()];
        Child::start(&mut self.command(&[&begin, flags].concat()))
    }

    async fn signed_in(&self) {
        let mut login = self.login(&["--no-browser"]);
        let start = page(&mut login);
        let back = redirect(&start);
        let mut browser = Browser::new();
        let end = browser.sign_in(start, &back, "ada", "lovelace").await;
        browser.see(&end).await;
        let ended = login.wait(SOON);
        assert!(ended.success(), "{}", login.lines().join("\n"));
    }
}

/// The page that the terminal shows.
fn page(login: &mut Child) -> Url {
    login.wait_for_line("the address", SOON, |line| {
        line.starts_with("http").then(|| line.parse().unwrap())
    })
}

/// Where the page sends the browser in the end.
fn redirect(page: &Url) -> String {
    let mut fields = page.query_pairs();
    let field = fields.find(|(name, _)| name == "redirect_uri");
    field.unwrap().1.into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_by_a_browser_works_and_signs_out() {
    let Some(terminal) = Terminal::open().await else {
        return;
    };
    let before = terminal.cli(&["app", "list", "--server", &terminal.address]);
    assert!(the_error(&before).contains("causeway login"), "{before:?}");
    terminal.signed_in().await;
    let mode = fs::metadata(terminal.contexts())
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let who = terminal.cli(&["whoami", "-o", "json"]).expect_success();
    let who: Value = serde_json::from_str(&who).unwrap();
    assert_eq!(who["roles"][0], "operator", "{who}");
    assert_eq!(who["session"]["provider"], PROVIDER, "{who}");
    terminal.cli(&["app", "list"]).expect_success();
    let denied = terminal.cli(&["user", "create", "eve"]);
    assert!(the_error(&denied).contains("denied"), "{denied:?}");
    let sessions = terminal.cli(&["session", "list"]).expect_success();
    assert!(sessions.contains("(this one)"), "{sessions}");

    let contexts = fs::read(terminal.contexts()).unwrap();
    let out = terminal.cli(&["logout"]).expect_success();
    assert!(out.contains("signed out"), "{out}");
    let after = terminal.cli(&["app", "list"]);
    assert!(the_error(&after).contains("causeway login"), "{after:?}");
    fs::write(terminal.contexts(), contexts).unwrap();
    let kept = terminal.cli(&["app", "list"]);
    let error = the_error(&kept);
    assert_eq!(kept.code(), 4, "the session goes on after its end: {error}");
    assert!(error.contains("causeway login"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_signs_in_with_another_device() {
    let Some(terminal) = Terminal::open().await else {
        return;
    };
    let mut login = terminal.login(&["--device"]);
    let page: Url = login.wait_for_line("the page with the code", SOON, |line| {
        let page = line.strip_prefix("or open ")?;
        Some(page.parse().unwrap())
    });
    let end = format!("{}/device/callback", terminal.dex.issuer());
    let mut browser = Browser::new();
    let back = browser.sign_in(page, &end, "ada", "lovelace").await;
    browser.see(&back).await;
    let ended = login.wait(SOON);
    assert!(ended.success(), "{}", login.lines().join("\n"));
    terminal.cli(&["app", "list"]).expect_success();
}

#[tokio::test(flavor = "multi_thread")]
async fn revoked_session_error_names_the_next_step() {
    let Some(terminal) = Terminal::open().await else {
        return;
    };
    terminal.signed_in().await;
    let who = terminal.cli(&["whoami", "-o", "json"]).expect_success();
    let who: Value = serde_json::from_str(&who).unwrap();
    let session = who["session"]["sessionId"].as_str().unwrap();
    terminal
        .trial
        .cli(&["session", "revoke", session, "--yes"])
        .expect_success();
    let refused = terminal.cli(&["app", "list"]);
    assert!(
        the_error(&refused).contains("causeway login"),
        "{refused:?}"
    );
    terminal.cli(&["logout"]).expect_success();
}

#[tokio::test(flavor = "multi_thread")]
async fn callback_with_another_state_or_twice_is_rejected() {
    let Some(terminal) = Terminal::open().await else {
        return;
    };
    let mut login = terminal.login(&["--no-browser"]);
    let start = page(&mut login);
    let back = redirect(&start);
    let hostile = format!("{back}?code=stolen&state=another");
    let answer = reqwest::get(hostile).await.unwrap();
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    let mut browser = Browser::new();
    let end = browser.sign_in(start, &back, "ada", "lovelace").await;
    browser.see(&end).await;
    assert!(login.wait(SOON).success(), "{}", login.lines().join("\n"));
    let again = reqwest::get(end).await;
    assert!(again.is_err(), "the page is still there: {again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_signs_in_at_the_platform_itself_reads_and_signs_out() {
    let Some(terminal) = Terminal::open().await else {
        return;
    };
    let start = format!("{}/auth/login?return_to=/v1/whoAmI", terminal.address);
    let back = format!("{}/auth/callback/default/{PROVIDER}", terminal.address);
    let mut browser = Browser::new();
    let end = browser
        .sign_in(start.parse().unwrap(), &back, "ada", "lovelace")
        .await;
    let page = browser.page(&end).await;
    assert!(page.contains("url=/v1/whoAmI"), "{page}");
    let who = format!("{}/v1/whoAmI", terminal.address).parse().unwrap();
    let said: Value = serde_json::from_str(&browser.page(&who).await).unwrap();
    assert_eq!(said["session"]["provider"], PROVIDER, "{said}");
    let out: Url = format!("{}/auth/logout", terminal.address).parse().unwrap();
    let cross = browser.post_from(&out, "cross-site").await;
    assert_eq!(cross, StatusCode::FORBIDDEN);
    assert_eq!(browser.post_from(&out, "same-origin").await, StatusCode::OK);
    assert_eq!(browser.status(&who).await, StatusCode::UNAUTHORIZED);
}
