use super::*;

#[tokio::test]
async fn a_read_is_signed_for_its_part_without_an_audit_row() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", "viewer", |_| {}).await;
    let permit = fixture
        .authorizer
        .authorize(&call(&secret, LIST), NOW)
        .await
        .unwrap();
    assert_eq!((permit.audit_id, permit.runtime.clone()), (None, None));
    assert_eq!(permit.subject, "user:admin");
    let inventory = ExpectedAudience::platform("inventory".parse().unwrap());
    let verifier = Verifier::new(fixture.verifier_keys.clone(), inventory);
    let verified = verifier.verify(&permit.assertion, LIST).await.unwrap();
    let claims = verified.claims();
    assert_eq!(
        (claims.jti.clone(), claims.digest, claims.request_id),
        (None, None, None)
    );
    assert_eq!(
        (
            claims.scope.role.as_str(),
            claims.scope.policy_version.as_str()
        ),
        ("admin/viewer", "1")
    );
    assert_eq!(claims.exp - claims.iat, 60);
    assert!(fixture.rows().await.is_empty());
}

#[tokio::test]
async fn no_permission_outlives_what_was_shown_for_it() {
    let fixture = Fixture::new().await;
    let soon = causeway_assertion::now() + 30;
    let end = i64::try_from(soon).unwrap() * 1000 + 999;
    let secret = fixture.key("default", "viewer", |key| key.expires_at = Some(end));
    let asked = call(&secret.await, LIST);
    let permit = fixture.authorizer.authorize(&asked, NOW).await.unwrap();
    assert_eq!(permit.expires_at, soon);
}

#[tokio::test]
async fn a_mutation_is_signed_for_one_use_after_its_row_is_written() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", "operator", |_| {}).await;
    let call = Call {
        runtime: "edge".to_owned(),
        ..call(&secret, SYNC)
    };
    let permit = fixture.authorizer.authorize(&call, NOW).await.unwrap();
    let runtime = permit.runtime.clone().unwrap();
    let proxy = ExpectedAudience::runtime(
        "default".parse().unwrap(),
        runtime,
        "app-proxy".parse().unwrap(),
    );
    let verifier = Verifier::new(fixture.verifier_keys.clone(), proxy);
    let verified = verifier.verify(&permit.assertion, SYNC).await.unwrap();
    let claims = verified.claims();
    assert_eq!(
        (claims.digest, claims.request_id),
        (Some([3; 32]), call.request_id)
    );
    assert!(claims.jti.is_some());
    let rows = fixture.rows().await;
    assert_eq!(
        (Some(rows[0].audit_id), rows[0].verdict),
        (permit.audit_id, Verdict::Allowed)
    );
    assert_eq!(
        (rows[0].intent.runtime.as_str(), rows[0].end.clone()),
        ("edge", None)
    );
}

#[tokio::test]
async fn without_its_audit_row_a_mutation_is_not_signed() {
    let mut fixture = Fixture::new().await;
    let secret = fixture.key("default", "admin", |_| {}).await;
    let (audit, _) = audit::open(
        Arc::clone(&fixture.store),
        Arc::clone(&fixture.authorizer.ring),
    );
    fixture.authorizer.audit = audit;
    let error = fixture
        .authorizer
        .authorize(&call(&secret, REVOKE), NOW)
        .await
        .unwrap_err();
    assert!(matches!(error, AuthorizeError::Audit(_)), "{error}");
    fixture
        .authorizer
        .authorize(&call(&secret, LIST), NOW)
        .await
        .unwrap();
}

#[tokio::test]
async fn the_rules_that_allow_a_call_and_no_others_go_into_its_assertion() {
    let fixture = Fixture::new().await;
    let rules = vec![
        rule("application", "list", |of| {
            of.projects = vec!["team-*".to_owned()]
        }),
        rule("application", "list", |of| {
            of.projects = vec!["shared".to_owned()]
        }),
        rule("application", "sync", |of| of.names = vec!["a".to_owned()]),
    ];
    let secret = fixture.holder("team", rules).await;
    let permit = fixture
        .authorizer
        .authorize(&call(&secret, LIST), NOW)
        .await
        .unwrap();
    let inventory = ExpectedAudience::platform("inventory".parse().unwrap());
    let verifier = Verifier::new(fixture.verifier_keys.clone(), inventory);
    let verified = verifier.verify(&permit.assertion, LIST).await.unwrap();
    let scope = &verified.claims().scope;
    assert_eq!(scope.rules.len(), 1);
    assert_eq!(scope.rules[0].projects, ["shared", "team-*"]);
    assert_eq!((scope.role.as_str(), &scope.limits), ("team", &None));
    assert_eq!(permit.scope, scope.fingerprint());
}

#[test]
fn every_call_of_the_contract_that_users_may_make_has_a_permission() {
    for method in causeway_proto::method::methods().values() {
        let for_users = method.callers.contains(&CallerKind::User);
        assert_eq!(for_users, !method.permission.is_empty(), "{}", method.path);
        assert_eq!(
            open_to_users(&method.path).is_ok(),
            for_users,
            "{}",
            method.path
        );
        assert!(for_users || !method.own, "{}", method.path);
    }
}
