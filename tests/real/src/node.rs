//! A real node with real pods.

use std::{path::Path, process::Command, time::Duration};

use causeway_cluster::{Cluster, Image, Options};
use causeway_testkit::{Finished, run, skip, wait_until, wait_until_blocking};
use k8s_openapi::api::core::v1::{Node, Pod, Service};
use kube::{
    Api,
    api::{ListParams, LogParams, PostParams},
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::stage::{kubectl, node};

const SOON: Duration = Duration::from_secs(180);
/// Set for the copy of this test program that is killed.
const VICTIM: &str = "CAUSEWAY_TEST_NODE_VICTIM";
const TOOLS: &str = "registry.local/tools:1";

fn bare() -> Options {
    Options {
        argocds: Vec::new(),
        ..Options::default()
    }
}

/// A shell and what looks up names, of this machine.
pub(crate) fn tools() -> Image {
    let programs = [
        "/bin/bash",
        "/bin/cat",
        "/bin/echo",
        "/bin/false",
        "/bin/sh",
        "/bin/sleep",
        "/usr/bin/env",
        "/usr/bin/getent",
    ];
    programs.iter().fold(Image::new(TOOLS), |image, path| {
        image.program(path, Path::new(path)).unwrap()
    })
}

fn object<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.as_ref().and_then(|s| s.conditions.as_ref());
    let mut conditions = conditions.into_iter().flatten();
    conditions.any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

async fn talker(cluster: &Cluster) -> Pod {
    cluster.import(tools()).await.unwrap();
    let pods: Api<Pod> = Api::default_namespaced(cluster.client());
    let talks = [
        "bash",
        "-c",
        "echo \"hello from $HOSTNAME\"; exec sleep 1000",
    ];
    let container = json!({"name": "talker", "image": TOOLS, "command": talks});
    let pod = json!({
        "metadata": {"name": "talker"},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 0},
    });
    pods.create(&PostParams::default(), &object(pod))
        .await
        .unwrap();
    wait_until("the pod", SOON, async || {
        let pod = pods.get("talker").await.unwrap();
        is_ready(&pod)
            .then(|| pod.clone())
            .ok_or_else(|| format!("{:?}", pod.status))
    })
    .await
}

/// Runs a line of shell in the pod.
fn exec(cluster: &Cluster, line: &str) -> Finished {
    let words = ["exec", "talker", "--", "bash", "-c", line];
    tokio::task::block_in_place(|| run(&mut kubectl(cluster, &words)))
}

async fn answer(cluster: &Cluster, line: &str) -> String {
    wait_until(line, SOON, async || {
        let finished = exec(cluster, line);
        if finished.status.success() {
            Ok(finished.stdout)
        } else {
            Err(finished.stderr)
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pod_runs_and_talks_and_finds_services_by_name() {
    let Some(cluster) = node(bare()).await else {
        return;
    };
    let pod = talker(&cluster).await;
    let pods: Api<Pod> = Api::default_namespaced(cluster.client());
    let logs = pods.logs("talker", &LogParams::default()).await.unwrap();
    assert_eq!(logs, "hello from talker\n");
    let status = pod.status.unwrap();
    let hosts = exec(&cluster, "cat /etc/hosts").expect_success();
    assert!(hosts.contains(&status.pod_ip.unwrap()), "{hosts}");

    let health = json!({
        "metadata": {"name": "health"},
        "spec": {"selector": {"k8s-app": "kube-dns"}, "ports": [{"port": 80, "targetPort": 8080}]},
    });
    let services: Api<Service> = Api::namespaced(cluster.client(), "kube-system");
    let health = services
        .create(&PostParams::default(), &object(health))
        .await
        .unwrap();
    let address = health.spec.unwrap().cluster_ip.unwrap();
    let found = answer(&cluster, "getent hosts health.kube-system").await;
    assert!(found.starts_with(&address), "{found}");
    let ask = "exec 3<>/dev/tcp/health.kube-system/80; printf 'GET /health HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3";
    let healthy = answer(&cluster, ask).await;
    assert!(healthy.ends_with("OK"), "{healthy}");
    answer(
        &cluster,
        "exec 3<>/dev/tcp/kubernetes.default.svc.cluster.local/443",
    )
    .await;
    cluster.check().await.unwrap();
    cluster.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_nodes_at_once_have_networks_of_their_own() {
    let (Some(one), Some(two)) = tokio::join!(node(bare()), node(bare())) else {
        return;
    };
    assert_ne!(one.host(), two.host());
    for cluster in [&one, &two] {
        let nodes: Api<Node> = Api::all(cluster.client());
        let listed = nodes.list(&ListParams::default()).await.unwrap();
        assert_eq!(listed.items.len(), 1);
    }
    one.stop().await;
    two.stop().await;
}

/// Not a test: the program that the next one kills.
#[tokio::test]
#[ignore = "started by killed_harness_leaves_nothing_of_its_node"]
async fn victim() {
    let file = std::env::var_os(VICTIM).expect("its starter names a file");
    let told = match node(bare()).await {
        Some(cluster) => {
            let children = cluster.processes().await.into_iter().map(|(_, id)| id);
            let ids: Vec<u32> = children.chain(cluster.node_process()).collect();
            let number = cluster.host().unwrap().octets()[2];
            // It must not end with this block, but with the program.
            std::mem::forget(cluster);
            json!({"ids": ids, "number": number})
        }
        None => json!({}),
    };
    let half = Path::new(&file).with_extension("half");
    std::fs::write(&half, told.to_string()).unwrap();
    std::fs::rename(half, file).unwrap();
    std::future::pending::<()>().await;
}

/// What a node of this number and these processes has on the machine.
fn traces(told: &Value) -> Vec<String> {
    let number = &told["number"];
    let ids: Vec<u32> = serde_json::from_value(told["ids"].clone()).unwrap();
    let processes = ids.iter().map(|id| format!("/proc/{id}"));
    let link = format!("/sys/class/net/causeway{number}");
    let cgroups = ["cpu", "memory", "pids", "systemd"]
        .map(|name| format!("/sys/fs/cgroup/{name}/causeway-node-{number}"));
    let all = processes.chain([link]).chain(cgroups);
    all.filter(|path| Path::new(path).exists()).collect()
}

#[test]
fn killed_harness_leaves_nothing_of_its_node() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("told");
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--ignored", "node::victim"])
        .env(VICTIM, &file)
        .spawn()
        .unwrap();
    let told = wait_until_blocking("the victim's node", SOON * 3, || {
        std::fs::read_to_string(&file).map_err(|error| error.to_string())
    });
    let told: Value = serde_json::from_str(&told).unwrap();
    let traced = traces(&told).len();
    victim.kill().unwrap();
    victim.wait().unwrap();
    if told.get("ids").is_none() {
        skip("this machine cannot hold a node");
        return;
    }
    assert!(traced > 10, "{told}");
    wait_until_blocking("the end of the node", SOON, || match traces(&told) {
        left if left.is_empty() => Ok(()),
        left => Err(format!("{left:?}")),
    });
}
