use causeway_assertion::Scope;
use causeway_proto::inventory::v1 as pb;

use super::*;

fn caller(account: &str, subject: &str) -> Caller {
    Caller {
        subject: subject.parse().unwrap(),
        account: account.parse().unwrap(),
        runtime: None,
        scope: Scope::default(),
        request_id: None,
        issued_at: 0,
        jti: None,
        credential: None,
    }
}

fn events(application: &str, page_size: u32, page_token: &str) -> pb::ListEventsRequest {
    pb::ListEventsRequest {
        application: application.to_owned(),
        page_size,
        page_token: page_token.to_owned(),
        ..pb::ListEventsRequest::default()
    }
}

#[test]
fn a_token_comes_back_as_it_was_made_to_whom_it_was_made_for_alone() {
    let text = PageKey::generate();
    let (one, other) = (PageKey::from_text(&text), PageKey::from_text(&text));
    let (one, other) = (one.unwrap(), other.unwrap());
    let ada = caller("default", "user:ada");
    let (first, question) = one.open(&ada, events("web", 1, "")).unwrap();
    assert_eq!(first.page_token, "", "the first page has none");
    assert_eq!(
        question.sealed(String::new()),
        "",
        "nor has what is behind the last"
    );
    let token = question.sealed("told 7".to_owned());
    assert_ne!(token, question.sealed("told 7".to_owned()));
    let read = |key: &PageKey, caller: &Caller, request: pb::ListEventsRequest| {
        let opened = key.open(caller, request);
        opened.map(|(request, _)| request.page_token)
    };
    let again = read(&other, &ada, events("web", 5, &token));
    assert_eq!(
        again,
        Ok("told 7".to_owned()),
        "by each replica, at any size"
    );

    let strange = PageKey::from_text(&PageKey::generate()).unwrap();
    assert_eq!(
        read(&strange, &ada, events("web", 1, &token)),
        Err(foreign())
    );
    for stranger in [caller("default", "user:bob"), caller("other", "user:ada")] {
        let refused = read(&one, &stranger, events("web", 1, &token));
        assert_eq!(refused, Err(foreign()));
    }
    let elsewhere = read(&one, &ada, events("api", 1, &token));
    assert_eq!(elsewhere, Err(foreign()));
    let resources = pb::ListResourcesRequest {
        page_token: token,
        ..pb::ListResourcesRequest::default()
    };
    assert!(one.open(&ada, resources).is_err());
}

#[test]
fn a_token_that_was_changed_or_made_up_is_none() {
    let key = PageKey::from_text(&PageKey::generate()).unwrap();
    let ada = caller("default", "user:ada");
    let (_, question) = key.open(&ada, events("web", 1, "")).unwrap();
    let token = question.sealed("told 7".to_owned());
    let bytes = URL_SAFE_NO_PAD.decode(&token).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains("told"));
    let mut tried = vec!["x".to_owned(), "told 7".to_owned(), "A".repeat(LONGEST + 1)];
    tried.push(URL_SAFE_NO_PAD.encode("told 7"));
    tried.extend((0..bytes.len()).map(|at| {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        URL_SAFE_NO_PAD.encode(changed)
    }));
    tried.extend((0..bytes.len()).map(|end| URL_SAFE_NO_PAD.encode(&bytes[..end])));
    for text in tried.iter().filter(|text| !text.is_empty()) {
        let refused = key.open(&ada, events("web", 1, text)).map(|(it, _)| it);
        assert_eq!(refused, Err(foreign()), "{text}");
    }
    assert!(PageKey::from_text("short").is_none());
}

#[test]
fn a_cursor_comes_back_by_each_replica_and_after_a_restart_to_its_caller_alone() {
    let text = PageKey::generate();
    let (one, other) = (PageKey::from_text(&text), PageKey::from_text(&text));
    let (one, other) = (one.unwrap(), other.unwrap());
    let ada = caller("default", "user:ada");
    let cursor = Cursor {
        incarnation: 1,
        change: 7,
        base: 3,
        stamp: 9,
    };
    let sealed = one.cursors(&ada).seal(cursor);
    assert_eq!(other.cursors(&ada).open(&sealed), Ok(Some(cursor)));
    assert_eq!(one.cursors(&ada).open(""), Ok(None));

    let strange = PageKey::from_text(&PageKey::generate()).unwrap();
    for stranger in [
        strange.cursors(&ada),
        one.cursors(&caller("default", "user:bob")),
        one.cursors(&caller("other", "user:ada")),
    ] {
        assert_eq!(stranger.open(&sealed), Err(ForeignCursor));
    }
    let (_, question) = one.open(&ada, events("web", 1, "")).unwrap();
    let page_token = question.sealed(cursor.to_string());
    let mut forged = sealed.into_bytes();
    forged[20] ^= 1;
    let forged = String::from_utf8(forged).unwrap();
    for text in [&*page_token, &forged, &cursor.to_string(), "x"] {
        assert_eq!(one.cursors(&ada).open(text), Err(ForeignCursor), "{text}");
    }
}
