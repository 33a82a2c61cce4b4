use std::collections::BTreeMap;

use causeway_argocd::{application::Application, redact::Redactor};
use causeway_proto::{inventory::v1 as pb, source::v1 as source};
use causeway_reporting::{Digest, Enrichment as _, ReportedKind as _};
use prost::Message as _;
use serde_json::{Value, json};

use super::{to_manifests, to_state};
use crate::{
    Applications,
    enrichment::{Chart, Commit, Desired, Enrichment, Inputs, ManifestDigests, Node, ResourceName},
    parent::ArgoCdNamespaces,
};

fn application(change: impl Fn(&mut Value)) -> Application {
    let mut object = json!({
        "metadata": {
            "namespace": "argocd", "name": "web", "uid": "u", "resourceVersion": "7",
            "labels": {"b": "2", "a": "1"}, "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": {"project": "shop", "source": {"repoURL": "https://h/x", "path": "p"}},
        "status": {
            "sync": {"status": "OutOfSync", "revision": "aaaa"},
            "health": {"status": "Degraded", "message": "down"},
            "resources": [{"group": "apps", "version": "v1", "kind": "Deployment", "namespace": "x", "name": "d", "status": "OutOfSync", "requiresPruning": true}],
            "history": [{"id": 3, "revision": "bbbb", "deployedAt": "2026-01-01T00:00:00Z"}],
        },
    });
    change(&mut object);
    Application::from_value(object).unwrap()
}

fn node(kind: &str, name: &str, uid: &str) -> Node {
    Node {
        resource: ResourceName {
            group: if kind == "Deployment" {
                "apps".to_owned()
            } else {
                String::new()
            },
            kind: kind.to_owned(),
            namespace: "x".to_owned(),
            name: name.to_owned(),
        },
        version: "v1".to_owned(),
        uid: uid.to_owned(),
        parent_uids: Vec::new(),
        health: "Healthy".to_owned(),
        health_message: String::new(),
        images: Vec::new(),
        created_at: Some(0),
        info: Vec::new(),
        network: None,
    }
}

fn enrichment() -> Enrichment {
    let commit = |message: &str| Commit {
        author: "Ada".to_owned(),
        message: message.to_owned(),
        committed_at: None,
        url: "https://github.com/a/b/commit/aaaa".to_owned(),
        avatar_url: String::new(),
    };
    Enrichment {
        desired: Desired::Known,
        nodes: vec![node("Deployment", "d", "uid-d"), node("Pod", "p", "uid-p")],
        commits: BTreeMap::from([
            ("aaaa".to_owned(), commit("one")),
            ("bbbb".to_owned(), commit("two")),
        ]),
        ..Enrichment::default()
    }
}

fn status(change: impl Fn(&mut Value)) -> pb::ApplicationStatus {
    to_state(
        &application(change),
        &enrichment(),
        &ArgoCdNamespaces::default(),
    )
    .0
    .status
    .unwrap()
}

#[test]
fn root_digest_covers_the_state_and_is_stable() {
    let (mut state, root) = to_state(
        &application(|_| {}),
        &enrichment(),
        &ArgoCdNamespaces::default(),
    );
    let (again, same) = to_state(
        &application(|_| {}),
        &enrichment(),
        &ArgoCdNamespaces::default(),
    );
    assert_eq!((&state, root), (&again, same));
    assert_eq!(state.root_digest, root.to_bytes());
    state.root_digest.clear();
    assert_eq!(Digest::compute(&state.encode_to_vec()), root);
}

#[test]
fn root_digest_changes_with_reported_fields_only() {
    let root = |change: &dyn Fn(&mut Value)| {
        to_state(
            &application(change),
            &enrichment(),
            &ArgoCdNamespaces::default(),
        )
        .1
    };
    let before = root(&|_| {});
    assert_ne!(
        root(&|app| app["metadata"]["labels"]["a"] = json!("9")),
        before
    );
    assert_ne!(
        root(&|app| app["status"]["health"]["status"] = json!("Healthy")),
        before
    );
    assert_ne!(
        root(&|app| app["status"]["resources"][0]["status"] = json!("Synced")),
        before
    );
    assert_eq!(
        root(&|app| app["metadata"]["resourceVersion"] = json!("8")),
        before
    );
    assert_eq!(
        root(&|app| app["metadata"]["annotations"] = json!({"a": "b"})),
        before
    );
}

#[test]
fn tree_completes_managed_resources_and_adds_dependents() {
    let resources = status(|_| {}).resources;
    let shown: Vec<_> = resources
        .iter()
        .map(|it| (it.kind.as_str(), it.uid.as_str(), it.requires_pruning))
        .collect();
    assert_eq!(
        shown,
        [("Deployment", "uid-d", true), ("Pod", "uid-p", false)]
    );
    assert_eq!(resources[0].sync, i32::from(pb::SyncStatus::OutOfSync));
    assert_eq!(resources[1].sync, i32::from(pb::SyncStatus::Unspecified));
}

#[test]
fn commits_are_found_by_revision() {
    let status = status(|_| {});
    let commit = status.commit.unwrap();
    assert_eq!(
        (commit.message.as_str(), commit.url.as_str()),
        ("one", "https://github.com/a/b/commit/aaaa")
    );
    assert_eq!(status.sources, []);
    assert_eq!(status.chart, None);
    assert_eq!(status.history[0].commit.as_ref().unwrap().message, "two");
}

#[test]
fn requested_operation_hides_the_ended_one() {
    let ended = json!({
        "phase": "Succeeded", "finishedAt": "2026-01-01T00:00:00Z",
        "operation": {"info": [{"name": "causeway.io/request-id", "value": "old"}]},
    });
    let asked = json!({
        "initiatedBy": {"username": "someone"},
        "info": [
            {"name": "causeway.io/request-id", "value": "new"},
            {"name": "causeway.io/initiated-by", "value": "user:ada"},
        ],
    });
    let operation = status(|app| {
        app["status"]["operationState"] = ended.clone();
        app["operation"] = asked.clone();
    });
    let operation = operation.operation.unwrap();
    assert_eq!(
        (
            operation.request_id.as_str(),
            operation.initiated_by.as_str()
        ),
        ("new", "ada")
    );
    assert_eq!(operation.phase, i32::from(pb::OperationPhase::Unspecified));
    let operation = status(|app| app["status"]["operationState"] = ended.clone()).operation;
    let operation = operation.unwrap();
    assert_eq!(operation.request_id, "old");
    assert_eq!(operation.phase, i32::from(pb::OperationPhase::Succeeded));
}

fn omitted(status: &pb::ApplicationStatus) -> Vec<(&str, u64, u64)> {
    let omissions = status.omissions.iter();
    omissions
        .map(|it| (it.field.as_str(), it.total, it.kept))
        .collect()
}

#[test]
fn oversized_state_is_truncated_with_omissions() {
    let resource =
        json!({"kind": "ConfigMap", "namespace": "x", "name": "n".repeat(200), "status": "Synced"});
    let many = vec![resource; 30_000];
    let (state, _) = to_state(
        &application(|app| app["status"]["resources"] = json!(many)),
        &Enrichment::default(),
        &ArgoCdNamespaces::default(),
    );
    assert!(state.encoded_len() < 4 << 20);
    let status = state.status.unwrap();
    assert!(!status.resources.is_empty());
    assert_eq!(
        status.sync.as_ref().unwrap().status,
        i32::from(pb::SyncStatus::OutOfSync)
    );
    let kept = status.resources.len() as u64;
    assert_eq!(omitted(&status), [("resources", 30_000, kept)]);
}

#[test]
fn oversized_fields_are_truncated_and_recorded() {
    let labels: BTreeMap<_, _> = (0..1_500).map(|it| (format!("l-{it:04}"), "v")).collect();
    let (state, _) = to_state(
        &application(|app| {
            app["metadata"]["labels"] = json!(labels);
            app["spec"]["project"] = json!(format!("a{}", "ü".repeat(200)));
        }),
        &Enrichment::default(),
        &ArgoCdNamespaces::default(),
    );
    let status = state.status.unwrap();
    let wanted = [("labels", 1_500, 1_000), ("spec.project", 401, 253)];
    assert_eq!(omitted(&status), wanted);
    assert_eq!(state.labels.len(), 1_000);
    assert!(state.spec.unwrap().project.ends_with('ü'));
}

#[test]
fn omitted_manifest_is_recorded_with_its_size() {
    let name = node("Deployment", "d", "").resource;
    let mut enrichment = enrichment();
    let digests = ManifestDigests {
        live: Some(Digest::compute(b"")),
        desired_omitted: 10 << 20,
        ..ManifestDigests::default()
    };
    enrichment.manifests.insert(name, digests);
    let (state, _) = to_state(
        &application(|_| {}),
        &enrichment,
        &ArgoCdNamespaces::default(),
    );
    let status = state.status.unwrap();
    assert_eq!(omitted(&status), [("desired manifest", 10 << 20, 0)]);
    let resource = status.omissions[0].resource.clone().unwrap();
    assert_eq!(
        (resource.kind.as_str(), resource.name.as_str()),
        ("Deployment", "d")
    );
}

#[test]
fn compression_round_trips() {
    let mut enrichment = enrichment();
    let digests = ManifestDigests {
        live: Some(Digest::compute(b"")),
        desired_omitted: 10 << 20,
        ..ManifestDigests::default()
    };
    let name = node("Deployment", "d", "").resource;
    enrichment.manifests.insert(name, digests);
    let packed = enrichment.compress().unwrap();
    assert_eq!(Enrichment::decompress(&packed), Some(enrichment));
    assert_eq!(Enrichment::default().compress(), None);
    let application = application(|_| {});
    let packed = Applications::compress(&application).unwrap();
    assert_eq!(Applications::decompress(&packed), Some(application));
}

#[test]
fn complete_state_has_no_omissions() {
    assert_eq!(omitted(&status(|_| {})), []);
}

#[test]
fn inputs_change_with_comparisons_and_not_with_annotations() {
    let inputs = |change: &dyn Fn(&mut Value)| Inputs::of(&application(change));
    let before = inputs(&|_| {});
    assert_eq!(
        inputs(&|app| app["metadata"]["resourceVersion"] = json!("9")),
        before
    );
    assert_ne!(
        inputs(&|app| app["status"]["sync"]["revision"] = json!("c")),
        before
    );
    assert_ne!(
        inputs(&|app| app["status"]["reconciledAt"] = json!("2026-01-02T00:00:00Z")),
        before
    );
}

#[test]
fn each_source_has_its_commit_or_chart() {
    let mut enrichment = enrichment();
    enrichment.charts = vec![Chart {
        name: "web".to_owned(),
        version: "1.2.3".to_owned(),
        app_version: "9.1".to_owned(),
    }];
    let sources = json!([
        {"repoURL": "https://charts.example.com", "chart": "library/web", "targetRevision": "1.*"},
        {"repoURL": "https://h/x", "path": "p"},
    ]);
    let revisions = json!(["1.2.3", "bbbb"]);
    let application = application(|app| {
        app["spec"]["sources"] = sources.clone();
        app["status"]["sync"]["revisions"] = revisions.clone();
        app["status"]["history"][0]["sources"] = sources.clone();
        app["status"]["history"][0]["revisions"] = revisions.clone();
    });
    let status = to_state(&application, &enrichment, &ArgoCdNamespaces::default())
        .0
        .status
        .unwrap();
    let chart = pb::Chart {
        name: "library/web".to_owned(),
        version: "1.2.3".to_owned(),
        app_version: "9.1".to_owned(),
    };
    assert_eq!(status.chart.as_ref(), Some(&chart));
    let [helm, git] = &status.sources[..] else {
        panic!("{:?}", status.sources);
    };
    assert_eq!(
        (helm.revision.as_str(), helm.chart.as_ref()),
        ("1.2.3", Some(&chart))
    );
    assert_eq!(git.commit.as_ref().unwrap().message, "two");
    assert_eq!(status.history[0].sources, status.sources);
}

/// Returns the charts of a manifest with this label and app version 9.1.
fn charts_of(redactor: &Redactor, label: &str) -> Vec<Chart> {
    let labels = json!({"helm.sh/chart": label, "app.kubernetes.io/version": "9.1"});
    let manifest = json!({"kind": "ConfigMap", "metadata": {"labels": labels}});
    let resource = source::ManagedResource {
        desired_json: manifest.to_string(),
        ..source::ManagedResource::default()
    };
    let resources = vec![resource];
    to_manifests(redactor, source::GetManagedResourcesResponse { resources }).charts
}

#[test]
fn redacted_label_identifies_no_chart() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rules.yaml");
    std::fs::write(&file, "hide:\n- label: helm.sh/chart\n").unwrap();
    let redactor = Redactor::with_rules(b"a key", &file).unwrap();
    assert_eq!(charts_of(&redactor, "web-1.2.3"), []);
}

#[test]
fn charts_in_git_are_detected_by_manifest_labels() {
    let redactor = Redactor::new(b"a key");
    let chart = |label: &str| charts_of(&redactor, label);
    let named = |name: &str, version: &str| {
        vec![Chart {
            name: name.to_owned(),
            version: version.to_owned(),
            app_version: "9.1".to_owned(),
        }]
    };
    assert_eq!(chart("web-1.2.3"), named("web", "1.2.3"));
    assert_eq!(
        chart("my-web-0.1.0-rc.1_b7"),
        named("my-web", "0.1.0-rc.1+b7")
    );
    for none in ["web", "", "-", "ü-"] {
        assert_eq!(chart(none), []);
    }
    let enrichment = Enrichment {
        charts: named("web", "1.2.3"),
        ..Enrichment::default()
    };
    let (state, _) = to_state(
        &application(|_| {}),
        &enrichment,
        &ArgoCdNamespaces::default(),
    );
    let told = state.status.unwrap().chart.unwrap();
    assert_eq!(
        (told.name.as_str(), told.version.as_str()),
        ("web", "1.2.3")
    );
}

#[test]
fn hydration_is_complete_once_the_requested_revision_is_committed() {
    let from = |path: &str| json!({"drySource": {"path": path}});
    let hydration = |phase: &str, dry: &str, path: &str| {
        json!({"phase": phase, "message": "well", "drySHA": dry, "hydratedSHA": "bbbb",
            "startedAt": "2026-01-01T00:00:00Z", "sourceHydrator": from(path)})
    };
    let well = json!({"drySHA": "aaaa", "hydratedSHA": "bbbb", "sourceHydrator": from("app")});
    let told = |current: Value, last: Value| {
        let hydrator = json!({"currentOperation": current, "lastSuccessfulOperation": last});
        status(|app| app["status"]["sourceHydrator"] = hydrator.clone()).hydration
    };
    use pb::HydrationPhase as P;
    for (phase, dry, path, last, expected) in [
        ("Hydrated", "aaaa", "app", &well, P::Hydrated),
        ("Hydrated", "cccc", "app", &well, P::Hydrating),
        ("Hydrated", "aaaa", "other", &well, P::Hydrating),
        ("Hydrated", "aaaa", "app", &Value::Null, P::Hydrating),
        ("Hydrating", "aaaa", "app", &well, P::Hydrating),
        ("Failed", "aaaa", "app", &well, P::Failed),
    ] {
        let told = told(hydration(phase, dry, path), last.clone()).unwrap();
        assert_eq!(told.phase(), expected, "{phase} {dry} {path}");
        assert_eq!(
            (told.message.as_str(), told.dry_revision.as_str()),
            ("well", dry)
        );
        assert!(told.started_at.is_some() && told.finished_at.is_none());
    }
    assert_eq!(told(Value::Null, Value::Null), None);
    assert_eq!(
        status(|app| app["status"]["sourceHydrator"] = json!({})).hydration,
        None
    );
}

#[test]
fn facts_traffic_waves_and_hook_phases_of_resources_are_reported() {
    let mut enrichment = enrichment();
    let mut pod = node("Pod", "p", "9");
    pod.info = vec![("Containers".to_owned(), "1/2".to_owned())];
    pod.network = Some(crate::enrichment::Network {
        targets: vec![pod.resource.clone()],
        ingress: vec!["10.0.0.1".to_owned()],
        external_urls: vec!["https://web.corp".to_owned()],
    });
    enrichment.nodes.push(pod);
    let application = application(|app| {
        app["status"]["resources"] = json!([
            {"kind": "Job", "namespace": "x", "name": "j", "hook": true, "syncWave": -3},
            {"kind": "Pod", "namespace": "x", "name": "p"},
        ]);
        app["status"]["operationState"] = json!({"phase": "Failed", "operation": {}, "syncResult": {"resources": [
            {"kind": "Job", "namespace": "x", "name": "j", "hookPhase": "Failed"},
            {"kind": "Pod", "namespace": "x", "name": "p", "hookPhase": "Running"},
        ]}});
    });
    let (state, _) = to_state(&application, &enrichment, &ArgoCdNamespaces::default());
    let resources = state.status.unwrap().resources;
    let job = resources.iter().find(|it| it.kind == "Job").unwrap();
    assert_eq!(
        (job.sync_wave, job.hook_phase()),
        (-3, pb::OperationPhase::Failed)
    );
    let pod = resources.iter().find(|it| it.kind == "Pod").unwrap();
    assert_eq!(pod.hook_phase(), pb::OperationPhase::Unspecified);
    assert_eq!(pod.info[0].value, "1/2");
    let network = pod.network.clone().unwrap();
    assert_eq!(network.targets[0].name, "p");
    assert_eq!(network.ingress, ["10.0.0.1"]);
    assert_eq!(network.external_urls, ["https://web.corp"]);
}
