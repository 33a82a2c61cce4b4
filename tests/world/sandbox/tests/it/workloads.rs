use kube::api::{DynamicObject, ListParams};
use serde_json::{Value, json};

use crate::world::{World, create, merge, object, refusal, until, until_after, world};

fn workload(kind: &str, image: &str) -> DynamicObject {
    let template = json!({
        "metadata": { "labels": { "app": "web" } },
        "spec": { "containers": [{ "name": "web", "image": image }] },
    });
    object(json!({
        "apiVersion": "apps/v1", "kind": kind, "metadata": { "name": "web" },
        "spec": { "selector": { "matchLabels": { "app": "web" } }, "template": template },
    }))
}

fn condition<'a>(object: &'a DynamicObject, kind: &str) -> Option<&'a Value> {
    object.data["status"]["conditions"]
        .as_array()?
        .iter()
        .find(|condition| condition["type"] == kind)
}

fn is_rolled_out(object: Option<&DynamicObject>, replicas: u64) -> bool {
    object.is_some_and(|object| {
        let status = &object.data["status"];
        status["observedGeneration"] == object.metadata.generation.unwrap_or(0)
            && ["replicas", "updatedReplicas", "availableReplicas"]
                .iter()
                .all(|field| status[*field] == replicas)
            && condition(object, "Progressing")
                .is_some_and(|found| found["reason"] == "NewReplicaSetAvailable")
    })
}

async fn pods(world: &World) -> Vec<DynamicObject> {
    world
        .of("", "v1", "Pod")
        .list(&ListParams::default())
        .await
        .unwrap()
        .items
}

#[tokio::test]
async fn a_deployment_rolls_scales_and_goes_away_with_its_pods() {
    let world = world().await;
    let deployments = world.of("apps", "v1", "Deployment");
    create(&deployments, &workload("Deployment", "web:1")).await;
    until(&deployments, "web", |found| is_rolled_out(found, 1)).await;
    merge(&deployments, "web", &json!({ "spec": { "replicas": 3 } })).await;
    until(&deployments, "web", |found| is_rolled_out(found, 3)).await;
    deployments
        .patch(
            "web",
            &Default::default(),
            &kube::api::Patch::Merge(workload("Deployment", "web:2")),
        )
        .await
        .unwrap();
    until(&deployments, "web", |found| is_rolled_out(found, 3)).await;
    let pods_now = pods(&world).await;
    assert_eq!(pods_now.len(), 3);
    assert!(
        pods_now
            .iter()
            .all(|pod| pod.data["spec"]["containers"][0]["image"] == "web:2")
    );
    let sets = world
        .of("apps", "v1", "ReplicaSet")
        .list(&ListParams::default())
        .await
        .unwrap()
        .items;
    assert_eq!(sets.len(), 2);
    assert!(
        sets.iter()
            .all(|set| set.metadata.owner_references.as_ref().unwrap()[0].kind == "Deployment")
    );
    deployments
        .delete("web", &Default::default())
        .await
        .unwrap();
    assert_eq!(pods(&world).await.len(), 0);
}

#[tokio::test]
async fn an_image_that_does_not_exist_degrades_the_rollout_and_keeps_the_old_pods() {
    let world = world().await;
    let deployments = world.of("apps", "v1", "Deployment");
    let mut good = workload("Deployment", "web:1");
    good.data["spec"]["progressDeadlineSeconds"] = 1.into();
    create(&deployments, &good).await;
    until(&deployments, "web", |found| is_rolled_out(found, 1)).await;
    let broken = kube::api::Patch::Merge(workload("Deployment", "web:broken"));
    deployments
        .patch("web", &Default::default(), &broken)
        .await
        .unwrap();
    until(&deployments, "web", |found| {
        found
            .and_then(|found| condition(found, "Progressing"))
            .is_some_and(|found| found["reason"] == "ProgressDeadlineExceeded")
    })
    .await;
    let reasons: Vec<Value> = pods(&world)
        .await
        .iter()
        .map(|pod| pod.data["status"]["containerStatuses"][0]["state"]["waiting"]["reason"].clone())
        .collect();
    assert!(
        reasons.contains(&json!("ImagePullBackOff")) && reasons.contains(&Value::Null),
        "{reasons:?}"
    );
}

#[tokio::test]
async fn a_killed_pod_is_replaced() {
    let world = world().await;
    let deployments = world.of("apps", "v1", "Deployment");
    create(&deployments, &workload("Deployment", "web:1")).await;
    until(&deployments, "web", |found| is_rolled_out(found, 1)).await;
    let first = pods(&world).await.remove(0).metadata.name.unwrap();
    let all = world.of("", "v1", "Pod");
    let before = deployments.get("web").await.unwrap();
    all.delete(&first, &Default::default()).await.unwrap();
    until_after(&deployments, &before, |found| {
        condition(found, "Available").is_some_and(|found| found["status"] == "False")
    })
    .await;
    until(&deployments, "web", |found| is_rolled_out(found, 1)).await;
    assert_eq!(refusal(all.get(&first).await).0, 404);
    assert_eq!(pods(&world).await.len(), 1);
}
