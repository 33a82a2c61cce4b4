//! A browser signs in by an API key.

use super::*;

const KEY: &str = "cwk_a-users-key";
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const JSON: (&str, &str) = ("content-type", "application/json");
const SCRIPT: (&str, &str) = ("accept", "application/json");
const OWN: (&str, &str) = ("sec-fetch-site", "same-origin");

async fn sign_in(stack: &Stack, headers: &[(&str, &str)], body: &str) -> Answer {
    let mut request = Request::post("/auth/key").header("host", stack.router.to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let body = Full::from(body.to_owned());
    send(stack.router, request.body(body).unwrap()).await
}

fn form() -> String {
    format!("key={KEY}&return_to=%2Fapps%3Fq%3Dpay")
}

#[tokio::test]
async fn a_key_becomes_a_cookie_that_no_script_reads_and_the_deep_link_is_kept() {
    let stack = Stack::platform().await;
    let answer = sign_in(&stack, &[FORM, OWN], &form()).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    assert_eq!(answer.headers[header::LOCATION], "/apps?q=pay");
    assert_eq!(answer.headers[header::CACHE_CONTROL], "no-store");
    let (cookie, line) = kept(&answer.headers, "causeway-session").unwrap();
    let flags = "; Path=/; HttpOnly; SameSite=Strict; Max-Age=";
    assert!(line.contains(flags), "{line}");
    let seconds: u64 = line.rsplit('=').next().unwrap().parse().unwrap();
    assert!((590..=600).contains(&seconds), "{line}");
    let asked = stack.peers.questions.lock().unwrap().pop().unwrap();
    assert!(asked.method.ends_with("/CreateSession"), "{asked:?}");
    assert_eq!(asked.credential, KEY);
    assert!(asked.source_address.starts_with("127.0.0.1:"), "{asked:?}");
    let headers = [("cookie", cookie.as_str())];
    let read = visit(stack.router, "GET", "/v1/applications", &headers).await;
    assert_eq!(read.status, 200, "{read:?}");
    let asked = stack.peers.questions.lock().unwrap().pop().unwrap();
    assert_eq!(asked.credential, TOKEN);
}

#[tokio::test]
async fn a_script_gets_json_and_no_key_or_token_is_in_it() {
    let stack = Stack::platform().await;
    let body = format!(r#"{{"key": " {KEY} ", "returnTo": "//evil.example"}}"#);
    let origin = format!("http://{}", stack.router);
    let own = ("origin", origin.as_str());
    let answer = sign_in(&stack, &[JSON, SCRIPT, own], &body).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.json()["returnTo"], "/");
    assert!(kept(&answer.headers, "causeway-session").is_some());
    assert!(!text(&answer).contains(KEY) && !text(&answer).contains(TOKEN));
}

#[tokio::test]
async fn another_site_signs_nobody_in_by_a_key() {
    let stack = Stack::platform().await;
    let evil = ("origin", "https://evil.example");
    let plain = format!("http://{}", stack.router);
    let same = ("origin", plain.as_str());
    for foreign in [
        &[("sec-fetch-site", "cross-site")][..],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "none")],
        &[("sec-fetch-site", "cross-site"), same],
        &[evil],
        &[("origin", "null")],
        &[("accept", "*/*")],
    ] {
        for form_or_script in [FORM, SCRIPT] {
            let headers = [foreign, &[FORM, form_or_script]].concat();
            let answer = sign_in(&stack, &headers, &form()).await;
            assert_eq!(answer.status, 403, "{headers:?}: {answer:?}");
            assert_eq!(kept(&answer.headers, "causeway-session"), None);
        }
    }
    let host = Request::post("/auth/key").header("host", "evil.example");
    let host = host.header(OWN.0, OWN.1).header(FORM.0, FORM.1);
    let answer = send(stack.router, host.body(Full::from(form())).unwrap()).await;
    assert_eq!(answer.status, 421, "{answer:?}");
    assert!(stack.peers.questions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_is_no_key_asks_nobody_and_gets_no_cookie() {
    let stack = Stack::platform().await;
    let large = format!("key={}", "a".repeat(5000));
    let long = format!("key=cwk_{}", "a".repeat(200));
    let twice = format!("key={KEY}&key={KEY}");
    for body in [
        "",
        "key=",
        "key=cws_a-session",
        "key=a.b.c",
        &twice,
        &long,
        &large,
    ] {
        let answer = sign_in(&stack, &[FORM, OWN, SCRIPT], body).await;
        assert!(answer.status.is_client_error(), "{body}: {answer:?}");
        assert_eq!(kept(&answer.headers, "causeway-session"), None);
        assert!(answer.json()["message"].is_string());
    }
    let kind = sign_in(&stack, &[("content-type", "text/plain"), OWN], &form()).await;
    assert_eq!(kind.status, 401, "{kind:?}");
    let link = visit(stack.router, "GET", "/auth/key", &[OWN]).await;
    assert_eq!(link.status, 405, "{link:?}");
    assert!(stack.peers.questions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_refused_key_is_told_in_the_form_that_was_asked_for() {
    let stack = Stack::platform().await;
    *stack.peers.refusal.lock().unwrap() = Some(Status::unauthenticated("no such key"));
    let script = sign_in(&stack, &[FORM, OWN, SCRIPT], &form()).await;
    assert_eq!(script.status, 401, "{script:?}");
    assert_eq!(script.message(), "no such key");
    let page = sign_in(&stack, &[FORM, OWN], &form()).await;
    assert_eq!(page.status, 401, "{page:?}");
    assert!(text(&page).contains("not an API key"), "{page:?}");
    assert!(!text(&page).contains(KEY));
}

#[tokio::test]
async fn a_runtimes_router_takes_no_keys_of_browsers() {
    let stack = Stack::runtime().await;
    let answer = sign_in(&stack, &[FORM, OWN], &form()).await;
    assert_eq!(answer.status, 404, "{answer:?}");
}
