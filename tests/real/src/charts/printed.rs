//! What `causeway runtime install --print` prints, taken by what it is for: Helm, Argo CD's own API, and the chart.

use std::{fs, process::Command};

use causeway_charts::{Chart, KUBERNETES, helm, modes};
use causeway_cluster::Cluster;
use causeway_testkit::{binary, run};
use serde_json::{Value, json};

use super::{apply, namespace};
use crate::stage::{kubectl, minimal};

/// What somebody chose.
const CHOICES: [&[&str]; 4] = [
    &[],
    &[
        "--scope-namespace=shop",
        "--argocd-namespace=argocd",
        "--high-availability",
        "--allow=read,sync,logs",
        "--proxy=http://proxy.example.com:3128",
    ],
    &[
        "--access=http-route",
        "--gateway=edge/public",
        "--host=east.example.com",
        "--ca-secret=authority",
        "--argocd-token-secret=argocd-token",
    ],
    &[
        "--access=ingress",
        "--host=east.example.com",
        "--tls-secret=east-tls",
        "--new-argocd",
    ],
];

fn printed(shape: &str, chosen: &[&str]) -> String {
    let mut command = Command::new(binary());
    command.args(["runtime", "install", "east", "--print", shape]);
    command.args([
        "--namespace=causeway",
        "--platform-url=https://causeway.example.com",
    ]);
    // Nobody is asked; a key is what says who would ask.
    let key = tempfile::NamedTempFile::new().unwrap();
    fs::write(key.path(), "causeway_key").unwrap();
    command.env("CAUSEWAY_ADDRESS", "https://causeway.example.com");
    command.env("CAUSEWAY_API_KEY_FILE", key.path());
    run(command.args(chosen)).expect_success()
}

/// The chart takes the values.
fn rendered(values: &str) {
    let Some(helm) = helm() else { return };
    let release = Chart::Runtime.render(&helm, values);
    assert!(!release.objects.is_empty());
}

#[test]
fn printed_values_are_chart_values() {
    for chosen in CHOICES {
        rendered(&printed("values", chosen));
    }
}

#[test]
fn printed_helm_command_line_is_valid() {
    let Some(helm) = helm() else { return };
    let folder = tempfile::tempdir().unwrap();
    let chart = format!("--chart={}", Chart::Runtime.folder().display());
    let template = format!("helm template --kube-version {KUBERNETES}");
    for chosen in CHOICES {
        let line = printed("helm", &[chosen, &[&chart]].concat());
        let line = line
            .replacen("helm upgrade --install", &template, 1)
            .replacen("$(causeway runtime token east)", "$(echo a-token)", 1);
        let mut shell = Command::new("sh");
        let programs = helm.parent().unwrap().display().to_string();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = format!("{programs}:{}", path.to_string_lossy());
        shell.args(["-c", &line]).env("PATH", path);
        let told = run(shell.current_dir(folder.path())).expect_success();
        assert!(told.contains("token: \"a-token"), "{line}");
    }
}

/// Argo CD's own definition of an Application, as its chart brings it.
fn definition() -> Option<Value> {
    let helm = helm()?;
    let mut modes = modes().into_iter();
    let new = modes.find(|it| it.chart == Chart::Runtime && it.name == "new-argocd");
    let new = new.unwrap();
    let mut objects = new.chart.render(&helm, new.values).objects.into_iter();
    objects.find(|it| it["metadata"]["name"] == "applications.argoproj.io")
}

fn application(chosen: &[&str]) -> Value {
    let chart = [
        "--chart=oci://registry.example.com/charts/causeway-runtime",
        "--chart-version=0.1.0",
    ];
    let text = printed("argocd", &[chosen, &chart[..]].concat());
    serde_saphyr::from_str(&text).unwrap()
}

fn establish(cluster: &Cluster, definition: &Value) {
    let place = namespace("argocd");
    apply(cluster, &[], [definition, &place]).expect_success();
    let words = [
        "wait",
        "--for=condition=Established",
        "--timeout=-1s",
        "crd/applications.argoproj.io",
    ];
    run(&mut kubectl(cluster, &words)).expect_success();
}

#[tokio::test(flavor = "multi_thread")]
async fn printed_argocd_application_is_accepted_by_kubernetes() {
    let Some(cluster) = minimal().await else {
        return;
    };
    let Some(definition) = definition() else {
        return;
    };
    tokio::task::block_in_place(|| {
        establish(&cluster, &definition);
        for chosen in CHOICES {
            let application = application(chosen);
            let taken = apply(&cluster, &["--dry-run=server"], [&application]);
            assert!(taken.status.success(), "{}", taken.stderr);
            assert!(!taken.stderr.contains("Warning"), "{}", taken.stderr);
            let values = &application["spec"]["source"]["helm"]["valuesObject"];
            rendered(&values.to_string());

            // It looks at more than that there is something.
            let mut other = application;
            other["spec"]["source"]["helm"]["valueObject"] = json!({});
            let refused = apply(&cluster, &["--dry-run=server"], [&other]);
            assert!(refused.stderr.contains("valueObject"), "{}", refused.stderr);
            assert!(!refused.status.success());
        }
    });
    cluster.stop().await;
}
