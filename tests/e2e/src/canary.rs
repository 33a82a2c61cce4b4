//! A canary in every place of a secret, and none of them where people, collectors or thieves look: logs at the level `trace`,
//! exported traces, figures, answers and errors, databases, and the arguments of the processes.

use std::{
    fs,
    path::{Path, PathBuf},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{Canaries, Collector, Postgres, Processes, RULES, Setting, wait_until};
use serde_json::json;

use crate::{parts, program::SOON};

const IN_SECRET: &str = "canary-in-the-data-of-a-secret";
const IN_ENVIRONMENT: &str = "canary-in-a-variable-of-a-container";
const IN_ANNOTATION: &str = "canary-in-the-last-applied-annotation";
const IN_DATABASE_URL: &str = "canary-in-the-url-of-the-database";
/// Shown by somebody who has mistaken it for a key.
const AS_API_KEY: &str = "cwk_Y2FuYXJ5LXRoYXQtc29tZWJvZHktc2hvd3MtYXMtYS1rZXk";
/// In the cookie of a browser.
const AS_SESSION: &str = "cws_Y2FuYXJ5LW9mLWEtc2Vzc2lvbi1pbi1hLWNvb2tpZS0x";
const CLIENT_SECRET: &str = "canary-as-the-secret-of-an-oidc-client";

/// A secret by where it is kept, in each form in which it could be written down.
#[derive(Clone)]
struct Canary {
    place: String,
    forms: Vec<Vec<u8>>,
}

impl Canary {
    fn text(place: &str, text: &str) -> Self {
        let text = text.trim();
        assert!(
            text.len() >= 16,
            "{place}: too short to be told from others"
        );
        let encoded = BASE64_STANDARD.encode(text);
        // Without its end, which depends on what follows it.
        let whole = encoded.len() / 4 * 4 - 4;
        Self {
            place: place.to_owned(),
            forms: vec![text.into(), encoded.as_bytes()[..whole].to_vec()],
        }
    }

    /// The number in the PKCS #8 document of a P-256 key, and the line of the file that most of it stands in.
    fn private_key(place: &str, pem: &str) -> Self {
        let opens = "-----BEGIN PRIVATE KEY-----";
        let body = pem
            .split(opens)
            .nth(1)
            .unwrap()
            .split("-----")
            .next()
            .unwrap();
        let lines: Vec<_> = body.trim().lines().collect();
        let document = BASE64_STANDARD.decode(lines.concat()).unwrap();
        let marks = [2, 1, 1, 4, 32];
        let at = document.windows(5).position(|five| five == marks).unwrap();
        let number = &document[at + 5..at + 37];
        let hex: String = number.iter().map(|byte| format!("{byte:02x}")).collect();
        Self {
            place: place.to_owned(),
            forms: vec![
                number.to_vec(),
                hex.into_bytes(),
                BASE64_STANDARD.encode(number).into_bytes(),
                lines[0].as_bytes()[32..].to_vec(),
            ],
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    // Where another user's server works, files come and go.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path))
        } else {
            found.push(path)
        }
    }
    found
}

/// Every secret that the parts keep in a file.
fn kept(processes: &Processes) -> Vec<Canary> {
    let mut canaries = Vec::new();
    for file in files(processes.folder.path()) {
        let name = file.strip_prefix(processes.folder.path()).unwrap();
        let name = name.display().to_string();
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        if text.contains("BEGIN PRIVATE KEY") {
            canaries.push(Canary::private_key(&name, &text));
        } else if [".key", ".token", "token"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            canaries.push(Canary::text(&name, &text));
        } else if name.ends_with("kubeconfig") {
            let keys = ["token: ", "client-key-data: ", "password: "];
            for line in text.lines().map(str::trim) {
                let value = keys.iter().find_map(|key| line.strip_prefix(key));
                canaries.extend(value.map(|value| Canary::text(&name, value.trim_matches('"'))));
            }
        }
    }
    canaries
}

fn planted() -> Vec<Canary> {
    [
        IN_SECRET,
        IN_ENVIRONMENT,
        IN_ANNOTATION,
        IN_DATABASE_URL,
        AS_API_KEY,
        AS_SESSION,
        CLIENT_SECRET,
    ]
    .map(|canary| Canary::text(canary, canary))
    .into()
}

fn nested() -> Vec<Canary> {
    let all = Canaries::default().all.into_iter();
    all.map(|canary| Canary {
        forms: canary.forms(),
        place: canary.place.to_owned(),
    })
    .collect()
}

/// Secrets in every other place: in the objects that an application wants, and in an Application that Argo CD leaves as it is.
async fn make_nest(sandbox: &Sandbox) {
    let canaries = Canaries::default();
    let known = ["ConfigMap", "Deployment", "Secret", "Application", "Event"];
    let objects = canaries.manifests.iter();
    let objects = objects.filter(|object| known.iter().any(|kind| object["kind"] == *kind));
    let all: Vec<_> = objects.map(serde_json::Value::to_string).collect();
    let files = [("nest/all.yaml", all.join("\n---\n"))];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    sandbox.push("apps", &files, "Add the nest").await.unwrap();
    let application = &canaries.application;
    let skip = json!({"argocd.argoproj.io/skip-reconcile": "true"});
    let wanted = json!({
        "project": "default",
        "source": {"repoURL": sandbox.git_url("apps"), "path": "nest", "targetRevision": "main"},
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
    });
    for object in [
        json!({"metadata": {"namespace": "argocd", "name": "nest"}, "spec": wanted}),
        json!({
            "metadata": {"namespace": "argocd", "name": "left", "labels": application["labels"], "annotations": skip},
            "spec": application["spec"],
            "status": application["status"],
        }),
    ] {
        let mut object = object;
        object["apiVersion"] = json!("argoproj.io/v1alpha1");
        object["kind"] = json!("Application");
        let written = sandbox.kube().write_raw("applications.argoproj.io", object);
        assert!(written.is_some());
    }
}

fn manifest() -> String {
    let applied = json!({"kind": "Secret", "stringData": {"password": IN_ANNOTATION}});
    let annotation =
        json!({"kubectl.kubernetes.io/last-applied-configuration": applied.to_string()});
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "keys", "annotations": annotation},
        "stringData": {"password": IN_SECRET},
    });
    let labels = json!({"app": "shop"});
    let container = json!({"name": "shop", "image": "shop:1", "env": [{"name": "API_TOKEN", "value": IN_ENVIRONMENT}]});
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "shop", "annotations": annotation},
        "spec": {
            "replicas": 1, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    });
    format!("{secret}\n---\n{deployment}\n")
}

async fn make_shop(sandbox: &Sandbox) {
    let files = [("shop/all.yaml", manifest())];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    sandbox.push("apps", &files, "Add the shop").await.unwrap();
    let written = sandbox.kube().write_raw(
        "applications.argoproj.io",
        json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
            "metadata": {"name": "shop", "namespace": "argocd"},
            "spec": {
                "project": "default",
                "source": {"repoURL": sandbox.git_url("apps"), "path": "shop", "targetRevision": "main"},
                "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
            },
        }),
    );
    assert!(written.is_some());
}

/// Does what people do, in order and wrongly, and gives all that they read.
async fn use_it(processes: &Processes) -> String {
    let cli = |arguments: &[&str]| tokio::task::block_in_place(|| processes.cli(arguments));
    let mut read = String::new();
    wait_until("the shop is synced", SOON, async || {
        let synced = cli(&["app", "sync", "shop"]);
        if synced.status.success() {
            Ok(())
        } else {
            Err(format!("{synced:?}\n{}", processes.logs()))
        }
    })
    .await;
    wait_until("the shop's resources are told", SOON, async || {
        let tree = cli(&["app", "tree", "shop", "-o", "json"]).stdout;
        if tree.contains("Deployment") && tree.contains("Secret") {
            Ok(())
        } else {
            Err(tree)
        }
    })
    .await;
    wait_until("the nest is told", SOON, async || {
        let nest = cli(&["app", "get", "nest", "-o", "json"]).stdout;
        let left = cli(&["app", "get", "left"]).stdout;
        if nest.contains("desiredDigest") && left.contains("cannot apply") {
            Ok(())
        } else {
            Err(format!("{nest}\n{left}"))
        }
    })
    .await;
    let wrong = processes.folder.path().join("wrong.secret");
    fs::write(&wrong, AS_API_KEY).unwrap();
    let wrong = wrong.display().to_string();
    for arguments in [
        &["app", "get", "shop", "-o", "json"][..],
        &["app", "get", "nest", "-o", "json"],
        &["app", "get", "left", "-o", "json"],
        &["app", "get", "left"],
        &["app", "list", "-o", "yaml"],
        &["app", "get", "nothing"],
        &["app", "sync", "nothing"],
        &["runtime", "list", "-o", "json"],
        &["runtime", "token", "east"],
        &["api-key", "list", "-o", "json"],
        &["audit", "list", "-o", "json"],
        &["audit", "verify"],
        &["key", "list"],
        &["status"],
    ] {
        let finished = cli(arguments);
        read += &format!("{finished:?}\n");
    }
    let refused = tokio::task::block_in_place(|| processes.cli_with(&["app", "list"], &wrong));
    assert!(!refused.status.success(), "{refused:?}");
    read + &format!("{refused:?}\n") + &sign_in(processes).await
}

/// Shows a session as a browser does, and names a provider by its client secret; gives what is answered.
async fn sign_in(processes: &Processes) -> String {
    let secret = processes.folder.path().join("client.secret");
    fs::write(&secret, CLIENT_SECRET).unwrap();
    let secret = secret.display().to_string();
    let arguments = [
        "sign-in-provider",
        "create",
        "corp",
        "--issuer",
        "https://idp.invalid",
        "--client-secret-file",
        &secret,
    ];
    let refused = tokio::task::block_in_place(|| processes.cli(&arguments));
    assert!(refused.stderr.contains("issuer"), "{refused:?}");
    let cookie = format!("causeway-session={AS_SESSION}; __Host-causeway-session={AS_SESSION}");
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}/v1/applications", processes.address());
    let answer = client
        .get(url)
        .header("cookie", cookie)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), reqwest::StatusCode::UNAUTHORIZED);
    format!("{refused:?}\n{}", answer.text().await.unwrap())
}

/// What every part tells on its admin port.
async fn figures(processes: &Processes) -> String {
    let mut told = String::new();
    for part in &processes.parts {
        let lines = part.child.lines();
        let address = lines.iter().find_map(|line| {
            let rest = line.split_once("admin server listens")?.1;
            let address = rest.split_once("address=")?.1;
            address.split_whitespace().next().map(str::to_owned)
        });
        let url = format!(
            "http://{}/metrics",
            address.expect("each has an admin port")
        );
        told += &reqwest::get(url).await.unwrap().text().await.unwrap();
    }
    told
}

/// Where a canary must not be, by name.
async fn sinks(processes: &Processes, postgres: Option<&Postgres>) -> Vec<(String, Vec<u8>)> {
    let mut sinks = vec![(
        "the figures".to_owned(),
        figures(processes).await.into_bytes(),
    )];
    for part in &processes.parts {
        let process = part.child.id();
        let arguments = fs::read(format!("/proc/{process}/cmdline")).unwrap();
        let name = String::from_utf8_lossy(&arguments).replace('\0', " ");
        let log = part.child.lines().join("\n").into_bytes();
        assert!(contains(&log, b"TRACE"), "{name} logs everything");
        sinks.push((format!("the log of {name}"), log));
        sinks.push((format!("the arguments of {name}"), arguments));
    }
    let mut databases = files(processes.folder.path());
    databases.retain(|file| file.display().to_string().contains(".db"));
    databases.extend(
        postgres
            .map(|postgres| files(postgres.folder()))
            .unwrap_or_default(),
    );
    for file in databases {
        if let Ok(bytes) = fs::read(&file) {
            sinks.push((file.display().to_string(), bytes));
        }
    }
    sinks
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == needle[0]) {
        if rest[at..].starts_with(needle) {
            return true;
        }
        rest = &rest[at + 1..];
    }
    false
}

fn around(bytes: &[u8], needle: &[u8]) -> String {
    let at = bytes.windows(needle.len()).position(|it| it == needle);
    let at = at.unwrap_or_default();
    let end = bytes.len().min(at + needle.len() + 100);
    String::from_utf8_lossy(&bytes[at.saturating_sub(300)..end]).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n_40_s_38_s_62_canary_secrets_appear_nowhere() {
    let sandbox = Sandbox::start(SandboxOptions::in_memory()).await.unwrap();
    make_shop(&sandbox).await;
    make_nest(&sandbox).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), RULES).unwrap();
    let rules = file.path().display().to_string();
    let (collector, postgres) = (Collector::start().await, Postgres::start());
    let endpoint = collector.endpoint();
    let database = postgres.as_ref().map(|postgres| {
        let named = format!("://causeway:{IN_DATABASE_URL}@");
        postgres.database().replace("://causeway@", &named)
    });
    let database = database
        .as_ref()
        .map(|url| ("CAUSEWAY_DATABASE", url.as_str()));
    let environment = [
        ("CAUSEWAY_LOG", "trace"),
        ("CAUSEWAY_ADMIN_LISTEN", "127.0.0.1:0"),
        ("CAUSEWAY_REDACTION_RULES", rules.as_str()),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_BSP_SCHEDULE_DELAY", "200"),
    ];
    let setting = Setting {
        environment: &environment,
        platform: database.as_slice(),
        ..Setting::default()
    };
    let processes = tokio::task::block_in_place(|| parts::start(&sandbox, setting));
    let read = use_it(&processes).await;
    let canaries = [kept(&processes), planted()].concat();
    assert!(canaries.len() >= 15, "{}", canaries.len());
    let mut sinks = sinks(&processes, postgres.as_ref()).await;
    sinks.push(("what people read".to_owned(), read.into_bytes()));
    sinks.push(("the traces".to_owned(), collector.bytes()));
    let beginnings = Canaries::default().beginnings();
    for (sink, bytes) in &sinks {
        let suspect = beginnings.iter().any(|it| contains(bytes, it));
        let of_nest = suspect.then(nested).unwrap_or_default();
        for canary in canaries.iter().chain(&of_nest) {
            for form in &canary.forms {
                let found = contains(bytes, form);
                assert!(
                    !found,
                    "{} is in {sink}: {}",
                    canary.place,
                    around(bytes, form)
                );
            }
        }
    }
    assert!(contains(&collector.bytes(), b"SyncApplication"));
    assert!(sinks.iter().any(|(sink, _)| sink.ends_with(".db")));
}
