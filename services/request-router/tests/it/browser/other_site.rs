//! What a page of another site can have a browser do.

use super::*;

#[tokio::test]
async fn another_site_changes_nothing_by_the_cookie_of_a_browser() {
    let stack = Stack::platform().await;
    let cookie = signed_in(&stack).await;
    let cookie = ("cookie", cookie.as_str());
    let calls = stack.peers.seen().len();
    for foreign in [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
        ("accept", "*/*"),
    ] {
        for (path, kind) in [
            (SYNC, "application/json"),
            (SYNC, "text/plain"),
            (
                "/causeway.proxy.v1.ApplicationActionService/SyncApplication",
                "application/grpc-web+proto",
            ),
            (
                "/causeway.proxy.v1.ApplicationActionService/SyncApplication",
                "application/grpc",
            ),
        ] {
            let headers = [cookie, foreign, ("content-type", kind)];
            let answer = visit(stack.router, "POST", path, &headers).await;
            let rpc = kind.starts_with("application/grpc");
            if rpc {
                assert_eq!(
                    answer.headers["grpc-status"], "7",
                    "{foreign:?}: {answer:?}"
                )
            } else {
                assert_eq!(answer.status, 403, "{foreign:?}: {answer:?}")
            }
        }
        let answer = visit(stack.router, "POST", "/auth/logout", &[cookie, foreign]).await;
        assert_eq!(answer.status, 403, "{foreign:?}: {answer:?}");
        assert_eq!(kept(&answer.headers, "causeway-session"), None);
    }
    assert_eq!(stack.peers.seen().len(), calls);
    assert!(stack.peers.questions.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_link_of_another_site_signs_nobody_in_without_their_doing() {
    let stack = Stack::platform().await;
    let path = "/auth/login?account=several&provider=other&return_to=%2Fx";
    for site in ["cross-site", "same-site"] {
        let headers = [("sec-fetch-site", site), LINK[1]];
        let answer = visit(stack.router, "GET", path, &headers).await;
        assert_eq!(answer.status, 200, "{site}: {answer:?}");
        let page = text(&answer);
        assert!(page.contains("to the account several with"), "{page}");
        assert!(
            page.contains("provider=other") && !page.contains("provider=dex"),
            "{page}"
        );
        assert!(!answer.headers.contains_key(header::SET_COOKIE));
    }
    let unknown = visit(stack.router, "GET", "/auth/login?provider=none", &LINK).await;
    assert_eq!(unknown.status, 404, "{unknown:?}");
    assert!(stack.peers.seen().is_empty(), "a sign-in was begun");
    let own = [("sec-fetch-site", "same-origin"), LINK[1]];
    let clicked = visit(stack.router, "GET", path, &own).await;
    assert_eq!(clicked.status, 303, "{clicked:?}");
    let typed = [("sec-fetch-site", "none"), LINK[1]];
    let typed = visit(stack.router, "GET", path, &typed).await;
    assert_eq!(typed.status, 303, "{typed:?}");
}

#[tokio::test]
async fn a_session_that_there_is_gives_way_to_no_other_unasked() {
    let stack = Stack::platform().await;
    let cookie = signed_in(&stack).await;
    let calls = stack.peers.seen().len();
    let from_a_mail = [
        ("cookie", cookie.as_str()),
        ("sec-fetch-site", "none"),
        LINK[1],
    ];
    let path = "/auth/login?account=several&provider=other";
    let answer = visit(stack.router, "GET", path, &from_a_mail).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(text(&answer).contains("is signed in already"));
    assert_eq!(stack.peers.seen().len(), calls);
    let clicked = [
        ("cookie", cookie.as_str()),
        ("sec-fetch-site", "same-origin"),
    ];
    let clicked = visit(stack.router, "GET", path, &clicked).await;
    assert_eq!(clicked.status, 303, "{clicked:?}");
}

#[tokio::test]
async fn no_page_of_another_site_makes_attempts_of_whoever_has_it_open() {
    let stack = Stack::platform().await;
    for site in ["cross-site", "same-site"] {
        for mode in ["no-cors", "cors"] {
            let image = [("sec-fetch-site", site), ("sec-fetch-mode", mode)];
            let path = "/auth/login?provider=dex";
            let answer = visit(stack.router, "GET", path, &image).await;
            assert_eq!(answer.status, 403, "{site} {mode}: {answer:?}");
            for path in [
                "/v1/signIn:start",
                "/v1/signIn:finish",
                "/v1/signIn:exchangeToken",
            ] {
                let answer = visit(stack.router, "POST", path, &image).await;
                assert_eq!(answer.status, 403, "{path} {site} {mode}: {answer:?}");
            }
        }
        let form = [("sec-fetch-site", site), LINK[1]];
        let answer = visit(stack.router, "POST", "/v1/signIn:start", &form).await;
        assert_eq!(answer.status, 403, "{site}: {answer:?}");
    }
    assert!(stack.peers.seen().is_empty());
}
