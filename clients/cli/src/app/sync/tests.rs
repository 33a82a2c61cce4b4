use causeway_proto::{inventory::v1 as pb, proxy::v1 as proxy};
use clap::Parser;

use super::{SyncArgs, choice::Resource};

#[derive(Parser, Debug)]
struct Typed {
    #[command(flatten)]
    args: SyncArgs,
}

fn typed(line: &str) -> Result<SyncArgs, clap::Error> {
    let words = ["sync"].into_iter().chain(line.split_whitespace());
    Ok(Typed::try_parse_from(words)?.args)
}

#[test]
fn flags_become_one_request() {
    let line = "web --prune --dry-run --resource apps:Deployment:shop/web --resource !:Service:* --strategy apply --force \
        --replace --server-side --sync-option CreateNamespace=true --info ticket=42 --retry-limit 3 --retry-backoff-duration 1500ms \
        --source-revision 2=v1";
    let target = pb::Application {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        ..pb::Application::default()
    };
    let request = typed(line).unwrap().request(&target, Vec::new(), "the-id");
    let selector = |group: &str, kind: &str, namespace: &str, name: &str, exclude| {
        let text = str::to_owned;
        proxy::ResourceSelector {
            group: text(group),
            kind: text(kind),
            namespace: text(namespace),
            name: text(name),
            exclude,
        }
    };
    let expected = proxy::SyncApplicationRequest {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        request_id: "the-id".to_owned(),
        prune: true,
        dry_run: true,
        resources: vec![
            selector("apps", "Deployment", "shop", "web", false),
            selector("", "Service", "", "*", true),
        ],
        strategy: proxy::SyncStrategy::Apply.into(),
        force: true,
        sync_options: [
            "Replace=true",
            "ServerSideApply=true",
            "CreateNamespace=true",
        ]
        .map(str::to_owned)
        .to_vec(),
        retry: Some(proxy::RetryStrategy {
            limit: 3,
            backoff: Some(prost_types::Duration {
                seconds: 1,
                nanos: 500_000_000,
            }),
            factor: 2,
            max_backoff: Some(prost_types::Duration {
                seconds: 180,
                nanos: 0,
            }),
            refresh: false,
        }),
        source_revisions: vec![proxy::SourceRevision {
            position: 2,
            revision: "v1".to_owned(),
        }],
        infos: vec![proxy::OperationInfo {
            name: "ticket".to_owned(),
            value: "42".to_owned(),
        }],
        ..proxy::SyncApplicationRequest::default()
    };
    assert_eq!(request, expected);
}

#[test]
fn invalid_flags_are_rejected_before_any_call() {
    for line in [
        "web --resource Deployment",
        "web --resource apps:Deployment",
        "web --sync-option Replace",
        "web --source-revision main",
        "web --source-revision 0=main",
        "web --source-revision 1=a --revision b",
        "web --source-revision 1=a --label tier=front",
        "web --label tier",
        "web --strategy merge",
        "web --retry-refresh",
        "web --request-id 5",
    ] {
        assert!(typed(line).is_err(), "{line}");
    }
    assert!(typed("web --retry-limit -1").is_ok());
}

#[test]
fn resources_are_selected_by_their_labels_in_git() {
    let resource = |kind: &str, name: &str| pb::Resource {
        kind: kind.to_owned(),
        namespace: "shop".to_owned(),
        name: name.to_owned(),
        sync: pb::SyncStatus::Synced.into(),
        ..pb::Resource::default()
    };
    let hook = pb::Resource {
        hook: true,
        ..resource("Service", "hook")
    };
    let owned = pb::Resource {
        sync: pb::SyncStatus::Unspecified.into(),
        ..resource("Service", "owned")
    };
    let all = [
        resource("Service", "web"),
        resource("Secret", "web"),
        hook,
        owned,
    ];
    let chosen = |choices: &[&str]| {
        let choices: Vec<Resource> = choices.iter().map(|it| it.parse().unwrap()).collect();
        let chosen = Resource::select(&choices, &all).map(|it| it.kind.as_str());
        chosen.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(chosen(&[":Service:*"]), "Service");
    assert_eq!(chosen(&[":*:shop/web", "!:Sec*:web"]), "Service");
    assert_eq!(chosen(&["!*:Service:*"]), "Secret");
    assert_eq!(chosen(&[":Service:other/web"]), "");
    assert_eq!(chosen(&["apps:Service:web"]), "");
}
