use causeway_proto::platform::v1 as pb;
use clap::Parser as _;
use serde_json::json;

use super::{
    print::{PrintFormat, text},
    wait::{RuntimeState, stuck},
    *,
};

#[derive(clap::Parser)]
struct Only {
    #[command(flatten)]
    args: InstallArgs,
}

fn args(words: &[&str]) -> InstallArgs {
    let words = ["install"].iter().chain(words);
    Only::try_parse_from(words).unwrap().args
}

fn printed(shape: PrintFormat, words: &[&str]) -> anyhow::Result<String> {
    let args = args(words);
    args.check()?;
    let name = args.name.unwrap();
    let answers = InstallChoices {
        name: &name,
        platform: "https://causeway.example.com",
        chosen: &args.chosen,
        install: &args.install,
        preflight: !args.how.skip_preflight,
    };
    text(shape, &answers, &args.chart, "east")
}

#[test]
fn the_command_line_of_helm_makes_the_token_itself() {
    assert_eq!(
        printed(PrintFormat::Helm, &["east"]).unwrap(),
        "causeway runtime chart ./causeway-runtime\n\
         helm upgrade --install east ./causeway-runtime \\\n  \
         --namespace causeway --create-namespace \\\n  \
         --set-string platform.url=https://causeway.example.com \\\n  \
         --set-string joinToken.value=\"$(causeway runtime token east)\""
    );
}

#[test]
fn what_is_chosen_is_a_value_each() {
    let told = printed(
        PrintFormat::Helm,
        &[
            "east",
            "--scope-namespace=shop",
            "--scope-namespace=pay",
            "--argocd-namespace=cd",
            "--high-availability",
            "--allow=read,sync,logs",
            "--access=http-route",
            "--gateway=edge/public",
            "--host=east.example.com",
            "--proxy=http://proxy:3128",
            "--skip-preflight",
            "--set=log.filter=info,causeway=debug",
        ],
    )
    .unwrap();
    let flags: Vec<_> = told.split(" \\\n  ").skip(2).collect();
    assert_eq!(
        flags,
        [
            r#"--set-string access.mode=httpRoute"#,
            r#"--set-json 'access.httpRoute.hostnames=["east.example.com"]'"#,
            r#"--set-json 'access.httpRoute.parentRefs=[{"name":"public","namespace":"edge"}]'"#,
            r#"--set-json 'app-proxy.allow=["read","sync","logs"]'"#,
            r#"--set-string argocd.namespace=cd"#,
            r#"--set-json highAvailability=true"#,
            r#"--set-string platform.url=https://causeway.example.com"#,
            r#"--set-json preflight.enabled=false"#,
            r#"--set-string proxy.url=http://proxy:3128"#,
            r#"--set-string scope.mode=namespaced"#,
            r#"--set-json 'scope.namespaces=["shop","pay"]'"#,
            r#"--set-string joinToken.value="$(causeway runtime token east)""#,
            r#"--set log.filter=info,causeway=debug"#,
        ]
        .sorted_as(&flags)
    );
}

trait SortedAs {
    fn sorted_as(self, order: &[&str]) -> Vec<String>;
}

impl<const N: usize> SortedAs for [&str; N] {
    /// In the order of another list, where that has them; fields of JSON have no order of their own.
    fn sorted_as(self, order: &[&str]) -> Vec<String> {
        let mut words = self.map(str::to_owned).to_vec();
        words.sort_by_key(|word| order.iter().position(|it| it == word));
        words
    }
}

#[test]
fn what_is_written_down_has_no_token_in_it() {
    let registry = [
        "east",
        "--chart=oci://registry.example.com/charts/causeway-runtime",
        "--chart-version=0.1.0",
    ];
    for (shape, words) in [
        (PrintFormat::Values, &["east"][..]),
        (PrintFormat::Argocd, &registry),
    ] {
        let told = printed(shape, words).unwrap();
        assert!(
            told.contains("existingSecret: causeway-join-token"),
            "{told}"
        );
        assert!(told.starts_with("# first"), "{told}");
    }
    let told = printed(PrintFormat::Argocd, &registry).unwrap();
    for line in [
        "kind: Application",
        "repoURL: registry.example.com/charts",
        "chart: causeway-runtime",
        "releaseName: east",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let refused = printed(PrintFormat::Argocd, &["east"])
        .unwrap_err()
        .to_string();
    assert!(refused.contains("oci://"), "{refused}");
}

#[test]
fn terraform_takes_the_token_as_a_sensitive_variable() {
    let told = printed(PrintFormat::Terraform, &["east", "--namespace=edge"]).unwrap();
    for line in [
        "  sensitive   = true",
        "resource \"helm_release\" \"causeway_runtime\" {",
        "  namespace        = \"edge\"",
        "    platform:",
        "  , yamlencode({ joinToken = { value = var.causeway_join_token } })]",
    ] {
        assert!(told.lines().any(|it| it == line), "{line}: {told}");
    }
}

#[test]
fn values_in_the_words_of_helm_are_there_in_every_shape() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("more.yaml");
    std::fs::write(&file, "platform: {plaintext: true}\nimage: {tag: '1.2'}\n").unwrap();
    let values = format!("--values={}", file.display());
    let set = r"--set=podLabels.a=b\,${c},tolerations={x,y}";
    let told = printed(PrintFormat::Terraform, &["east", &values, set]).unwrap();
    for line in [
        "      url: https://causeway.example.com",
        "      plaintext: true",
        r#"    { name = "podLabels.a", value = "b\\,$${c}" },"#,
        r#"    { name = "tolerations", value = "{x,y}" },"#,
    ] {
        assert!(told.lines().any(|it| it == line), "{line}: {told}");
    }
    let registry = [
        "east",
        "--chart=oci://registry.example.com/charts/causeway-runtime",
        "--chart-version=0.1.0",
        &values,
        set,
    ];
    let told = printed(PrintFormat::Argocd, &registry).unwrap();
    let read: serde_json::Value = serde_saphyr::from_str(&told).unwrap();
    let helm = &read["spec"]["source"]["helm"];
    assert_eq!(
        helm["parameters"],
        json!([{"name": "podLabels.a", "value": "b,${c}"}, {"name": "tolerations", "value": "{x,y}"}])
    );
    assert_eq!(helm["valuesObject"]["image"], json!({"tag": "1.2"}));
    let told = printed(PrintFormat::Values, &["east", &values]).unwrap();
    assert!(told.contains("tag: "), "{told}");
    for (shape, words, told) in [
        (
            PrintFormat::Values,
            &["east", set][..],
            "write what --set says into a file",
        ),
        (
            PrintFormat::Terraform,
            &["east", "--set=a"],
            "write PATH=VALUE",
        ),
        (
            PrintFormat::Values,
            &["east", "--values=none"],
            "--values none",
        ),
    ] {
        let refused = printed(shape, words).unwrap_err().to_string();
        assert!(refused.contains(told), "{refused}");
    }
}

#[test]
fn choices_that_do_not_go_together_are_refused_with_what_is_missing() {
    for (words, told) in [
        (
            &["east", "--access=ingress", "--host=a"][..],
            "--tls-secret",
        ),
        (&["east", "--access=http-route", "--host=a"], "--gateway"),
        (&["east", "--access=url"], "--access-url"),
        (&["east", "--platform-ca-file=ca.pem"], "--ca-secret"),
    ] {
        let refused = printed(PrintFormat::Helm, words).unwrap_err().to_string();
        assert!(refused.contains(told), "{refused}");
    }
}

fn part(name: &str, health: pb::Health, pending: &[&str]) -> (String, pb::PartStatus) {
    let part = pb::PartStatus {
        part: name.to_owned(),
        health: health.into(),
        pending: pending.iter().map(|it| (*it).to_owned()).collect(),
        ..pb::PartStatus::default()
    };
    (name.to_owned(), part)
}

#[test]
fn the_reason_names_who_waits_for_what_and_who_is_not_heard() {
    let nobody = RuntimeState {
        runtime: None,
        way: IngressMode::Tunnel,
        parts: [].into(),
    };
    assert_eq!(nobody.reason(), "it has not joined");
    let some = RuntimeState {
        runtime: Some(pb::Runtime::default()),
        way: IngressMode::Tunnel,
        parts: [
            part("app-proxy", pb::Health::Serving, &[]),
            part(
                "application-event-reporter",
                pb::Health::NotServing,
                &["source-server"],
            ),
            part("request-router", pb::Health::Serving, &[]),
            part("resource-event-reporter", pb::Health::Serving, &[]),
            part("source-server", pb::Health::Serving, &[]),
        ]
        .into(),
    };
    assert!(!some.is_whole());
    assert_eq!(
        some.reason(),
        "application-event-reporter waits for source-server; nothing is heard of tunnel-client; no tunnel is open"
    );
}

#[test]
fn a_pod_that_does_not_run_says_why() {
    let pod = json!({
        "metadata": {"name": "east-app-proxy-1"},
        "status": {
            "containerStatuses": [
                {"name": "app-proxy", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}},
                {"name": "other", "state": {"running": {}}},
            ],
            "initContainerStatuses": [{"name": "join", "state": {"waiting": {"reason": "PodInitializing"}}}],
            "conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes"}],
        },
    });
    assert_eq!(
        stuck(&pod),
        [
            "pod east-app-proxy-1: app-proxy ImagePullBackOff no such image",
            "pod east-app-proxy-1 has no node: 0/3 nodes",
        ]
    );
}
