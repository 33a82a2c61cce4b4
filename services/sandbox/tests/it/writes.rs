use kube::{
    api::{Patch, PatchParams, PostParams},
    core::DynamicObject,
};
use serde_json::json;

use crate::world::{application, config_map, create, merge, object, refusal, revision, world};

fn deployment(image: &str) -> DynamicObject {
    object(json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" },
        "spec": {
            "replicas": 1, "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "web", "image": image }] },
            },
        },
    }))
}

#[tokio::test]
async fn refusals_carry_kubernetes_reasons() {
    let world = world().await;
    let maps = world.config_maps();
    create(&maps, &config_map("a", &json!({}))).await;
    let post = PostParams::default();
    assert_eq!(
        refusal(maps.get("absent").await),
        (404, "NotFound".to_owned())
    );
    assert_eq!(
        refusal(maps.create(&post, &config_map("a", &json!({}))).await),
        (409, "AlreadyExists".to_owned())
    );
    assert_eq!(
        refusal(
            maps.create(&post, &config_map("Not_A_Name", &json!({})))
                .await
        ),
        (422, "Invalid".to_owned())
    );
    let mut elsewhere = config_map("b", &json!({}));
    elsewhere.metadata.namespace = Some("other".to_owned());
    assert_eq!(
        refusal(maps.create(&post, &elsewhere).await),
        (400, "BadRequest".to_owned())
    );
    let mut malformed = application("bad");
    malformed.data["spec"] = json!({ "project": 5 });
    assert_eq!(
        refusal(world.applications().create(&post, &malformed).await),
        (422, "Invalid".to_owned())
    );
    let large = config_map("large", &json!({ "x": "x".repeat(4 << 20) }));
    assert_eq!(refusal(maps.create(&post, &large).await).0, 413);
}

#[tokio::test]
async fn a_stale_writer_gets_a_conflict_and_a_repeat_changes_nothing() {
    let world = world().await;
    let maps = world.config_maps();
    let first = create(&maps, &config_map("a", &json!({ "x": "1" }))).await;
    let second = merge(&maps, "a", &json!({ "data": { "x": "2" } })).await;
    assert_eq!(
        refusal(maps.replace("a", &PostParams::default(), &first).await),
        (409, "Conflict".to_owned())
    );
    let same = maps
        .replace("a", &PostParams::default(), &second)
        .await
        .unwrap();
    assert_eq!(revision(&same), revision(&second));
}

#[tokio::test]
async fn generation_counts_changes_of_what_is_desired_only() {
    let world = world().await;
    // no controller of the sandbox writes to this kind
    let budgets = world.of("policy", "v1", "PodDisruptionBudget");
    let budget = json!({ "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": "web" }, "spec": { "minAvailable": 1 } });
    create(&budgets, &object(budget)).await;
    let labelled = merge(
        &budgets,
        "web",
        &json!({ "metadata": { "labels": { "x": "y" } } }),
    )
    .await;
    assert_eq!(labelled.metadata.generation, Some(1));
    let status =
        Patch::Merge(json!({ "spec": { "minAvailable": 9 }, "status": { "currentHealthy": 3 } }));
    let reported = budgets
        .patch_status("web", &PatchParams::default(), &status)
        .await
        .unwrap();
    assert_eq!(
        (
            reported.metadata.generation,
            &reported.data["spec"]["minAvailable"]
        ),
        (Some(1), &json!(1))
    );
    let both = json!({ "spec": { "minAvailable": 2 }, "status": { "currentHealthy": 7 } });
    let changed = merge(&budgets, "web", &both).await;
    assert_eq!(
        (
            changed.metadata.generation,
            &changed.data["status"]["currentHealthy"]
        ),
        (Some(2), &json!(3))
    );
    // an Application has its status inline
    let applications = world.applications();
    create(&applications, &application("guestbook")).await;
    let synced = merge(
        &applications,
        "guestbook",
        &json!({ "status": { "sync": { "status": "Synced" } } }),
    )
    .await;
    assert_eq!(synced.data["status"]["sync"]["status"], "Synced");
    let refused = applications
        .patch_status("guestbook", &PatchParams::default(), &status)
        .await;
    assert_eq!(refusal(refused).0, 404);
}

#[tokio::test]
async fn every_kind_of_patch_is_understood() {
    let world = world().await;
    let deployments = world.of("apps", "v1", "Deployment");
    create(&deployments, &deployment("web:1")).await;
    let params = PatchParams::default();
    let change =
        serde_json::from_value(json!([{ "op": "replace", "path": "/spec/replicas", "value": 3 }]))
            .unwrap();
    let patched = deployments
        .patch("web", &params, &Patch::<()>::Json(change))
        .await
        .unwrap();
    assert_eq!(patched.data["spec"]["replicas"], 3);
    let side = json!({ "spec": { "template": { "spec": { "containers": [{ "name": "side", "image": "side:1" }] } } } });
    let merged = deployments
        .patch("web", &params, &Patch::Strategic(&side))
        .await
        .unwrap();
    assert_eq!(
        merged.data["spec"]["template"]["spec"]["containers"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
    let unsupported = world.applications();
    create(&unsupported, &application("guestbook")).await;
    let refused = unsupported
        .patch("guestbook", &params, &Patch::Strategic(json!({})))
        .await;
    assert_eq!(refusal(refused).0, 415);
}

#[tokio::test]
async fn server_side_apply_makes_merges_conflicts_and_takes_over() {
    let world = world().await;
    let maps = world.config_maps();
    let wanted = |data| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": data });
    let git = PatchParams::apply("git");
    let made = maps
        .patch(
            "a",
            &git,
            &Patch::Apply(wanted(json!({ "x": "1", "y": "1" }))),
        )
        .await
        .unwrap();
    let again = maps
        .patch(
            "a",
            &git,
            &Patch::Apply(wanted(json!({ "x": "1", "y": "1" }))),
        )
        .await
        .unwrap();
    assert_eq!(revision(&again), revision(&made));
    let user = PatchParams::apply("user");
    let refused = maps
        .patch("a", &user, &Patch::Apply(wanted(json!({ "x": "2" }))))
        .await;
    assert_eq!(refusal(refused), (409, "Conflict".to_owned()));
    let taken = maps
        .patch(
            "a",
            &user.force(),
            &Patch::Apply(wanted(json!({ "x": "2" }))),
        )
        .await
        .unwrap();
    assert_eq!(taken.data["data"], json!({ "x": "2", "y": "1" }));
    let left = maps
        .patch("a", &git, &Patch::Apply(wanted(json!({}))))
        .await
        .unwrap();
    assert_eq!(left.data["data"], json!({ "x": "2" }));
}

#[tokio::test]
async fn a_dry_run_answers_and_changes_nothing() {
    let world = world().await;
    let maps = world.config_maps();
    let dry = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    assert!(
        maps.create(&dry, &config_map("a", &json!({})))
            .await
            .unwrap()
            .metadata
            .uid
            .is_some()
    );
    assert_eq!(refusal(maps.get("a").await).0, 404);
}

#[tokio::test]
async fn a_test_can_store_what_no_user_could() {
    let world = world().await;
    let malformed = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": { "name": "odd", "namespace": "default" }, "spec": "not an object",
    });
    let revision = world
        .sandbox
        .write_raw("applications.argoproj.io", malformed)
        .unwrap();
    let stored = world.applications().get("odd").await.unwrap();
    assert_eq!(
        (crate::world::revision(&stored), &stored.data["spec"]),
        (revision, &json!("not an object"))
    );
}

#[tokio::test]
async fn names_are_made_and_secrets_are_encoded() {
    let world = world().await;
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "generateName": "key-" }, "stringData": { "a": "b" } });
    let made = create(&world.of("", "v1", "Secret"), &object(secret)).await;
    assert!(made.metadata.name.unwrap().starts_with("key-"));
    assert_eq!(made.data["data"]["a"], "Yg==");
    assert!(made.data.get("stringData").is_none());
}
