use causeway_assertion::{Scope, Subject};

use super::*;

fn caller(title: &str, credential: Option<&str>) -> Caller {
    let user: UserId = "ada".parse().unwrap();
    Caller {
        subject: Subject::User(user),
        account: "default".parse().unwrap(),
        runtime: None,
        scope: Scope::everything(title),
        request_id: None,
        issued_at: 1,
        jti: None,
        credential: credential.map(str::to_owned),
    }
}

#[test]
fn a_limit_or_a_credential_that_cannot_be_read_is_not_as_none() {
    let user: UserId = "ada".parse().unwrap();
    let asked = |title, credential| asker(&caller(title, credential), &user);
    let limited = asked("operator+team-a/viewer", Some("key:key-1")).unwrap();
    assert_eq!(limited.limit, Some("viewer".parse().unwrap()));
    assert_eq!(
        limited.shown,
        Some(Credential::Key("key-1".parse().unwrap(), 1_999))
    );
    let free = asked("operator", None).unwrap();
    assert_eq!((free.limit, free.shown), (None, None));
    for (title, credential) in [
        ("operator/", None),
        ("operator/No Role", None),
        ("operator/a/b", None),
        ("operator", Some("session:")),
        ("operator", Some("key:!")),
        ("operator", Some("password:x")),
        ("operator", Some("")),
    ] {
        assert!(asked(title, credential).is_err(), "{title} {credential:?}");
    }
}
