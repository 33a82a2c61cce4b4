use causeway_sandbox::KubeOptions;
use kube::{
    Client, Config,
    api::ListParams,
    config::{KubeConfigOptions, Kubeconfig},
};
use serde_json::json;

use crate::world::{PATIENCE, World, config_map, create, options, refusal, world, world_with};

async fn over_tls(world: &World, change: impl FnOnce(&mut Kubeconfig)) -> Client {
    let mut kubeconfig = Kubeconfig::from_yaml(&world.sandbox.kubeconfig()).unwrap();
    change(&mut kubeconfig);
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .unwrap();
    Client::try_from(config).unwrap()
}

#[tokio::test]
async fn the_kubeconfig_lets_a_client_in_and_a_wrong_token_does_not() {
    let world = world().await;
    create(&world.config_maps(), &config_map("a", &json!({}))).await;
    let client = over_tls(&world, |_| {}).await;
    let kind = crate::world::resource("", "v1", "ConfigMap");
    let maps: kube::Api<kube::core::DynamicObject> =
        kube::Api::default_namespaced_with(client, &kind);
    assert_eq!(
        maps.list(&ListParams::default()).await.unwrap().items.len(),
        1
    );
    let stranger = over_tls(&world, |config| {
        config.auth_infos[0].auth_info.as_mut().unwrap().token = Some("wrong".to_owned().into());
    })
    .await;
    let maps: kube::Api<kube::core::DynamicObject> =
        kube::Api::default_namespaced_with(stranger, &kind);
    assert_eq!(
        refusal(maps.list(&ListParams::default()).await),
        (401, "Unauthorized".to_owned())
    );
}

#[tokio::test]
async fn stopping_ends_open_watches() {
    let world = world().await;
    let client = over_tls(&world, |_| {}).await;
    let kind = crate::world::resource("", "v1", "ConfigMap");
    let maps: kube::Api<kube::core::DynamicObject> =
        kube::Api::default_namespaced_with(client, &kind);
    let stream = maps.watch(&Default::default(), "0").await.unwrap();
    let ended = async { tokio::join!(world.sandbox.stop(), futures::StreamExt::count(stream)) };
    tokio::time::timeout(PATIENCE, ended).await.unwrap();
}

#[tokio::test]
async fn the_name_by_which_others_reach_it_is_in_the_kubeconfig_and_in_the_certificate() {
    let world = world_with(KubeOptions {
        host: Some("sandbox".to_owned()),
        ..options()
    })
    .await;
    let address = world.sandbox.address();
    let kubeconfig = world.sandbox.kubeconfig();
    let port = address.port();
    assert!(
        kubeconfig.contains(&format!("server: https://sandbox:{port}\n")),
        "{kubeconfig}"
    );
    for (name, good) in [("sandbox", true), ("localhost", true), ("other", false)] {
        // Nobody resolves the name here, so the address is dialled and the name is what the certificate must be good for.
        let client = over_tls(&world, |config| {
            let cluster = config.clusters[0].cluster.as_mut().unwrap();
            cluster.server = Some(format!("https://{address}"));
            cluster.tls_server_name = Some(name.to_owned());
        })
        .await;
        let version = client.apiserver_version().await;
        assert_eq!(version.is_ok(), good, "{name}: {version:?}");
    }
}
