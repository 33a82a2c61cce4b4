use super::*;

#[tokio::test]
async fn a_revoked_key_opens_nothing_at_once_though_it_was_just_used() {
    let fixture = Fixture::new().await;
    let secret = fixture.key("default", "admin", |_| {}).await;
    fixture
        .authorizer
        .authorize(&call(&secret, LIST), NOW)
        .await
        .unwrap();
    let holder = fixture
        .store
        .find_holder(secret.digest())
        .await
        .unwrap()
        .unwrap();
    let request = request("default");
    fixture
        .store
        .revoke_api_key(&request, &holder.key.key_id, 5)
        .await
        .unwrap();
    fixture.authorizer.grants.revoked();
    let error = fixture
        .authorizer
        .authorize(&call(&secret, LIST), NOW)
        .await
        .unwrap_err();
    assert!(
        matches!(
            error,
            AuthorizeError::Credential(Refusal::Key(KeyRefusal::Revoked))
        ),
        "{error}"
    );
}

#[tokio::test]
async fn a_revoked_runtimes_key_and_name_are_refused_at_once() {
    let fixture = Fixture::new().await;
    let (account, name) = ("default".parse().unwrap(), "edge".parse().unwrap());
    let runtime = fixture
        .store
        .find_runtime(&account, &name)
        .await
        .unwrap()
        .unwrap();
    assert!(
        fixture
            .verifier_keys
            .key(&runtime.key_id())
            .await
            .unwrap()
            .is_some()
    );
    fixture
        .store
        .revoke_runtime(&request("default"), &name, 5)
        .await
        .unwrap();
    assert!(
        fixture
            .verifier_keys
            .key(&runtime.key_id())
            .await
            .unwrap()
            .is_none()
    );
    let secret = fixture.key("default", "admin", |_| {}).await;
    let call = Call {
        runtime: "edge".to_owned(),
        ..call(&secret, SYNC)
    };
    let error = fixture.authorizer.authorize(&call, NOW).await.unwrap_err();
    assert!(
        matches!(error, AuthorizeError::RuntimeUnknown(_)),
        "{error}"
    );
}
