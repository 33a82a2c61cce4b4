//! The clusters that the other tests stand on.

use std::{path::Path, process::Command, time::Duration};

use causeway_cluster::{Child, Cluster, Options};
use causeway_sandbox::git::Commit;
use causeway_testkit::{wait_until, wait_until_blocking};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::{
    Api,
    api::{DynamicObject, ListParams, PostParams},
    core::{ApiResource, GroupVersionKind},
};
use serde_json::json;

use crate::stage::{is_possible, minimal, simulated};

const SOON: Duration = Duration::from_secs(180);
/// Set for the copy of this test program that is killed.
const VICTIM: &str = "CAUSEWAY_TEST_VICTIM";

async fn namespaces(cluster: &Cluster) -> Vec<String> {
    let api: Api<Namespace> = Api::all(cluster.client());
    let listed = api.list(&ListParams::default()).await.unwrap();
    listed
        .items
        .into_iter()
        .filter_map(|item| item.metadata.name)
        .collect()
}

fn runs(id: u32) -> bool {
    // A zombie has ended; its name goes last.
    let state = std::fs::read_to_string(format!("/proc/{id}/stat"));
    state.is_ok_and(|line| !line.contains(") Z "))
}

#[tokio::test]
async fn a_minimal_cluster_is_ready_and_lists_its_namespaces() {
    let Some(cluster) = minimal().await else {
        return;
    };
    assert!(namespaces(&cluster).await.contains(&"default".to_owned()));
    let folder = cluster.folder().to_owned();
    cluster.stop().await;
    assert!(!folder.exists());
}

#[tokio::test]
async fn concurrent_clusters_are_isolated() {
    let (Some(one), Some(two)) = tokio::join!(minimal(), minimal()) else {
        return;
    };
    let api: Api<Namespace> = Api::all(one.client());
    let only_here = serde_json::from_value(json!({"metadata": {"name": "only-here"}})).unwrap();
    api.create(&PostParams::default(), &only_here)
        .await
        .unwrap();
    assert!(namespaces(&one).await.contains(&"only-here".to_owned()));
    assert!(!namespaces(&two).await.contains(&"only-here".to_owned()));
    one.stop().await;
    two.stop().await;
}

#[tokio::test]
async fn a_user_may_what_rbac_lets_them() {
    let Some(cluster) = minimal().await else {
        return;
    };
    let kubeconfig = cluster.kubeconfig_of("eve", None).unwrap();
    let options = kube::config::KubeConfigOptions::default();
    let read = kube::config::Kubeconfig::read_from(kubeconfig).unwrap();
    let config = kube::Config::from_custom_kubeconfig(read, &options)
        .await
        .unwrap();
    let api: Api<Namespace> = Api::all(kube::Client::try_from(config).unwrap());
    let refused = api.list(&ListParams::default()).await.unwrap_err();
    assert!(
        refused.to_string().contains("\"eve\" cannot list resource"),
        "{refused}"
    );
    cluster.stop().await;
}

#[tokio::test]
async fn what_was_written_is_there_after_a_crash_of_the_api_server() {
    let Some(cluster) = minimal().await else {
        return;
    };
    let api: Api<ConfigMap> = Api::default_namespaced(cluster.client());
    let map = serde_json::from_value(json!({"metadata": {"name": "kept"}})).unwrap();
    api.create(&PostParams::default(), &map).await.unwrap();
    cluster.kill(Child::ApiServer).await.unwrap();
    api.get("kept").await.unwrap_err();
    cluster.restart(Child::ApiServer).await.unwrap();
    api.get("kept").await.unwrap();
    cluster.stop().await;
}

#[tokio::test]
async fn a_child_that_ends_is_reported_with_its_log() {
    let Some(cluster) = minimal().await else {
        return;
    };
    cluster.check().await.unwrap();
    let (_, id) = cluster.processes().await.remove(0);
    let id = rustix::process::Pid::from_raw(i32::try_from(id).unwrap()).unwrap();
    rustix::process::kill_process(id, rustix::process::Signal::ABORT).unwrap();
    let error = wait_until("the report", SOON, async || match cluster.check().await {
        Ok(()) => Err("all is well".to_owned()),
        Err(error) => Ok(error.to_string()),
    })
    .await;
    let (_, log) = error.split_once("its log is ").unwrap();
    assert!(
        error.starts_with("kube-apiserver ended by itself"),
        "{error}"
    );
    assert!(!error.contains('\n'), "{error}");
    assert!(
        std::fs::read_to_string(log).unwrap().contains("SIGABRT"),
        "{error}"
    );
    cluster.stop().await;
}

#[tokio::test]
async fn rejected_api_server_flag_error_quotes_its_log() {
    if !is_possible() {
        return;
    }
    let flags = ["--no-such-flag".to_owned()];
    let error = Cluster::minimal_with(&flags)
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(error.contains("no-such-flag"), "{error}");
    let (_, log) = error.split_once("its log is ").unwrap();
    let folder = Path::new(log).parent().unwrap().parent().unwrap();
    assert!(folder.exists(), "the logs are kept");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Not a test: the program that the next one kills.
#[tokio::test]
#[ignore = "started by killed_harness_leaves_no_processes"]
async fn victim() {
    let file = std::env::var_os(VICTIM).expect("its starter names a file");
    let cluster = minimal().await.unwrap();
    let ids: Vec<u32> = cluster
        .processes()
        .await
        .into_iter()
        .map(|(_, id)| id)
        .collect();
    let told = json!({"ids": ids, "folder": cluster.folder()}).to_string();
    let half = Path::new(&file).with_extension("half");
    std::fs::write(&half, told).unwrap();
    std::fs::rename(half, file).unwrap();
    std::future::pending::<()>().await;
}

#[test]
fn killed_harness_leaves_no_processes() {
    if !is_possible() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("told");
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "harness::victim"])
        .env(VICTIM, &file)
        .spawn()
        .unwrap();
    let told = wait_until_blocking("the victim's cluster", SOON * 3, || {
        std::fs::read_to_string(&file).map_err(|error| error.to_string())
    });
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let ids: Vec<u32> = serde_json::from_value(told["ids"].clone()).unwrap();
    assert!(!ids.is_empty() && ids.iter().all(|id| runs(*id)), "{told}");
    victim.kill().unwrap();
    victim.wait().unwrap();
    wait_until_blocking("the end of its children", SOON, || {
        let left: Vec<_> = ids.iter().filter(|id| runs(**id)).collect();
        if left.is_empty() {
            Ok(())
        } else {
            Err(format!("{left:?} run"))
        }
    });
    let left = told["folder"].as_str().unwrap();
    tokio::runtime::Runtime::new().unwrap().block_on(async {
        minimal().await.unwrap().stop().await;
    });
    assert!(
        !Path::new(left).exists(),
        "the next cluster sweeps {left} away"
    );
}

#[tokio::test]
async fn a_simulated_cluster_syncs_a_commit_with_argo_cd() {
    let Some(cluster) = simulated(Options::default()).await else {
        return;
    };
    cluster.git().create("demo").await.unwrap();
    let manifest =
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: greeting}, data: {text: hello}}\n";
    let commit = Commit::new("A greeting").write("app/greeting.yaml", manifest);
    let revision = cluster.git().commit("demo", &commit).await.unwrap();
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
    let resource = ApiResource::from_gvk(&kind);
    let api: Api<DynamicObject> = Api::namespaced_with(cluster.client(), "argocd", &resource);
    let application = serde_json::from_value(json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "demo", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": cluster.git().url("demo"), "path": "app", "targetRevision": "main"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            "syncPolicy": {"automated": {}},
        },
    }))
    .unwrap();
    api.create(&PostParams::default(), &application)
        .await
        .unwrap();
    wait_until("demo Synced and Healthy", SOON, async || {
        let now = api.get("demo").await.map_err(|error| error.to_string())?;
        let status = &now.data["status"];
        let done = status["sync"]["status"] == "Synced"
            && status["health"]["status"] == "Healthy"
            && status["sync"]["revision"] == revision.as_str();
        if done {
            Ok(())
        } else {
            Err(status.to_string())
        }
    })
    .await;
    let maps: Api<ConfigMap> = Api::default_namespaced(cluster.client());
    let map = maps.get("greeting").await.unwrap();
    assert_eq!(map.data.unwrap()["text"], "hello");
    cluster.check().await.unwrap();
    cluster.stop().await;
}
