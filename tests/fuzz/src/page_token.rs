//! Page tokens.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use causeway_assertion::{Caller, Scope, Subject};
use causeway_proto::platform::v1::ListUsersRequest;
use causeway_shell::page::{Page, PageSizes, digest};

/// Parses a page token: as it is, and as one of this caller and this query.
pub fn page_token(data: &[u8]) {
    let Some(caller) = caller() else {
        return;
    };
    let mut request = ListUsersRequest::default();
    let digest = digest(&request, &caller);
    let own = URL_SAFE_NO_PAD.encode([&digest[..], data].concat());
    for token in [String::from_utf8_lossy(data).into_owned(), own] {
        request.page_token = token;
        let sizes = PageSizes::fixed(10);
        let page = Page::<(String, u64)>::from_request(&request, &caller, sizes);
        let _ = page.map(|page| page.after().cloned());
    }
}

fn caller() -> Option<Caller> {
    Some(Caller {
        subject: Subject::User("usr-1".parse().ok()?),
        account: "acc-1".parse().ok()?,
        runtime: None,
        scope: Scope::everything("admin"),
        request_id: None,
        issued_at: 0,
        jti: None,
        credential: None,
    })
}
