use super::{parse, refused};

const LISTED: &str = r#"{"kind":"Event","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/a/pods","verb":"list","user":{"username":"system:serviceaccount:a:b"},"objectRef":{"resource":"pods","namespace":"a","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200}}"#;

#[test]
fn denied_requests_are_reported_once() {
    let refusal = LISTED.replace("200", "403");
    let log = format!("{LISTED}\n{refusal}\n{refusal}\n");
    let told = refused(&parse(&log));
    assert_eq!(
        told,
        ["system:serviceaccount:a:b may not list /api/v1/namespaces/a/pods"]
    );
}

#[test]
fn successful_requests_are_not_denials() {
    let log = format!("{LISTED}\n{}\n", LISTED.replace("200", "404"));
    assert!(refused(&parse(&log)).is_empty());
}

#[test]
fn incomplete_audit_line_is_skipped() {
    let log = format!("{LISTED}\n{}", &LISTED[..90]);
    assert_eq!(parse(&log).len(), 1);
}
