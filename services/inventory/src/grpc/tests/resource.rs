//! Rollouts, events and images over the wire: what one stream reports, users of the account see and nobody else.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use pb::{
    report_request::Message as Up, report_response::Message as Down,
    resource_service_client::ResourceServiceClient, resource_state::Detail,
};

use super::*;
use crate::application::Visible;

const SHOP: &str = r#"user@default [{"projects":["shop"]}]"#;
const BANK: &str = r#"user@default [{"projects":["bank"]}]"#;
const FOREIGN: &str = "user@other";

impl Served {
    fn resources(&self) -> ResourceServiceClient<Channel> {
        ResourceServiceClient::new(self.channel.clone())
    }

    /// Reports all of these on a stream of its own, and waits until they are acknowledged.
    async fn told(&self, kind: &str, changes: Vec<(&str, pb::report::Change)>) {
        let hello = pb::Hello {
            kind: kind.to_owned(),
            ..hello()
        };
        let (up, mut down) = self.report_as(hello).await;
        let mut missing = changes.len();
        for ((name, change), sequence) in changes.into_iter().zip(1..) {
            let report = pb::Report {
                sequence,
                namespace: "argocd".to_owned(),
                name: name.to_owned(),
                uid: format!("{kind}-{name}"),
                resource_version: 7,
                change: Some(change),
                ..pb::Report::default()
            };
            send(&up, Up::Report(report));
        }
        while missing > 0 {
            match next(&mut down).await {
                Down::Acknowledged(some) => missing -= some.sequences.len(),
                Down::Wanted(wanted) => {
                    for digest in wanted.digests {
                        let content = "{}".into();
                        send(
                            &up,
                            Up::Manifest(pb::Manifest {
                                digest,
                                content,
                                ..pb::Manifest::default()
                            }),
                        );
                    }
                }
                Down::Rejected(rejected) => panic!("{rejected:?}"),
                Down::Welcome(_) | Down::Held(_) | Down::Members(_) | Down::BaseWanted(_) => {}
            }
        }
    }

    /// An application `web` of the project `shop` with a Rollout and an event, and a Rollout of none.
    async fn filled() -> Self {
        let served = Self::start().await;
        let application = pb::ApplicationState {
            spec: Some(pb::ApplicationSpec {
                project: "shop".to_owned(),
                ..pb::ApplicationSpec::default()
            }),
            status: Some(pb::ApplicationStatus {
                images: vec!["nginx:1".to_owned()],
                ..pb::ApplicationStatus::default()
            }),
            ..pb::ApplicationState::default()
        };
        served
            .told(
                "applications.argoproj.io",
                vec![("web", signed(application))],
            )
            .await;
        let rollouts = vec![("web", rollout(Some("web"))), ("free", rollout(None))];
        served.told("rollouts.argoproj.io", rollouts).await;
        served.told("events", vec![("web.1", happened())]).await;
        served
    }
}

fn of(application: Option<&str>) -> Option<pb::ApplicationReference> {
    application.map(|name| pb::ApplicationReference {
        cluster: String::new(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
    })
}

fn change(mut state: pb::ResourceState) -> pb::report::Change {
    let digest = Digest::of(&state.encode_to_vec());
    state.root_digest = bytes::Bytes::copy_from_slice(digest.as_bytes());
    pb::report::Change::Resource(state)
}

fn rollout(application: Option<&str>) -> pb::report::Change {
    change(pb::ResourceState {
        group: "argoproj.io".to_owned(),
        kind: "Rollout".to_owned(),
        application: of(application),
        images: vec!["nginx:1@sha256:1".to_owned()],
        manifest_digest: bytes::Bytes::copy_from_slice(Digest::of(b"{}").as_bytes()),
        detail: Some(Detail::Rollout(pb::Rollout {
            phase: "Paused".to_owned(),
            revisions: vec![pb::RolloutRevision::default()],
            ..pb::Rollout::default()
        })),
        ..pb::ResourceState::default()
    })
}

fn happened() -> pb::report::Change {
    change(pb::ResourceState {
        kind: "Event".to_owned(),
        application: of(Some("web")),
        detail: Some(Detail::Event(pb::KubernetesEvent {
            reason: "RolloutPaused".to_owned(),
            regarding: Some(pb::ObjectReference {
                kind: "Rollout".to_owned(),
                namespace: "argocd".to_owned(),
                name: "web".to_owned(),
                ..pb::ObjectReference::default()
            }),
            ..pb::KubernetesEvent::default()
        })),
        ..pb::ResourceState::default()
    })
}

async fn names(served: &Served, caller: &'static str) -> Vec<String> {
    let list = pb::ListResourcesRequest::default();
    let page = served.resources().list_resources(from(caller, list)).await;
    let resources = page.unwrap().into_inner().resources.into_iter();
    resources.map(|resource| resource.name).collect()
}

fn wanted(name: &str) -> pb::GetResourceRequest {
    pb::GetResourceRequest {
        runtime: "rt-one".to_owned(),
        kind: "Rollout".to_owned(),
        name: name.to_owned(),
        with_manifest: true,
        ..pb::GetResourceRequest::default()
    }
}

#[tokio::test]
async fn s_45_a_resource_is_listed_and_got_by_those_who_may_see_its_application() {
    let served = Served::filled().await;
    let mut client = served.resources();
    assert_eq!(names(&served, "user@default").await, ["free", "web"]);
    assert_eq!(names(&served, SHOP).await, ["web"]);
    for stranger in [BANK, FOREIGN] {
        assert_eq!(names(&served, stranger).await, [""; 0]);
        let none = client.get_resource(from(stranger, wanted("web")));
        let none = none.await.unwrap_err();
        let absent = client.get_resource(from(stranger, wanted("xyz")));
        let absent = absent.await.unwrap_err();
        assert_eq!(reason(&none), Some(Reason::ResourceUnknown));
        assert_eq!(none.message().replace("web", "xyz"), absent.message());
    }
    let got = client.get_resource(from(SHOP, wanted("web")));
    let got = got.await.unwrap().into_inner();
    assert_eq!(&got.manifest[..], b"{}");
    let resource = got.resource.unwrap();
    assert_eq!(resource.resource, "rollouts.argoproj.io");
    assert_eq!(
        resource.application,
        of(Some("web")).map(|it| pb::ApplicationReference {
            cluster: "in-cluster".to_owned(),
            ..it
        })
    );
    let Some(pb::live_resource::Detail::Rollout(rollout)) = resource.detail else {
        panic!("it is a Rollout");
    };
    assert_eq!((&*rollout.phase, rollout.revisions.len()), ("Paused", 1));
    let hidden = client.get_resource(from(SHOP, wanted("free")));
    assert_eq!(hidden.await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test]
async fn s_56_page_tokens_of_resources_events_and_images_are_of_no_use_to_others() {
    let served = Served::filled().await;
    let list = |token: String| pb::ListResourcesRequest {
        page_size: 1,
        page_token: token,
        ..pb::ListResourcesRequest::default()
    };
    let mut client = served.resources();
    let page = client.list_resources(from("user@default", list(String::new())));
    let token = page.await.unwrap().into_inner().next_page_token;
    let page = client.list_resources(from("user@default", list(token.clone())));
    let page = page.await.unwrap().into_inner();
    assert_eq!(page.resources[0].name, "web");
    let images = |token: String| pb::ListImagesRequest {
        page_size: 1,
        page_token: token,
        ..pb::ListImagesRequest::default()
    };
    let page = client.list_images(from("user@default", images(String::new())));
    let image_token = page.await.unwrap().into_inner().next_page_token;
    assert_ne!(image_token, "");
    let two = ["web.1", "web.2"].map(|name| (name, happened()));
    served.told("events", two.into()).await;
    let events = |token: String| pb::ListEventsRequest {
        application: "web".to_owned(),
        page_size: 1,
        page_token: token,
        ..pb::ListEventsRequest::default()
    };
    let page = client.list_events(from("user@default", events(String::new())));
    let event_token = page.await.unwrap().into_inner().next_page_token;
    let page = client.list_events(from("user@default", events(event_token.clone())));
    let page = page.await.unwrap().into_inner();
    assert_eq!((page.events.len(), &*page.next_page_token), (1, ""));
    // What a token says of where looking ended is neither to be read nor to be made up.
    assert!(serde_json::from_slice::<serde_json::Value>(&read(&event_token)).is_err());
    let stamp = Visible::everything().stamp(&"default".parse().unwrap());
    let made_up = URL_SAFE_NO_PAD.encode(format!(r#"{{"place":null,"looked":7,"stamp":{stamp}}}"#));
    let refused = client.list_events(from("user@default", events(made_up)));
    let refused = refused.await.unwrap_err();
    assert_eq!(reason(&refused), Some(Reason::FieldInvalid));
    assert!(refused.message().starts_with("page_token"), "{refused}");
    for stranger in [SHOP, FOREIGN] {
        let refused = client.list_events(from(stranger, events(event_token.clone())));
        assert_eq!(
            reason(&refused.await.unwrap_err()),
            Some(Reason::FieldInvalid)
        );
        let refused = client.list_resources(from(stranger, list(token.clone())));
        assert_eq!(
            reason(&refused.await.unwrap_err()),
            Some(Reason::FieldInvalid)
        );
        let refused = client.list_images(from(stranger, images(image_token.clone())));
        assert_eq!(
            reason(&refused.await.unwrap_err()),
            Some(Reason::FieldInvalid)
        );
    }
}

fn read(token: &str) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(token).unwrap()
}

#[tokio::test]
async fn s_45_events_and_images_are_of_the_callers_scope_and_account() {
    let served = Served::filled().await;
    let mut client = served.resources();
    let of_application = pb::ListEventsRequest {
        application: "web".to_owned(),
        ..pb::ListEventsRequest::default()
    };
    let of_object = pb::ListEventsRequest {
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        ..pb::ListEventsRequest::default()
    };
    let of_all = pb::ListEventsRequest::default();
    for (caller, expected) in [("user@default", 1), (SHOP, 1), (BANK, 0), (FOREIGN, 0)] {
        for request in [&of_application, &of_object, &of_all] {
            let events = client.list_events(from(caller, request.clone()));
            let events = events.await.unwrap().into_inner().events;
            assert_eq!(events.len(), expected, "{caller}");
        }
        let images = client.list_images(from(caller, pb::ListImagesRequest::default()));
        let images = images.await.unwrap().into_inner().images;
        let digests: Vec<&str> = images.iter().map(|image| &*image.digest).collect();
        assert_eq!(digests, &["", "sha256:1"][..2 * expected], "{caller}");
        assert!(images.iter().all(|image| image.applications.len() == 1));
    }
    let both = pb::ListEventsRequest {
        name: "web".to_owned(),
        ..of_application
    };
    let wrong = client.list_events(from("user@default", both));
    let wrong = wrong.await.unwrap_err();
    assert_eq!(wrong.code(), Code::InvalidArgument);
    assert!(wrong.message().starts_with("application "), "{wrong}");
}

#[tokio::test]
async fn a_watch_of_resources_over_the_wire_follows_and_ends_in_order() {
    use pb::watch_resources_response::Event;
    let served = Served::start().await;
    let watch = from("user@default", pb::WatchResourcesRequest::default());
    let mut client = served.resources();
    let mut steps = client.watch_resources(watch).await.unwrap().into_inner();
    let first = soon(steps.message()).await.unwrap().unwrap();
    assert!(matches!(first.event, Some(Event::Bookmark(it)) if it.initial_state_sent));
    let rollouts = vec![("web", rollout(None))];
    served.told("rollouts.argoproj.io", rollouts).await;
    let next = soon(steps.message()).await.unwrap().unwrap();
    assert!(matches!(next.event, Some(Event::Updated(web)) if web.name == "web"));
    assert_ne!(next.cursor, first.cursor);
    served.inventory.stop().cancel();
    let end = soon(steps.message()).await.unwrap_err();
    assert_eq!(reason(&end), Some(Reason::Draining));
}
