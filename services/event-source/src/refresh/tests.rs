use serde_json::{Value, json};

use super::{application::Application, *};
use crate::{
    event::{Event, Reference},
    repository::Repository,
};

const URL: &str = "https://git.example.com/shop/deploy.git";

fn push(reference: &str, files: Option<&[&str]>) -> Event {
    Event {
        kind: "push".to_owned(),
        repositories: vec![Repository::parse("ssh://git@git.example.com:22/shop/deploy").unwrap()],
        references: vec![Reference {
            name: reference.to_owned(),
            ..Reference::default()
        }],
        default_branch: Some("main".to_owned()),
        files: files.map(|files| files.iter().map(|it| (*it).to_owned()).collect()),
        ..Event::default()
    }
}

fn application(object: &Value, paths: Option<&str>) -> Application {
    let paths = paths.map(str::to_owned);
    let annotation = |name: &str| {
        let own = name == "argocd.argoproj.io/manifest-generate-paths";
        paths.clone().filter(|_| own)
    };
    Application::read(annotation, object)
}

fn source(revision: &str, path: &str) -> Value {
    json!({ "spec": { "source": { "repoURL": URL, "targetRevision": revision, "path": path } } })
}

#[test]
fn an_application_follows_a_push_to_its_repository_and_revision() {
    let cases = [
        ("main", "refs/heads/main", true),
        ("main", "refs/heads/main2", false),
        ("HEAD", "refs/heads/main", true),
        ("", "refs/heads/main", true),
        ("HEAD", "refs/heads/next", false),
        ("refs/heads/next", "refs/heads/next", true),
        ("v1.2", "refs/tags/v1.2", true),
        ("v1.2", "refs/tags/v1.3", false),
        ("v1.*", "refs/tags/v1.3", true),
        (">=1.0 <2", "refs/tags/v1.3", true),
        ("1.x", "refs/tags/v1.3", true),
        ("v1.*", "refs/heads/main", false),
        ("feature/a", "refs/heads/feature/a", true),
        (
            "0123456789012345678901234567890123456789",
            "refs/heads/main",
            false,
        ),
    ];
    for (revision, reference, expected) in cases {
        let application = application(&source(revision, "web"), None);
        let concerned = application.is_concerned(&push(reference, None));
        assert_eq!(concerned, expected, "{revision} after {reference}");
    }
    let unknown_default = Event {
        default_branch: None,
        ..push("refs/heads/next", None)
    };
    assert!(application(&source("HEAD", "web"), None).is_concerned(&unknown_default));
    let other =
        json!({ "spec": { "source": { "repoURL": "https://git.example.com/shop/other" } } });
    assert!(!application(&other, None).is_concerned(&push("refs/heads/main", None)));
    let none = Event {
        references: Vec::new(),
        ..push("refs/heads/main", None)
    };
    assert!(!application(&source("main", "web"), None).is_concerned(&none));
}

#[test]
fn any_of_several_sources_counts_and_charts_of_helm_repositories_do_not() {
    let several = json!({ "spec": { "sources": [
        { "repoURL": "https://charts.example.com", "chart": "web", "targetRevision": "1.0" },
        { "repoURL": "https://git.example.com/shop/values", "targetRevision": "main", "ref": "values" },
        { "repoURL": URL, "targetRevision": "main", "path": "web" },
    ]}});
    assert!(application(&several, None).is_concerned(&push("refs/heads/main", None)));
    let chart = json!({ "spec": { "source": { "repoURL": URL, "chart": "web", "targetRevision": "main" } } });
    assert!(!application(&chart, None).is_concerned(&push("refs/heads/main", None)));
    let hydrated = json!({ "spec": { "sourceHydrator": { "drySource": { "repoURL": URL, "targetRevision": "main", "path": "web" } } } });
    assert!(application(&hydrated, None).is_concerned(&push("refs/heads/main", None)));
}

#[test]
fn changed_files_narrow_only_where_no_other_file_can_matter() {
    let typed = |path: &str, kind: &str| {
        let mut object = source("main", path);
        object["status"] = json!({ "sourceType": kind });
        object
    };
    let check = |object: &Value, paths: Option<&str>, files: Option<&[&str]>| {
        application(object, paths).is_concerned(&push("refs/heads/main", files))
    };
    let plain = typed("apps/web", "Directory");
    assert!(check(&plain, None, Some(&["apps/web/a.yaml"])));
    assert!(!check(
        &plain,
        None,
        Some(&["apps/web2/a.yaml", "apps/web.yaml"])
    ));
    assert!(
        check(&plain, None, None),
        "an incomplete list narrows nothing"
    );
    assert!(check(&typed(".", "Directory"), None, Some(&["README.md"])));
    for kind in ["Kustomize", "Helm", "Plugin", ""] {
        let object = typed("apps/web", kind);
        assert!(
            check(&object, None, Some(&["base/a.yaml"])),
            "{kind} reads other folders"
        );
    }
    let paths = Some(".;/base;../shared/*.yaml; ;/lib/web-*");
    let helm = typed("apps/web", "Helm");
    for (file, expected) in [
        ("apps/web/values.yaml", true),
        ("base/a.yaml", true),
        ("base2/a.yaml", false),
        ("apps/shared/b.yaml", true),
        ("apps/api/values.yaml", false),
        ("lib/web-1/a.yaml", true),
        ("README.md", false),
    ] {
        assert_eq!(check(&helm, paths, Some(&[file])), expected, "{file}");
    }
}

fn key(name: &str) -> ApplicationKey {
    ApplicationKey {
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
    }
}

#[test]
fn a_flood_writes_an_application_once_in_two_seconds_and_loses_no_push() {
    let mut pace = Pace::default();
    let mut writes = Vec::new();
    let mut waiting: Vec<u64> = Vec::new();
    for now in 0..10_000_u64 {
        waiting.push(now);
        let deliveries = waiting.iter().map(|at| (*at, vec![key("web")]));
        let plan = pace.plan(deliveries.collect(), now);
        for written in plan.writes {
            writes.push(now);
            pace.written(written, now);
        }
        let undone = waiting.iter().zip(&plan.steps);
        let undone = undone.filter(|(_, step)| step.wait_ms > 0);
        waiting = undone.map(|(at, _)| *at).collect();
    }
    assert_eq!(writes, [0, 2_000, 4_000, 6_000, 8_000]);
    let plan = pace.plan(
        waiting.iter().map(|at| (*at, vec![key("web")])).collect(),
        10_000,
    );
    assert_eq!(plan.writes.len(), 1, "the last pushes are not lost");
}

#[test]
fn a_push_waits_only_for_its_own_applications() {
    let mut pace = Pace::default();
    pace.written(key("web"), 1_000);
    let plan = pace.plan(
        vec![(1_500, vec![key("web")]), (1_500, vec![key("api")])],
        1_600,
    );
    assert_eq!(plan.writes, BTreeSet::from([key("api")]));
    assert_eq!((plan.steps[0].wait_ms, plan.steps[1].wait_ms), (1_400, 0));
    let earlier = pace.plan(vec![(900, vec![key("web")])], 1_600);
    assert_eq!(
        earlier.steps[0].missing,
        [],
        "it was written after this push"
    );
}
