use std::{fs, os::unix::fs::PermissionsExt as _};

use causeway_sandbox::{KubeApi, KubeOptions, SandboxError};
use kube::api::WatchParams;
use serde_json::json;

use crate::world::{
    application, config_map, create, events, merge, options, pairs, refusal, revision, world_with,
};

fn kept_in(folder: &tempfile::TempDir) -> KubeOptions {
    KubeOptions {
        data: Some(folder.path().join("data")),
        ..options()
    }
}

#[tokio::test]
async fn whatever_was_answered_is_there_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let world = world_with(kept_in(&folder)).await;
    let maps = world.config_maps();
    create(&world.applications(), &application("guestbook")).await;
    create(&maps, &config_map("gone", &json!({}))).await;
    create(&maps, &config_map("kept", &json!({ "x": "1" }))).await;
    maps.delete("gone", &Default::default()).await.unwrap();
    let last = merge(&maps, "kept", &json!({ "data": { "x": "2" } })).await;
    let (before, kubeconfig) = (world.sandbox.snapshot(), world.sandbox.kubeconfig());
    // dropped, not stopped; the old client stays around
    drop(world.sandbox);
    assert_eq!(refusal(maps.get("kept").await).0, 503);

    let world = world_with(kept_in(&folder)).await;
    let after = world.sandbox.snapshot();
    assert_eq!(after.revision, before.revision);
    let same = |truth: &causeway_sandbox::Snapshot| -> Vec<_> {
        truth
            .objects
            .iter()
            .map(|object| (object.uid.clone(), object.object.clone()))
            .collect()
    };
    assert_eq!(same(&after), same(&before));
    let token = |text: &str| text.lines().last().map(str::to_owned);
    assert_eq!(token(&world.sandbox.kubeconfig()), token(&kubeconfig));

    // a watch goes on from where it was; older ones must list anew
    let maps = world.config_maps();
    create(&maps, &config_map("new", &json!({}))).await;
    let seen = events(
        &maps,
        &WatchParams::default(),
        &revision(&last).to_string(),
        1,
    )
    .await;
    assert_eq!(seen, pairs(&[("added", "new")]));
    let older = (revision(&last) - 1).to_string();
    let older = events(&maps, &WatchParams::default(), &older, 1).await;
    assert_eq!(older, pairs(&[("error", "410")]));
}

#[tokio::test]
async fn definitions_come_back_with_their_objects() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..3 {
        let world = world_with(kept_in(&folder)).await;
        create(
            &world.applications(),
            &application(&format!("round-{round}")),
        )
        .await;
        assert_eq!(
            world
                .applications()
                .list(&Default::default())
                .await
                .unwrap()
                .items
                .len(),
            round + 1
        );
        world.sandbox.stop().await;
    }
}

#[tokio::test]
async fn files_are_private_and_a_newer_format_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let world = world_with(kept_in(&folder)).await;
    let data = folder.path().join("data");
    for entry in fs::read_dir(&data).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(
            entry.metadata().unwrap().permissions().mode() & 0o077,
            0,
            "{:?}",
            entry.path()
        );
    }
    let busy = KubeApi::start(kept_in(&folder))
        .await
        .map(drop)
        .unwrap_err();
    assert!(matches!(busy, SandboxError::InUse { .. }), "{busy}");
    world.sandbox.stop().await;
    fs::write(
        data.join("objects.journal"),
        "{\"causeway-sandbox\":\"objects\",\"format\":2,\"revision\":1}\n",
    )
    .unwrap();
    let newer = KubeApi::start(kept_in(&folder))
        .await
        .map(drop)
        .unwrap_err()
        .to_string();
    assert!(
        newer.contains("newer version") && !newer.contains('\n'),
        "{newer}"
    );
}

#[tokio::test]
async fn a_taken_port_names_the_address_and_the_flag() {
    let world = world_with(options()).await;
    let taken = KubeOptions {
        listen: world.sandbox.address(),
        ..options()
    };
    let error = KubeApi::start(taken)
        .await
        .map(drop)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(&world.sandbox.address().to_string()) && error.contains("--kube-listen"),
        "{error}"
    );
}
