//! A job of a CI system signs in by an ID token: from stdin, from a file, from a variable, or asked for as in GitHub Actions.

use std::fs;

use causeway_oidc::Challenge;
use causeway_testkit::{run, run_with_input};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinSet,
};

use super::{Terminal, the_error};
use crate::sign_in::{REDIRECT, browser::Browser, provider};

const LOGIN: [&str; 4] = ["login", "--service-account", "deployer", "--server"];

/// A token that the provider signed for this platform.
async fn id_token(terminal: &Terminal) -> String {
    let (provider, challenge) = (provider(&terminal.dex), Challenge::generate());
    let start = provider.authorization_url(REDIRECT, &challenge).await;
    let mut browser = Browser::new();
    let end = browser.sign_in(start.unwrap(), REDIRECT, "ada", "lovelace");
    let end = end.await;
    let code = end.query_pairs().find(|(name, _)| name == "code").unwrap();
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", "causeway"),
        ("redirect_uri", REDIRECT),
        ("code_verifier", challenge.verifier.expose()),
        ("code", &code.1),
    ];
    let token = format!("{}/token", terminal.dex.issuer());
    let answer = reqwest::Client::new().post(token).form(&form).send().await;
    let answer: Value = answer.unwrap().json().await.unwrap();
    answer["id_token"].as_str().unwrap().to_owned()
}

/// Gives the token to whoever asks as a job of GitHub Actions does, and to nobody else.
async fn actions(token: String) -> (String, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "http://{}/token?api-version=2",
        listener.local_addr().unwrap()
    );
    let mut server = JoinSet::new();
    server.spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            let head = String::from_utf8(head).unwrap();
            let right = head.starts_with("GET /token?api-version=2&audience=causeway ")
                && head
                    .to_ascii_lowercase()
                    .contains("authorization: bearer asks\r\n");
            let (status, body) = if right {
                ("200 OK", json!({ "value": token }).to_string())
            } else {
                ("401 Unauthorized", head)
            };
            let length = body.len();
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (url, server)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_a_ci_system_signs_in_as_the_service_account_that_trusts_it() {
    let Some(terminal) = Terminal::open().await else {
        return;
    };
    let trust = format!(
        "issuer={} audience=causeway claim:email=ada@example.com",
        terminal.dex.issuer()
    );
    let create = [
        "service-account",
        "create",
        "deployer",
        "--role",
        "operator",
    ];
    let create = [&create[..], &["--trust", &trust]].concat();
    terminal.trial.cli(&create).expect_success();
    let token = id_token(&terminal).await;
    let login = [&LOGIN[..], &[terminal.address.as_str()]].concat();
    let is_deployer = || {
        let who = terminal.cli(&["whoami", "-o", "json"]).expect_success();
        let who: Value = serde_json::from_str(&who).unwrap();
        assert_eq!(who["user"], "deployer", "{who}");
        terminal.cli(&["app", "list"]).expect_success();
        terminal.cli(&["logout"]).expect_success();
    };

    let none = terminal.cli(&login);
    assert!(the_error(&none).contains("--id-token-file"), "{none:?}");
    let from_stdin = [&login[..], &["--id-token-file", "-"]].concat();
    run_with_input(&mut terminal.command(&from_stdin), &token).expect_success();
    is_deployer();
    let file = terminal.home.path().join("token");
    fs::write(&file, format!("{token}\n")).unwrap();
    let from_file = [&login[..], &["--id-token-file", file.to_str().unwrap()]].concat();
    terminal.cli(&from_file).expect_success();
    is_deployer();
    let from_variable = [&login[..], &["--id-token-variable", "CAUSEWAY_TOKEN"]].concat();
    let mut command = terminal.command(&from_variable);
    run(command.env("CAUSEWAY_TOKEN", &token)).expect_success();
    is_deployer();
    let (url, _server) = actions(token).await;
    let as_action = [&login[..], &["--id-token-audience", "causeway"]].concat();
    let mut command = terminal.command(&as_action);
    command.env("ACTIONS_ID_TOKEN_REQUEST_URL", url);
    run(command.env("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "asks")).expect_success();
    is_deployer();

    fs::write(&file, "a.b.c").unwrap();
    let hostile = terminal.cli(&from_file);
    assert!(!the_error(&hostile).contains("a.b.c"), "{hostile:?}");
}
