use super::*;

#[tokio::test]
async fn credentials_are_refused_each_for_its_reason() {
    let fixture = Fixture::new().await;
    let revoked = fixture
        .key("default", "admin", |key| key.revoked_at = Some(1))
        .await;
    let expired = fixture
        .key("default", "admin", |key| key.expires_at = Some(NOW))
        .await;
    let unknown = Secret::generate(API_KEY_PREFIX);
    let refused = async |call: Call| fixture.authorizer.authorize(&call, NOW).await.unwrap_err();
    let error = refused(call(&revoked, LIST)).await;
    assert!(
        matches!(
            error,
            AuthorizeError::Credential(Refusal::Key(KeyRefusal::Revoked))
        ),
        "{error}"
    );
    let error = refused(call(&expired, LIST)).await;
    assert!(
        matches!(
            error,
            AuthorizeError::Credential(Refusal::Key(KeyRefusal::Expired))
        ),
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
    let secret = fixture.key("default", "viewer", |_| {}).await;
    let call = Call {
        runtime: "edge".to_owned(),
        ..call(&secret, SYNC)
    };
    let error = fixture.authorizer.authorize(&call, NOW).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "no rule of the API key's own role (viewer) allows it: application.sync is denied; ask an admin, and see 'causeway can-i'"
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
    let secret = fixture.key("default", "admin", |_| {}).await;
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
        assert_eq!(
            error.to_string(),
            format!("{path} is not available to users")
        );
    }
    assert_eq!(fixture.rows().await.len(), 5);
}

#[tokio::test]
async fn a_foreign_runtime_is_refused_as_one_that_does_not_exist() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", "admin", |_| {}).await;
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
    let secret = fixture.key("default", "admin", |_| {}).await;
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

#[tokio::test]
async fn a_runtime_in_which_nothing_is_allowed_is_as_unknown_as_none() {
    let fixture = Fixture::new().await;
    let elsewhere = rule("application", "sync", |of| {
        of.runtimes = vec!["west-*".to_owned()]
    });
    let secret = fixture.holder("west", vec![elsewhere]).await;
    let mut refusals = Vec::new();
    for name in ["edge", "nowhere", "west-1"] {
        let call = Call {
            runtime: name.to_owned(),
            ..call(&secret, SYNC)
        };
        let error = fixture.authorizer.authorize(&call, NOW).await.unwrap_err();
        assert!(
            matches!(error, AuthorizeError::RuntimeUnknown(_)),
            "{error}"
        );
        refusals.push(error.to_string().replace(name, "X"));
    }
    refusals.dedup();
    assert_eq!(refusals.len(), 1, "{refusals:?}");
}

#[tokio::test]
async fn who_does_not_hold_the_permission_for_what_is_their_own_gets_a_scope_without_rules() {
    let fixture = Fixture::new().await;
    let secret = fixture.holder("nobody", Vec::new()).await;
    let list = "/causeway.platform.v1.ApiKeyService/ListApiKeys";
    let permit = fixture
        .authorizer
        .authorize(&call(&secret, list), NOW)
        .await
        .unwrap();
    let verifier = Verifier::new(
        fixture.verifier_keys.clone(),
        ExpectedAudience::platform("platform".parse().unwrap()),
    );
    let verified = verifier.verify(&permit.assertion, list).await.unwrap();
    assert!(verified.claims().scope.rules.is_empty());
    let error = fixture
        .authorizer
        .authorize(&call(&secret, LIST), NOW)
        .await
        .unwrap_err();
    assert!(
        matches!(error, AuthorizeError::Denied(Denial::NoRule { .. })),
        "{error}"
    );
}

#[tokio::test]
async fn the_platform_as_a_whole_is_for_the_first_account_only_whoever_asks() {
    let fixture = Fixture::new().await;
    let foreign = fixture.key("other", "admin", |_| {}).await;
    let own = fixture.key("default", "admin", |_| {}).await;
    for method in [
        "/causeway.platform.v1.AccountService/CreateAccount",
        "/causeway.platform.v1.KeyService/RotateSigningKey",
    ] {
        let refused = call(&foreign, method);
        let refused = fixture.authorizer.authorize(&refused, NOW).await;
        let error = refused.unwrap_err();
        assert!(
            matches!(
                error,
                AuthorizeError::Denied(Denial::FirstAccountOnly { .. })
            ),
            "{error}"
        );
        let allowed = call(&own, method);
        fixture.authorizer.authorize(&allowed, NOW).await.unwrap();
    }
}

#[tokio::test]
async fn a_role_of_more_rules_than_an_assertion_can_carry_is_refused_with_advice() {
    let fixture = Fixture::new().await;
    let rules = (0..100).map(|number| {
        rule("application", "list", |of| {
            of.projects = vec![format!("project-{number}")];
            of.names = vec![format!("name-{number}")];
        })
    });
    let secret = fixture.holder("large", rules.collect()).await;
    let error = fixture
        .authorizer
        .authorize(&call(&secret, LIST), NOW)
        .await
        .unwrap_err();
    assert!(
        matches!(error, AuthorizeError::Denied(Denial::TooLarge { .. })),
        "{error}"
    );
    assert!(
        error.to_string().contains("make the role smaller"),
        "{error}"
    );
}

#[tokio::test]
async fn a_limited_credential_reads_what_is_its_owners_own_and_changes_nothing_of_it() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", "viewer", |_| {}).await;
    let service = "/causeway.platform.v1.ApiKeyService";
    let list = call(&secret, &format!("{service}/ListApiKeys"));
    fixture.authorizer.authorize(&list, NOW).await.unwrap();
    let revoke = call(&secret, &format!("{service}/RevokeApiKey"));
    let error = fixture
        .authorizer
        .authorize(&revoke, NOW)
        .await
        .unwrap_err();
    assert!(
        matches!(error, AuthorizeError::Denied(Denial::NoRule { .. })),
        "{error}"
    );
}
