//! The keys of a runtime as the chart keeps them: by a real API server, as the account that the chart makes and with its rights.

use std::{
    fs,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use causeway_charts::{Chart, helm, modes};
use causeway_cluster::Cluster;
use causeway_testkit::{Child, Finished, binary, run, wait_until_blocking};
use serde_json::Value;

use super::{apply, namespace};
use crate::{
    runtime_in_pods::platform::Platform,
    stage::{kubectl, minimal},
};

const SOON: Duration = Duration::from_secs(180);
const KEEPER: &str = "key-keeper";
const NAMESPACE: &str = "causeway";

/// The chart's objects for the keeper, in the cluster; with the flags of its two containers.
fn install(cluster: &Cluster, helm: &Path) -> [Vec<String>; 2] {
    let mut modes = modes().into_iter();
    let default = modes.find(|it| it.chart == Chart::Runtime).unwrap();
    let release = default.chart.render(helm, default.values);
    let kinds = ["ServiceAccount", "Secret", "Role", "RoleBinding"];
    let wanted = release.objects.iter().filter(|object| {
        let is_here = object["metadata"]["namespace"] == NAMESPACE;
        is_here && kinds.iter().any(|kind| object["kind"] == *kind)
    });
    let place = namespace(NAMESPACE);
    apply(cluster, &[], [&place]).expect_success();
    apply(cluster, &[], wanted).expect_success();
    let deployment = release.objects.iter().find(|object| {
        let component = &object["metadata"]["labels"]["app.kubernetes.io/component"];
        object["kind"] == "Deployment" && component == KEEPER
    });
    let pod = &deployment.unwrap()["spec"]["template"]["spec"];
    ["initContainers", "containers"].map(|containers| {
        let words = pod[containers][0]["args"].as_array().unwrap().iter();
        words
            .map(|word| word.as_str().unwrap().to_owned())
            .collect()
    })
}

/// As the keeper's account, in its namespace.
fn kubeconfig(cluster: &Cluster) -> PathBuf {
    let user = format!("system:serviceaccount:{NAMESPACE}:east-{KEEPER}");
    let file = cluster.kubeconfig_of(&user, None).unwrap();
    let mut set = kubectl(
        cluster,
        &[
            "config",
            "set-context",
            "--current",
            "--namespace",
            NAMESPACE,
        ],
    );
    run(set.arg("--kubeconfig").arg(&file)).expect_success();
    file
}

/// The program with the chart's flags, some of them with other values.
fn command(words: &[String], others: &[(&str, &str)]) -> Command {
    let mut command = Command::new(binary());
    for word in words {
        let name = word.split('=').next().unwrap_or_default();
        match others.iter().find(|(flag, _)| *flag == name) {
            Some((flag, value)) => command.arg(format!("{flag}={value}")),
            None => command.arg(word),
        };
    }
    command
}

/// What a Secret holds, as files of a folder.
fn mounted(cluster: &Cluster, name: &str, folder: &Path) -> Result<(), String> {
    let words = ["get", "secret", name, "-n", NAMESPACE, "-o", "json"];
    let secret = run(&mut kubectl(cluster, &words)).expect_success();
    let secret: Value = serde_json::from_str(&secret).unwrap();
    let data = secret["data"].as_object().ok_or("it is empty")?;
    fs::create_dir_all(folder).unwrap();
    for (file, value) in data {
        let content = base64(value.as_str().unwrap());
        fs::write(folder.join(file), content).unwrap();
    }
    Ok(())
}

fn base64(text: &str) -> Vec<u8> {
    let decoded: k8s_openapi::ByteString = serde_json::from_value(text.into()).unwrap();
    decoded.0
}

fn joined(join: &mut Command, kubeconfig: &Path) -> Finished {
    run(join.arg("--kubeconfig").arg(kubeconfig))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_runtime_joins_once_and_each_part_gets_a_key_of_its_own_with_the_rights_of_the_chart() {
    let Some(cluster) = minimal().await else {
        return;
    };
    let Some(helm) = helm() else { return };
    tokio::task::block_in_place(|| {
        let [join, keep] = install(&cluster, &helm);
        let kubeconfig = kubeconfig(&cluster);
        let platform = Platform::start(Ipv4Addr::LOCALHOST);
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        fs::write(
            path("token"),
            platform.cli(&["runtime", "token", "east"]).expect_success(),
        )
        .unwrap();
        let join = |keys: &str, token: &str| {
            let others = [
                ("--platform-url", platform.address()),
                ("--join-token-file", token),
                ("--runtime-folder", keys),
            ];
            joined(&mut command(&join, &others), &kubeconfig)
        };
        let first = join(&path("first"), &path("token")).expect_success();
        // Another pod has an empty folder and needs no token.
        let second = join(&path("second"), "absent").expect_success();
        let identity = |said: &str| said.split(';').next().unwrap_or_default().to_owned();
        assert_eq!(identity(&first), identity(&second));

        let others = [
            ("--admin-listen", "127.0.0.1:0"),
            ("--runtime-folder", &path("second")),
        ];
        let mut keep = command(&keep, &others);
        let _keeper = Child::start(keep.arg("--kubeconfig").arg(&kubeconfig));
        let own = folder.path().join("source-server");
        wait_until_blocking("a key", SOON, || {
            mounted(&cluster, "east-source-server-key", &own)
        });
        assert!(!own.join("identity.pem").exists());
        let part = |name: &str| {
            let mut part = Command::new(binary());
            part.args(["serve", name, "--runtime-folder"]).arg(&own);
            part.arg("--part-key").arg(own.join("part.pem"));
            part.arg("--kubeconfig").arg(&kubeconfig);
            part
        };
        let _source_server = Child::start(&mut part("source-server"));
        wait_until_blocking("the part on the platform", SOON, || {
            let status = platform.cli(&["status"]).stdout;
            let here = |line: &str| line.starts_with("source-server") && line.contains("serving");
            status.lines().any(here).then_some(()).ok_or(status)
        });
        // The key is exactly that part's.
        let other = run(&mut part("app-proxy"));
        assert!(!other.status.success());
        assert!(
            other.stderr.contains("it is the key of"),
            "{}",
            other.stderr
        );
    });
    cluster.stop().await;
}
