use super::*;

#[tokio::test]
async fn credentials_are_refused_each_for_its_reason() {
    let fixture = Fixture::new().await;
    let revoked = fixture
        .key("default", Role::Admin, |key| key.revoked_at = Some(1))
        .await;
    let expired = fixture
        .key("default", Role::Admin, |key| key.expires_at = Some(NOW))
        .await;
    let unknown = Secret::generate(API_KEY_PREFIX);
    let refused = async |call: Call| fixture.authorizer.authorize(&call, NOW).await.unwrap_err();
    let error = refused(call(&revoked, LIST)).await;
    assert!(
        matches!(error, AuthorizeError::Credential(KeyRefusal::Revoked)),
        "{error}"
    );
    let error = refused(call(&expired, LIST)).await;
    assert!(
        matches!(error, AuthorizeError::Credential(KeyRefusal::Expired)),
        "{error}"
    );
    let error = refused(call(&unknown, LIST)).await;
    assert!(
        matches!(error, AuthorizeError::CredentialUnknown),
        "{error}"
    );
    let empty = Call {
        credential: String::new(),
        ..call(&unknown, LIST)
    };
    assert!(matches!(
        refused(empty).await,
        AuthorizeError::CredentialMissing
    ));
    for text in [
        "cwk_",
        "x",
        "Bearer cwk_",
        &"x".repeat(1 << 20),
        "\0",
        "' OR 1=1 --",
    ] {
        let garbage = Call {
            credential: text.to_owned(),
            ..call(&unknown, LIST)
        };
        assert!(matches!(
            refused(garbage).await,
            AuthorizeError::CredentialUnknown
        ));
    }
    let rows = fixture.rows().await;
    assert_eq!(
        rows.len(),
        2,
        "the holders of the revoked and the expired key: {rows:?}"
    );
    assert!(
        rows.iter()
            .all(|row| row.is_denied() && row.intent.credential.starts_with("key:"))
    );
}

#[tokio::test]
async fn a_role_that_does_not_suffice_is_refused_and_audited() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Viewer, |_| {}).await;
    let call = Call {
        runtime: "edge".to_owned(),
        ..call(&secret, SYNC)
    };
    let error = fixture.authorizer.authorize(&call, NOW).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the role viewer does not hold the permission application.sync: ask an admin"
    );
    let rows = fixture.rows().await;
    let end = rows[0].end.clone().unwrap();
    assert_eq!(
        (rows[0].verdict, end.code, end.outcome),
        (Verdict::Denied, 7, Outcome::Failed)
    );
}

#[tokio::test]
async fn what_is_not_open_to_users_is_refused_whether_it_exists_or_not() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Admin, |_| {}).await;
    for path in [
        "/causeway.platform.v1.AuthorizationService/Authorize",
        "/causeway.platform.v1.RuntimeService/Join",
        "/causeway.platform.v1.RuntimeService/ReportSessions",
        "/causeway.nowhere.v1.Service/Method",
        "",
    ] {
        let error = fixture
            .authorizer
            .authorize(&call(&secret, path), NOW)
            .await
            .unwrap_err();
        assert_eq!(error.to_string(), format!("{path}: no call for users"));
    }
    assert_eq!(fixture.rows().await.len(), 5);
}

#[tokio::test]
async fn a_foreign_runtime_is_refused_as_one_that_does_not_exist() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Admin, |_| {}).await;
    let mut refusals = Vec::new();
    for name in ["foreign", "nowhere", "Not A Name"] {
        let call = Call {
            runtime: name.to_owned(),
            ..call(&secret, SYNC)
        };
        let error = fixture.authorizer.authorize(&call, NOW).await.unwrap_err();
        refusals.push(error.to_string().replace(name, "X"));
    }
    refusals.dedup();
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    let rows = fixture.rows().await;
    assert!(rows.iter().all(|row| row.verdict == Verdict::Denied) && rows.len() == 3);
}

#[tokio::test]
async fn a_mutation_without_digest_or_request_id_names_the_field() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", Role::Admin, |_| {}).await;
    let whole = Call {
        runtime: "edge".to_owned(),
        ..call(&secret, SYNC)
    };
    let cases = [
        (
            "request_digest",
            Call {
                digest: None,
                ..whole.clone()
            },
        ),
        (
            "request_id",
            Call {
                request_id: None,
                ..whole.clone()
            },
        ),
        (
            "runtime",
            Call {
                runtime: String::new(),
                ..whole
            },
        ),
    ];
    for (field, call) in cases {
        let error = fixture
            .authorizer
            .authorize(&call, NOW)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.starts_with(&format!("{field}: ")), "{error}");
    }
    assert!(fixture.rows().await.is_empty());
}
