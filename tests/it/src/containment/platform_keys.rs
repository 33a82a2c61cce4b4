//! The root key and the platform's own key in a thief's hands: who believes what they sign, and who does not.

use std::{fs, sync::Arc};

use causeway_assertion::{ExpectedAudience, PublicKey, Verifier, VerifyError};
use causeway_client::{Peer, PeerUrl, RuntimeIdentity, RuntimeKeys};
use causeway_shell::ReloadedFile;

use super::*;

fn key_at(mesh: &Mesh, file: &str) -> SigningKey {
    let pem = fs::read_to_string(mesh.folder().join(file)).unwrap();
    SigningKey::from_pem(&pem).unwrap()
}

/// What the app proxy of `east` verifies assertions by, if it asked a platform at this address for signing keys.
fn verifier(mesh: &Mesh, url: &str) -> Verifier {
    let east = &mesh.runtime.identity;
    let led_astray = RuntimeIdentity {
        platform_url: PeerUrl::parse(url, None).unwrap(),
        ..east.clone()
    };
    let file = mesh.folder().join("point-of-east");
    fs::write(&file, east.identity_key.as_bytes()).unwrap();
    let own = ReloadedFile::open(&file, |point| Ok(PublicKey::from_bytes(point).unwrap())).unwrap();
    let platform = Peer::new(&led_astray.platform_url, Credential::None);
    let keys = RuntimeKeys::new(&led_astray, own, platform);
    let (account, runtime) = (east.account.clone(), east.runtime_id.clone());
    let recipient = ExpectedAudience::runtime(account, runtime, "app-proxy".parse().unwrap());
    Verifier::new(Arc::new(keys), recipient)
}

/// A user's assertion for a sync at the app proxy of `east`.
fn shown(key: &SigningKey, mesh: &Mesh, order: &proxy::SyncApplicationRequest) -> String {
    let audience = Audience {
        account: "default".parse().unwrap(),
        runtime: Some(mesh.runtime.identity.runtime_id.clone()),
        part: "app-proxy".parse().unwrap(),
    };
    let (user, life) = ("user:admin".parse().unwrap(), Duration::from_secs(60));
    let claims = Claims::for_read("platform", user, audience, SYNC, life)
        .for_one_request(&order.encode_to_vec(), RequestId::generate())
        .with_scope(Scope::everything("admin"));
    key.sign(&claims).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_root_key_speaks_for_nobody_itself() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    let (root, east) = (key_at(&mesh, "platform/keys/root.pem"), &mesh.runtime);
    let (order, list_all) = (order("a"), ListApplicationsRequest::default());
    let part = issue(
        &root,
        KeyHolder::platform("request-router".parse().unwrap()),
    );
    for thief in [Thief::of_key(&root), Thief::of_part(&part)] {
        for subject in [
            "user:admin",
            "part:platform/request-router",
            &format!("runtime:default/{}", east.identity.runtime_id),
        ] {
            let credential = thief.shows(subject, Some(east), SYNC, &order);
            refused(
                subject,
                sync(&mesh, &east.app_proxy, credential, &order).await,
            );
            let credential = thief.shows(subject, None, LIST, &list_all);
            refused(subject, list(&mesh, credential).await);
            let question = platform::AuthorizeRequest::default();
            let credential = thief.shows(subject, None, AUTHORIZE, &question);
            let peer = mesh.peer(&mesh.platform, credential);
            let mut authorization = AuthorizationServiceClient::new(peer);
            refused(subject, authorization.authorize(question).await);
        }
    }
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_root_key_is_believed_where_its_thief_stands_in_the_platforms_place_and_nowhere_else()
 {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    // A platform of the thief's with the stolen root key, and one with a root key of its own.
    let folder = mesh.folder().join("thief/keys");
    fs::create_dir_all(&folder).unwrap();
    let stolen = mesh.folder().join("platform/keys/root.pem");
    fs::copy(stolen, folder.join("root.pem")).unwrap();
    let mut thief = mesh.start_platform("thief", &[]).await;
    let mut stranger = mesh.start_platform("stranger", &[]).await;
    let order = order("a");
    let by_thief = shown(&signing_key(&mesh, "thief"), &mesh, &order);
    let by_stranger = shown(&signing_key(&mesh, "stranger"), &mesh, &order);

    let astray = verifier(&mesh, &thief.url());
    astray.verify(&by_thief, SYNC).await.unwrap();
    let no_root = verifier(&mesh, &stranger.url())
        .verify(&by_stranger, SYNC)
        .await;
    assert!(
        matches!(no_root, Err(VerifyError::UnknownKey(_))),
        "{no_root:?}"
    );
    // Who asks the platform itself is told of no such key: neither the runtime nor a part of the platform.
    let east = &mesh.runtime;
    let credential = Credential::api_key(&by_thief);
    refused(
        "at the runtime",
        sync(&mesh, &east.app_proxy, credential, &order).await,
    );
    let key = signing_key(&mesh, "thief");
    let list_all = ListApplicationsRequest::default();
    let credential = Thief::of_key(&key).shows("user:admin", None, LIST, &list_all);
    refused("at the inventory", list(&mesh, credential).await);
    thief.stop().await;
    stranger.stop().await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_own_key_of_the_platform_is_believed_at_the_platform_alone() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    let (own, east) = (key_at(&mesh, "platform/keys/platform.pem"), &mesh.runtime);
    let thief = Thief::of_key(&own);
    let made = platform::CreateJoinTokenRequest {
        runtime: "mine".to_owned(),
        request_id: new_id(),
    };
    let credential = thief.shows("user:admin", None, TOKEN, &made);
    let peer = mesh.peer(&mesh.platform, credential);
    let mut runtimes = RuntimeServiceClient::new(peer);
    runtimes.create_join_token(made).await.unwrap();

    let (order, list_all) = (order("a"), ListApplicationsRequest::default());
    let part = issue(&own, KeyHolder::platform("request-router".parse().unwrap()));
    for thief in [thief, Thief::of_part(&part)] {
        for subject in ["user:admin", "part:platform/request-router"] {
            let credential = thief.shows(subject, Some(east), SYNC, &order);
            refused(
                subject,
                sync(&mesh, &east.app_proxy, credential, &order).await,
            );
            let credential = thief.shows(subject, None, LIST, &list_all);
            refused(subject, list(&mesh, credential).await);
        }
        let question = platform::AuthorizeRequest::default();
        let router = "part:platform/request-router";
        let credential = thief.shows(router, None, AUTHORIZE, &question);
        let peer = mesh.peer(&mesh.platform, credential);
        let mut authorization = AuthorizationServiceClient::new(peer);
        refused(router, authorization.authorize(question).await);
    }
    mesh.stop().await;
}

/// The key by which a platform in this folder signs.
fn signing_key(mesh: &Mesh, folder: &str) -> SigningKey {
    let keys = mesh.folder().join(folder).join("keys");
    let names = fs::read_dir(keys).unwrap();
    let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let name = names.find(|name| name.starts_with("signing-")).unwrap();
    key_at(mesh, &format!("{folder}/keys/{name}"))
}
