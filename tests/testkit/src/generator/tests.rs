use std::collections::BTreeMap;

use serde_json::Value;

use super::{Change, Generator, GeneratorOptions, Known, Mix};

fn options(applications: usize) -> GeneratorOptions {
    GeneratorOptions {
        applications,
        resources: 30,
        seed: 7,
    }
}

fn by_name(truth: Vec<Known>) -> BTreeMap<String, Known> {
    let named = truth.into_iter().map(|one| (one.name.clone(), one));
    named.collect()
}

/// What the cluster itself holds.
fn held(generator: &Generator) -> BTreeMap<String, (String, u64, Value)> {
    let truth = generator.kube().snapshot();
    let all = truth.objects.into_iter();
    all.filter(|object| object.kind == "Application")
        .map(|object| {
            let state = (object.uid, object.resource_version, object.object);
            (object.name, state)
        })
        .collect()
}

#[tokio::test]
async fn generator_state_matches_its_cluster_after_any_changes() {
    let generator = Generator::start(options(40)).await.unwrap();
    for _ in 0..600 {
        generator.change(&Mix {
            deletions: 200,
            creations: 200,
            ..Mix::usual()
        });
    }
    let (known, held) = (by_name(generator.truth()), held(&generator));
    assert!(known.keys().eq(held.keys()));
    for (name, one) in known {
        let (uid, resource_version, object) = &held[&name];
        assert_eq!((&one.uid, one.resource_version), (uid, *resource_version));
        assert_eq!(object["status"]["sync"]["revision"], one.revision);
        assert_eq!(object["status"]["sync"]["status"], one.sync);
        assert_eq!(object["status"]["health"]["status"], one.health);
    }
    generator.stop().await;
}

#[tokio::test]
async fn what_happens_at_a_place_happens_to_the_application_there() {
    let generator = Generator::start(options(3)).await.unwrap();
    let before = generator.truth();
    let changed = generator.make_at(1, Change::Commit);
    assert_eq!(changed.uid, before[1].uid);
    let after = generator.truth();
    assert_eq!((&after[0], &after[2]), (&before[0], &before[2]));
    assert_ne!(after[1].revision, before[1].revision);
    generator.make_at(0, Change::Deletion);
    let left: Vec<_> = generator.truth().into_iter().map(|it| it.uid).collect();
    assert_eq!(left, [before[2].uid.clone(), before[1].uid.clone()]);
    generator.stop().await;
}

#[tokio::test]
async fn a_name_that_is_used_again_is_another_object_with_other_commits() {
    let generator = Generator::start(options(1)).await.unwrap();
    let first = generator.truth().remove(0);
    let again = loop {
        generator.make(Change::Deletion);
        generator.make(Change::Creation);
        let now = generator.truth().remove(0);
        if now.name == first.name {
            break now;
        }
    };
    assert_ne!((again.uid, again.revision), (first.uid, first.revision));
    generator.stop().await;
}

#[tokio::test]
async fn equal_seeds_make_equal_changes() {
    let mut seen = Vec::new();
    for _ in 0..2 {
        let generator = Generator::start(options(20)).await.unwrap();
        let mix = Mix::usual();
        let changes = (0..300).map(|_| generator.change(&mix));
        let changes: Vec<_> = changes.map(|one| (one.name, one.change)).collect();
        seen.push(changes);
        generator.stop().await;
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn its_argo_cd_answers_in_json_that_agrees_with_the_object() {
    let generator = Generator::start(options(1)).await.unwrap();
    generator.make(Change::Commit);
    let known = generator.truth().remove(0);
    let ask = async |path: &str| -> Value {
        let url = format!(
            "{}/api/v1/applications/{}/{path}",
            generator.argocd_url(),
            known.name
        );
        let client = reqwest::Client::new();
        let asked = client.get(url).bearer_auth(generator.argocd_token());
        asked.send().await.unwrap().json().await.unwrap()
    };
    let object = &held(&generator)[&known.name].2;
    let managed = ask("managed-resources").await;
    let items = managed["items"].as_array().unwrap();
    assert_eq!(items.len(), 30);
    for (item, entry) in items
        .iter()
        .zip(object["status"]["resources"].as_array().unwrap())
    {
        assert_eq!(item["name"], entry["name"]);
        for state in ["targetState", "liveState"] {
            let text = item[state].as_str().unwrap();
            let manifest: Value = serde_json::from_str(text).unwrap();
            assert_eq!(manifest["metadata"]["name"], entry["name"]);
            assert_eq!(manifest["kind"], entry["kind"]);
        }
    }
    // three Deployments, each with a ReplicaSet and two pods
    let tree = ask("resource-tree").await;
    assert_eq!(tree["nodes"].as_array().unwrap().len(), 30 + 3 * 3);
    let commit = ask(&format!("revisions/{}/metadata", known.revision)).await;
    assert!(
        commit["message"]
            .as_str()
            .unwrap()
            .starts_with("Release 1.2.0")
    );
    assert_eq!(
        ask("manifests").await["manifests"]
            .as_array()
            .unwrap()
            .len(),
        30
    );
    generator.stop().await;
}
