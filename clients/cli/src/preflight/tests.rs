use std::collections::BTreeSet;

use serde_json::json;

use super::{
    kube::servers,
    rights::{OWN, Right, needed},
    *,
};

fn args(more: &[&str]) -> InstallationArgs {
    #[derive(clap::Parser)]
    struct Only {
        #[command(flatten)]
        args: InstallationArgs,
    }
    let words = ["preflight"].iter().chain(more);
    <Only as clap::Parser>::try_parse_from(words).unwrap().args
}

fn server(namespace: &str, image: &str) -> serde_json::Value {
    json!({
        "metadata": {"namespace": namespace},
        "spec": {"template": {"spec": {"containers": [{"image": image}]}}},
    })
}

fn words(findings: &[Finding]) -> Vec<String> {
    let text = |it: &Finding| format!("{} {}", it.verdict.word(), it.what);
    findings.iter().map(text).collect()
}

#[test]
fn the_version_of_argo_cd_decides() {
    for (image, told) in [
        ("quay.io/argoproj/argocd:v3.3.2", "ok v3.3.2 in argocd"),
        (
            "registry:5000/argocd:v2.13.1@sha256:abc",
            "warn v2.13.1 in argocd",
        ),
        ("quay.io/argoproj/argocd:v2.9.0", "fail v2.9.0 in argocd"),
        (
            "quay.io/argoproj/argocd",
            "unknown in argocd, of a version that cannot be told",
        ),
    ] {
        let found = json!({"items": [server("argocd", image)]});
        assert_eq!(words(&servers(&found, &args(&[]))), [told]);
    }
}

#[test]
fn of_several_argo_cds_one_is_to_be_named() {
    let image = "quay.io/argoproj/argocd:v3.1.0";
    let found = json!({"items": [server("one", image), server("two", image)]});
    let told = words(&servers(&found, &args(&[])));
    assert_eq!(told[2], "warn there are several, in one, two");
    let none = servers(&json!({"items": []}), &args(&["--argocd-namespace", "cd"]));
    assert_eq!(words(&none), ["warn no argocd-server is labelled so in cd"]);
}

#[test]
fn what_users_may_do_decides_what_is_needed() {
    let texts = |allow: &[&str]| {
        let allow: Vec<_> = allow.iter().map(|it| (*it).to_owned()).collect();
        let needed = needed(&allow);
        needed.iter().map(Right::text).collect::<Vec<_>>()
    };
    let plain = texts(&["read", "sync"]);
    assert!(
        plain.contains(&"patch applications.argoproj.io".to_owned()),
        "{plain:?}"
    );
    for (action, right) in [
        ("delete", "delete applications.argoproj.io"),
        ("logs", "get pods/log"),
        ("exec", "create pods/exec"),
        ("rollout", "patch rollouts/status.argoproj.io"),
        ("workflow", "create workflows.argoproj.io"),
        ("workflow", "delete pods"),
        ("resource-delete", "delete pods"),
    ] {
        assert!(!plain.contains(&right.to_owned()), "{right}");
        assert!(texts(&[action]).contains(&right.to_owned()), "{right}");
    }
}

#[test]
fn a_failure_says_why_it_matters_and_what_to_do_as_json_too() {
    let finding = finding::late("git", Duration::from_secs(15));
    let told = serde_json::to_value(&finding).unwrap();
    assert_eq!(told["check"], "git");
    assert_eq!(told["result"], "fail");
    assert_eq!(told["what"], "no answer within 15s");
    for field in ["why", "do"] {
        assert!(!told[field].as_str().unwrap().is_empty());
    }
}

/// Where nothing answers, every check that can be made is made and told, each in its time.
#[tokio::test]
async fn every_check_is_told_although_others_fail() {
    causeway_shell::install_crypto();
    let nowhere = "http://127.0.0.1:1";
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "none",
        "clusters": [{"name": "none", "cluster": {"server": nowhere}}],
        "users": [{"name": "none", "user": {}}],
        "contexts": [{"name": "none", "context": {"cluster": "none", "user": "none"}}],
    });
    std::fs::write(&kubeconfig, config.to_string()).unwrap();
    let kubeconfig = kubeconfig.to_str().unwrap();
    let args = args(&[
        "--kubeconfig",
        kubeconfig,
        "--git-url",
        "http://127.0.0.1:1/a.git",
        "--git-url",
        "git@example.com:a.git",
    ]);
    let joining = Joining {
        platform_url: Some(nowhere.to_owned()),
        ..Joining::default()
    };
    let skip = ["clock".to_owned()];
    let findings = args.check(&joining, &skip, Duration::from_secs(600)).await;
    let told: Vec<_> = findings
        .iter()
        .map(|it| (it.check, it.verdict.word()))
        .collect();
    assert_eq!(
        told,
        [
            ("cluster", "fail"),
            ("platform", "fail"),
            ("join-token", "unknown"),
            ("git", "unknown"),
            ("git", "warn"),
        ],
        "{findings:?}"
    );
}

#[test]
fn what_is_asked_for_is_what_the_chart_grants() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../helm/rights.txt");
    let text = std::fs::read_to_string(file).unwrap();
    let (_, rest) = text.split_once("# causeway-runtime, default\n").unwrap();
    let section = rest.split("\n#").next().unwrap();
    let mut granted = BTreeSet::new();
    for line in section.lines().filter_map(|line| line.strip_prefix("  ")) {
        let (what, verbs) = line.split_once(": ").unwrap();
        let resource = what.split(' ').next().unwrap();
        granted.extend(verbs.split(", ").map(|verb| format!("{verb} {resource}")));
    }
    assert!(granted.len() > 40, "{granted:?}");
    let allow = ["read", "sync", "refresh"].map(str::to_owned);
    let needed = needed(&allow).into_iter().chain(OWN);
    let needed: BTreeSet<_> = needed.map(|right| right.text()).collect();
    assert_eq!(needed, granted);
}
