//! Negative tests over the whole contract. `tests/NEGATIVE.md` lists them with all others.

use std::collections::BTreeSet;

use causeway_client::{Credential, Peer};
use causeway_proto::{
    access::v1::{CallerKind, Kind, Side},
    method::{Method, methods},
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, Part, new_id};
use prost_reflect::{DynamicMessage, Kind as FieldKind, MessageDescriptor, Value};
use tonic::{Code, Request, Status, client::Grpc};
use tonic_prost::ProstCodec;

use crate::world::{application, create, until_told};

/// What people have shown in the place of a credential.
const SHOWN: [&str; 12] = [
    "x",
    "admin",
    "undefined",
    "null",
    "user:admin",
    "Bearer",
    "cwk_",
    "cwj_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "cwk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "..",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1c2VyOmFkbWluIn0.",
    "eyJhbGciOiJIUzI1NiIsImtpZCI6IngifQ.eyJzdWIiOiJ1c2VyOmFkbWluIn0.c2lnbmF0dXJl",
];
/// Fields that hand out a credential, once, to who asked for exactly that.
const HANDED_OUT: [&str; 11] = [
    "AuthorizeResponse.assertion",
    "CreateAccountResponse.admin_api_key",
    "CreateApiKeyResponse.secret",
    "CreateJoinTokenResponse.token",
    "CreateRejoinTokenResponse.token",
    "CreateSessionResponse.token",
    "ExchangeTokenResponse.session_token",
    "FinishDeviceSignInResponse.session_token",
    "FinishSignInResponse.session_token",
    "IssueAssertionResponse.assertion",
    "RotateApiKeyResponse.secret",
];
/// Fields whose names only sound so: names and places of things, which open nothing.
const HARMLESS: [&str; 4] = [
    "credential",
    "join_token_id",
    "next_page_token",
    "page_token",
];
const SOUNDS_SECRET: [&str; 9] = [
    "secret",
    "password",
    "passphrase",
    "token",
    "private",
    "credential",
    "assertion",
    "admin_api_key",
    "kubeconfig",
];

/// What says where something is, or vouches for it.
const SOUNDS_LIKE_A_PLACE: [&str; 9] = [
    "server",
    "kubeconfig",
    "host",
    "address",
    "endpoint",
    "url",
    "uri",
    "certificate",
    "bearer",
];
/// Fields of requests about issuers of sign-ins and about Git hosts, which `--allow-git` bounds. A destination is compared with the
/// clusters that Argo CD has, and never dialled.
const OF_OTHERS: [&str; 3] = [
    "CreateIntegrationRequest.url",
    "GitSourceDestination.server",
    "IdentityProviderSettings.ca_certificates",
];

/// A request that says no more than what lets it through to whoever decides.
fn request(method: &Method) -> DynamicMessage {
    let mut request = DynamicMessage::new(method.descriptor.input());
    for (field, value) in [("request_id", new_id()), ("runtime", "east".to_owned())] {
        if method.descriptor.input().get_field_by_name(field).is_some() {
            request.set_field_by_name(field, Value::String(value));
        }
    }
    request
}

/// Of the answer only whether there is one.
async fn call(mesh: &Mesh, at: &Part, method: &Method, shown: Credential) -> Result<(), Status> {
    let peer: Peer = mesh.peer(at, shown);
    let mut client = Grpc::new(peer);
    let ready = client.ready().await;
    ready.map_err(|error| Status::unavailable(error.to_string()))?;
    let path = method.path.parse().unwrap();
    let codec = ProstCodec::<DynamicMessage, ()>::default();
    let request = Request::new(request(method));
    let answer = client.server_streaming(request, path, codec).await?;
    answer.into_inner().message().await.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn n_36_n_51_n_54_s_63_nobody_without_a_true_credential_gets_an_answer_at_any_port() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    let east = &mesh.runtime;
    let ports = [
        ("platform", &mesh.platform),
        ("inventory", &mesh.inventory),
        ("tunnel-server", &mesh.tunnel_server),
        ("the platform's router", &mesh.router),
        ("source-server", &east.source_server),
        ("app-proxy", &east.app_proxy),
        ("event-source", &east.event_source),
        ("the runtime's router", &east.router),
    ];
    let closed = methods().values().filter(|it| it.kind != Kind::Public);
    let closed: Vec<_> = closed.collect();
    for (name, port) in ports {
        for method in &closed {
            let shown = SHOWN.map(Credential::api_key);
            for credential in [&[Credential::None], &shown[..]].concat() {
                let answer = call(&mesh, port, method, credential).await;
                let code = answer.err().map(|status| status.code());
                let refused = [
                    Code::Unauthenticated,
                    Code::PermissionDenied,
                    Code::Unimplemented,
                    // Who has shown many that are none waits.
                    Code::ResourceExhausted,
                ];
                let refused = code.is_some_and(|code| refused.contains(&code));
                assert!(refused, "{} at {name}: {code:?}", method.path);
            }
        }
    }
    mesh.stop().await;
}

/// Every text and byte field that a message can hold, as `Message.field`.
fn fields(message: &MessageDescriptor, seen: &mut BTreeSet<String>, found: &mut BTreeSet<String>) {
    if !seen.insert(message.full_name().to_owned()) {
        return;
    }
    for field in message.fields() {
        let kind = field.kind();
        if let Some(inner) = kind.as_message() {
            fields(inner, seen, found);
        } else if matches!(kind, FieldKind::String | FieldKind::Bytes) {
            found.insert(format!("{}.{}", message.name(), field.name()));
        }
    }
}

#[test]
fn n_38_no_answer_has_a_field_for_a_secret_but_those_that_hand_one_out() {
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    for method in methods().values() {
        fields(&method.descriptor.output(), &mut seen, &mut found);
    }
    assert!(found.len() > 100, "{}", found.len());
    found.retain(|field| {
        let name = field.split('.').nth(1).unwrap();
        let sounds = SOUNDS_SECRET.iter().any(|word| name.contains(word));
        sounds && !HARMLESS.contains(&name)
    });
    let expected: BTreeSet<_> = HANDED_OUT.map(str::to_owned).into();
    assert_eq!(found, expected);
}

#[test]
fn n_31_no_request_of_a_user_says_where_a_cluster_is_or_what_opens_it() {
    let users = methods().values();
    let users = users.filter(|method| method.callers.contains(&CallerKind::User));
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    for method in users {
        fields(&method.descriptor.input(), &mut seen, &mut found);
        // What acts in a cluster acts in that of its own part: there is no other one to be named.
        let named = method.descriptor.input().get_field_by_name("cluster");
        assert!(
            method.side != Side::Runtime || named.is_none(),
            "{}",
            method.path
        );
    }
    assert!(found.len() > 100, "{}", found.len());
    found.retain(|field| {
        let name = field.split('.').nth(1).unwrap();
        SOUNDS_LIKE_A_PLACE.iter().any(|word| name.contains(word))
    });
    let expected: BTreeSet<_> = OF_OTHERS.map(str::to_owned).into();
    assert_eq!(found, expected);
}
