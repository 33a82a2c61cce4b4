//! What was, over the wire.

use std::time::{Duration, SystemTime};

use causeway_proto::time::{millis_to_timestamp, timestamp_to_millis, to_millis};
use causeway_testkit::wait_until;
use prost_types::Timestamp;

use super::*;

/// A resource with a live manifest.
fn resource(name: &str, manifest: &'static str) -> (pb::Resource, &'static str) {
    let live_digest = bytes::Bytes::copy_from_slice(Digest::of(manifest.as_bytes()).as_bytes());
    let resource = pb::Resource {
        kind: "ConfigMap".to_owned(),
        name: name.to_owned(),
        live_digest,
        ..pb::Resource::default()
    };
    (resource, manifest)
}

fn state_in(project: &str, resources: &[(pb::Resource, &'static str)]) -> pb::ApplicationState {
    pb::ApplicationState {
        spec: Some(pb::ApplicationSpec {
            project: project.to_owned(),
            ..pb::ApplicationSpec::default()
        }),
        status: Some(pb::ApplicationStatus {
            sync: Some(pb::SyncState {
                status: pb::SyncStatus::Synced.into(),
                revisions: vec![format!("rev-{}", resources.len())],
            }),
            resources: resources
                .iter()
                .map(|(resource, _)| resource.clone())
                .collect(),
            ..pb::ApplicationStatus::default()
        }),
        ..pb::ApplicationState::default()
    }
}

/// A reporter that tells of one application.
struct Teller {
    up: mpsc::UnboundedSender<pb::ReportRequest>,
    down: Streaming<pb::ReportResponse>,
    told: u64,
}

impl Teller {
    async fn of(served: &Served) -> Self {
        let (up, down) = served.report().await;
        Self { up, down, told: 0 }
    }

    /// Tells and waits until it is kept; then a millisecond has passed. The time at which it was so.
    async fn tell(
        &mut self,
        change: pb::report::Change,
        manifests: &[(pb::Resource, &'static str)],
    ) -> Timestamp {
        use pb::report_response::Message;
        self.told += 1;
        let report = pb::Report {
            change: Some(change),
            resource_version: self.told,
            ..web(self.told)
        };
        send(&self.up, pb::report_request::Message::Report(report));
        loop {
            match next(&mut self.down).await {
                Message::Acknowledged(_) => break,
                Message::Wanted(wanted) => {
                    for digest in wanted.digests {
                        let is = |content: &&str| {
                            *Digest::of(content.as_bytes()).as_bytes() == digest[..]
                        };
                        let content = manifests
                            .iter()
                            .map(|(_, content)| *content)
                            .find(|content| is(content));
                        let content = content.unwrap().into();
                        let manifest = pb::Manifest {
                            digest,
                            content,
                            ..pb::Manifest::default()
                        };
                        send(&self.up, pb::report_request::Message::Manifest(manifest));
                    }
                }
                Message::Welcome(_)
                | Message::Held(_)
                | Message::Members(_)
                | Message::BaseWanted(_) => {}
                Message::Rejected(rejected) => panic!("{}", rejected.reason),
            }
        }
        let kept = to_millis(SystemTime::now());
        wait_until("the clock goes on", Duration::from_secs(10), async || {
            let now = to_millis(SystemTime::now());
            (now > kept).then_some(()).ok_or(now.to_string())
        })
        .await;
        millis_to_timestamp(kept)
    }

    async fn state(
        &mut self,
        project: &str,
        resources: &[(pb::Resource, &'static str)],
    ) -> Timestamp {
        let change = signed(state_in(project, resources));
        self.tell(change, resources).await
    }

    async fn gone(&mut self) -> Timestamp {
        let deleted = pb::Deleted::default();
        self.tell(pb::report::Change::Deleted(deleted), &[]).await
    }
}

fn got(at: Timestamp) -> pb::GetApplicationRequest {
    pb::GetApplicationRequest {
        at: Some(at),
        ..wanted("web")
    }
}

fn states(page_size: u32, page_token: String) -> pb::ListApplicationStatesRequest {
    pb::ListApplicationStatesRequest {
        runtime: "rt-one".to_owned(),
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        page_size,
        page_token,
        ..pb::ListApplicationStatesRequest::default()
    }
}

fn diff(from: Timestamp, to: Timestamp) -> pb::DiffApplicationRequest {
    pb::DiffApplicationRequest {
        runtime: "rt-one".to_owned(),
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        from: Some(from),
        to: Some(to),
        ..pb::DiffApplicationRequest::default()
    }
}

fn resources(application: Option<pb::Application>) -> Vec<String> {
    let status = application.unwrap().status.unwrap();
    let resources = status.resources.into_iter();
    resources.map(|resource| resource.name).collect()
}

#[tokio::test]
async fn an_application_is_got_as_it_was_at_each_time() {
    let served = Served::start().await;
    let mut teller = Teller::of(&served).await;
    let (a, b) = (resource("a", "{}"), resource("b", "[]"));
    let one = teller.state("shop", std::slice::from_ref(&a)).await;
    let two = teller.state("shop", &[a.clone(), b]).await;
    let gone = teller.gone().await;
    let again = teller.state("shop", &[a]).await;
    let mut client = served.applications();
    for (at, wanted) in [(one, &["a"][..]), (two, &["a", "b"]), (again, &["a"])] {
        let got = client.get_application(from("user@default", got(at))).await;
        assert_eq!(resources(got.unwrap().into_inner().application), wanted);
    }
    let refused = client
        .get_application(from("user@default", got(gone)))
        .await;
    let refused = refused.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused)),
        (Code::NotFound, Some(Reason::ApplicationUnknown))
    );
    let early = millis_to_timestamp(timestamp_to_millis(&one) - 3_600_000);
    let refused = client
        .get_application(from("user@default", got(early)))
        .await;
    let refused = refused.unwrap_err();
    assert_eq!(
        (refused.code(), reason(&refused)),
        (Code::OutOfRange, Some(Reason::HistoryUnknown))
    );
    let page = client.list_application_states(from("user@default", states(0, String::new())));
    let all = page.await.unwrap().into_inner().states;
    let oldest = all.last().unwrap().received_at.unwrap();
    let told = refused.message().to_owned();
    assert!(told.ends_with(&format!("begins at {oldest}")), "{told}");
    let kinds: Vec<_> = all
        .iter()
        .map(|state| (state.gone, &state.revisions[..]))
        .collect();
    let revision = |name: &str| vec![name.to_owned()];
    let wanted = [
        (false, &revision("rev-1")[..]),
        (true, &[]),
        (false, &revision("rev-2")),
        (false, &revision("rev-1")),
    ];
    assert_eq!(kinds, wanted);
    let wrong = Timestamp {
        seconds: 0,
        nanos: -1,
    };
    let refused = client
        .get_application(from("user@default", got(wrong)))
        .await;
    assert_eq!(reason(&refused.unwrap_err()), Some(Reason::FieldInvalid));
}

#[tokio::test]
async fn states_come_in_pages_and_none_is_left_out() {
    let served = Served::start().await;
    let mut teller = Teller::of(&served).await;
    for number in 0..50 {
        teller.state(&format!("p{number}"), &[]).await;
    }
    let mut client = served.applications();
    for limited in [
        "user@default",
        r#"user@default [{"namespaces":["argocd"]}]"#,
    ] {
        let (mut versions, mut token) = (Vec::new(), String::new());
        loop {
            let page = client.list_application_states(from(limited, states(7, token)));
            let page = page.await.unwrap().into_inner();
            versions.extend(page.states.iter().map(|state| state.resource_version));
            token = page.next_page_token;
            if token.is_empty() {
                break;
            }
        }
        assert_eq!(versions, (1..=50).rev().collect::<Vec<_>>());
    }
    let refused = client.list_application_states(from("user@default", states(7, "x".to_owned())));
    assert_eq!(
        reason(&refused.await.unwrap_err()),
        Some(Reason::FieldInvalid)
    );
}

#[tokio::test]
async fn a_diff_has_the_resources_that_are_not_the_same_and_their_manifests_are_had() {
    let served = Served::start().await;
    let mut teller = Teller::of(&served).await;
    let (a, b, c) = (
        resource("a", "{}"),
        resource("b", "[1]"),
        resource("c", "[2]"),
    );
    let changed = resource("b", "[3]");
    let one = teller.state("shop", &[a.clone(), b, c]).await;
    let two = teller
        .state("shop", &[a, changed, resource("d", "[4]")])
        .await;
    let mine = r#"user@default [{"names":["web"]}]"#;
    let mut client = served.applications();
    let found = client.diff_application(from(mine, diff(one, two))).await;
    let found = found.unwrap().into_inner();
    let side = |side: &Option<pb::Resource>| side.as_ref().map(|it| it.live_digest.to_vec());
    let digest = |text: &str| Some(Digest::of(text.as_bytes()).as_bytes().to_vec());
    let sides: Vec<_> = found
        .resources
        .iter()
        .map(|it| (side(&it.from), side(&it.to)))
        .collect();
    let wanted = [
        (digest("[1]"), digest("[3]")),
        (digest("[2]"), None),
        (None, digest("[4]")),
    ];
    assert_eq!(sides, wanted);
    assert_eq!(found.resources_left_off, 0);
    assert_eq!(
        resources(found.from),
        [""; 0],
        "both come in the basic view"
    );
    let same = client.diff_application(from(mine, diff(one, one))).await;
    assert!(same.unwrap().into_inner().resources.is_empty());
    let manifest = |content: &str, at| pb::GetManifestRequest {
        digest_hex: Digest::of(content.as_bytes()).to_string(),
        runtime: "rt-one".to_owned(),
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        at,
        ..pb::GetManifestRequest::default()
    };
    let then = client
        .get_manifest(from(mine, manifest("[1]", Some(one))))
        .await;
    assert_eq!(&then.unwrap().into_inner().content[..], b"[1]");
    for other in [None, Some(two)] {
        let refused = client
            .get_manifest(from(mine, manifest("[1]", other)))
            .await;
        assert_eq!(refused.unwrap_err().code(), Code::NotFound);
    }
}

#[tokio::test]
async fn what_was_is_seen_by_those_who_see_it_now_and_could_have_seen_it_then() {
    let served = Served::start().await;
    let mut teller = Teller::of(&served).await;
    let one = teller.state("bank", &[resource("a", "{}")]).await;
    let two = teller.state("shop", &[]).await;
    let mut client = served.applications();
    let shop = r#"user@default [{"projects":["shop"]}]"#;
    let bank = r#"user@default [{"projects":["bank"]}]"#;
    let both = r#"user@default [{"projects":["bank","shop"]}]"#;
    let other = "user@other";
    for (caller, at, seen) in [
        (both, one, true),
        (both, two, true),
        (shop, one, false),
        (shop, two, true),
        (bank, one, false),
        (bank, two, false),
        (other, one, false),
        (other, two, false),
    ] {
        let got = client.get_application(from(caller, got(at))).await;
        match got {
            Ok(_) => assert!(seen, "{caller} at {at}"),
            Err(refused) => {
                assert!(!seen, "{caller} at {at}: {refused}");
                assert_eq!(reason(&refused), Some(Reason::ApplicationUnknown));
            }
        }
        let differs = client.diff_application(from(caller, diff(one, at))).await;
        assert_eq!(differs.is_ok(), caller == both, "{caller} at {at}");
        let manifest = pb::GetManifestRequest {
            digest_hex: Digest::of(b"{}").to_string(),
            runtime: "rt-one".to_owned(),
            namespace: "argocd".to_owned(),
            name: "web".to_owned(),
            at: Some(at),
            ..pb::GetManifestRequest::default()
        };
        let manifest = client.get_manifest(from(caller, manifest)).await;
        assert_eq!(
            manifest.is_ok(),
            caller == both && at == one,
            "{caller} at {at}"
        );
    }
    for (caller, count) in [
        (both, Some(2)),
        (shop, Some(1)),
        (bank, None),
        (other, None),
    ] {
        let page = client.list_application_states(from(caller, states(0, String::new())));
        let told = page.await.ok().map(|page| page.into_inner().states.len());
        assert_eq!(told, count, "{caller}");
    }
    teller.gone().await;
    let last = client.get_application(from(shop, got(two))).await;
    assert!(last.is_ok(), "one that is gone is what it was last");
    let hidden = client.get_application(from(bank, got(one))).await;
    assert!(hidden.is_err());
}
