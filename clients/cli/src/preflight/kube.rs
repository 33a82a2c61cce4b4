//! The cluster: that it answers, its Argo CD, and the kinds that it has.

use causeway_argocd::{Cluster, KubeArgs};
use kube::Client;
use serde_json::Value;

use super::{InstallationArgs, finding::Finding};

/// The oldest Kubernetes that the chart takes.
const OLDEST_KUBERNETES: (u32, u32) = (1, 27);
/// The major version of Argo CD that all is tested with, and the oldest that has what is used.
const TESTED_ARGOCD: u32 = 3;
const OLDEST_ARGOCD: (u32, u32) = (2, 12);
/// By which the parts of a runtime find it, too.
const SERVERS: &str = "labelSelector=app.kubernetes.io%2Fname%3Dargocd-server";
/// What runtimes report where it is there, and what each is.
const KINDS: [(&str, &str); 6] = [
    ("applicationsets", "application sets"),
    ("appprojects", "projects"),
    ("rollouts", "rollouts"),
    ("analysisruns", "analysis runs"),
    ("workflows", "workflows"),
    ("cronworkflows", "cron workflows"),
];

/// A cluster that answers.
pub(super) struct Kube {
    client: Client,
    version: Version,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Version {
    text: String,
    number: (u32, u32),
}

/// Reason why an object cannot be read.
#[derive(Debug)]
pub(super) enum ReadError {
    Forbidden,
    Failed(String),
}

impl Version {
    /// Of "v3.1.4+abc", "1.33" or an image's tag; none where there is no number.
    fn parse(text: &str) -> Option<Self> {
        let digits = |part: &str| {
            let end = part.find(|it: char| !it.is_ascii_digit());
            part[..end.unwrap_or(part.len())].parse().ok()
        };
        let mut parts = text.trim_start_matches('v').split('.');
        let number = (digits(parts.next()?)?, digits(parts.next()?)?);
        let text = text.to_owned();
        Some(Self { text, number })
    }
}

impl Kube {
    pub(super) async fn open(args: &KubeArgs) -> Result<Self, Finding> {
        let why = "a runtime is installed in a cluster, which the installer must reach";
        let failed = |what: String, todo: &str| Finding::fail("cluster", what, (why, todo));
        let cluster = Cluster::open(args).await;
        let cluster = cluster.map_err(|error| {
            failed(
                error.to_string(),
                "give --kubeconfig and --context, as for kubectl",
            )
        })?;
        let client = cluster.client();
        let read = get(&client, "/version").await;
        let todo = "try 'kubectl version' with the same kubeconfig";
        let found = match read {
            Ok(Some(found)) => found,
            Ok(None) => return Err(failed("it has no version".to_owned(), todo)),
            Err(ReadError::Forbidden) => {
                return Err(failed("it refuses these credentials".to_owned(), todo));
            }
            Err(ReadError::Failed(text)) => return Err(failed(text, todo)),
        };
        let text = found["gitVersion"].as_str().unwrap_or_default();
        let version = Version::parse(text);
        let odd = || failed(format!("its version is '{text}'"), todo);
        let version = version.ok_or_else(odd)?;
        Ok(Self { client, version })
    }

    pub(super) fn finding(&self) -> Finding {
        let text = format!("Kubernetes {}", self.version.text);
        if self.version.number >= OLDEST_KUBERNETES {
            return Finding::ok("cluster", text);
        }
        let (major, minor) = OLDEST_KUBERNETES;
        let why = "the chart uses what older ones do not have";
        let todo = format!("bring the cluster to {major}.{minor} or newer");
        Finding::fail("cluster", text, (why, todo))
    }

    pub(super) async fn get(&self, path: &str) -> Result<Option<Value>, ReadError> {
        get(&self.client, path).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value, ReadError> {
        let body =
            serde_json::to_vec(body).map_err(|error| ReadError::Failed(error.to_string()))?;
        let request = http::Request::post(path).header("content-type", "application/json");
        let request = request.body(body);
        let request = request.map_err(|error| ReadError::Failed(error.to_string()))?;
        self.client
            .request(request)
            .await
            .map_err(|error| unread(&error))
    }

    /// Whether Argo CD is there, and of a version that can be used.
    pub(super) async fn argocd(&self, args: &InstallationArgs) -> Vec<Finding> {
        let why = "a runtime is installed beside an Argo CD, whose applications it shows";
        let there = self.argocd_kinds().await;
        let there = there.map(|kinds| kinds.iter().any(|kind| kind == "applications"));
        if args.new_argocd {
            return vec![match there {
                Ok(true) => Finding::warn(
                    "argocd",
                    "one is to be installed, and the cluster has custom resources of one already",
                    (
                        "two charts that own the same custom resources overwrite each other's",
                        "install beside the Argo CD that is there, without --new-argocd, or set argo-cd.crds.install=false",
                    ),
                ),
                Ok(false) | Err(_) => Finding::ok("argocd", "one is installed with the runtime"),
            }];
        }
        if let Ok(false) = there {
            let todo = "install Argo CD, have it installed by --new-argocd, or choose another cluster by --context";
            let what = "the cluster has no applications.argoproj.io";
            return vec![Finding::fail("argocd", what, (why, todo))];
        }
        let path = match &args.argocd_namespace {
            Some(namespace) => {
                format!("/apis/apps/v1/namespaces/{namespace}/deployments?{SERVERS}")
            }
            None => format!("/apis/apps/v1/deployments?{SERVERS}"),
        };
        match self.get(&path).await {
            Ok(found) => servers(&found.unwrap_or_default(), args),
            Err(error) => {
                let todo = "let this user list Deployments in Argo CD's namespace, or name the namespace with --argocd-namespace";
                let what = format!("it cannot be looked for: {}", error.text());
                vec![Finding::unknown("argocd", what, (why, todo))]
            }
        }
    }

    /// The kinds of Argo's group, by their plural names. Everybody whom the cluster knows may ask for them.
    async fn argocd_kinds(&self) -> Result<Vec<String>, ReadError> {
        let found = self.get("/apis/argoproj.io/v1alpha1").await?;
        let found = found.unwrap_or_default();
        let kinds = found["resources"].as_array().into_iter().flatten();
        let names = kinds.filter_map(|kind| kind["name"].as_str());
        Ok(names.map(str::to_owned).collect())
    }

    /// Which kinds are there to be reported.
    pub(super) async fn resources(&self) -> Vec<Finding> {
        let names = match self.argocd_kinds().await {
            Ok(names) => names,
            Err(error) => {
                let why = "what the cluster has decides what is shown of it";
                let what = format!("they cannot be listed: {}", error.text());
                let todo = "let this user list the API groups of the cluster";
                return vec![Finding::unknown("resources", what, (why, todo))];
            }
        };
        let is_there = |kind: &str| names.iter().any(|name| name == kind);
        let (there, absent): (Vec<_>, Vec<_>) = KINDS.iter().partition(|(name, _)| is_there(name));
        let words = |kinds: Vec<&(&str, &'static str)>| {
            let words: Vec<_> = kinds.into_iter().map(|(_, word)| *word).collect();
            words.join(", ")
        };
        vec![Finding::ok(
            "resources",
            match (there.is_empty(), absent.is_empty()) {
                (false, true) => format!("{} are there to be reported", words(there)),
                (false, false) => format!(
                    "{} are there to be reported; {} are not, and are taken up once they are",
                    words(there),
                    words(absent)
                ),
                (true, _) => format!("none of {} is there yet", words(absent)),
            },
        )]
    }
}

impl ReadError {
    pub(super) fn text(&self) -> String {
        match self {
            Self::Forbidden => "it is not allowed".to_owned(),
            Self::Failed(text) => text.clone(),
        }
    }
}

async fn get(client: &Client, path: &str) -> Result<Option<Value>, ReadError> {
    let request = http::Request::get(path).body(Vec::new());
    let request = request.map_err(|error| ReadError::Failed(error.to_string()))?;
    match client.request(request).await {
        Ok(found) => Ok(Some(found)),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
        Err(error) => Err(unread(&error)),
    }
}

fn unread(error: &kube::Error) -> ReadError {
    if let kube::Error::Api(status) = error
        && matches!(status.code, 401 | 403)
    {
        return ReadError::Forbidden;
    }
    ReadError::Failed(error.to_string())
}

/// What a list of argocd-servers says.
pub(super) fn servers(found: &Value, args: &InstallationArgs) -> Vec<Finding> {
    let items = found["items"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let why = "a runtime acts and reads manifests by argocd-server, found by its labels";
    if items.is_empty() {
        let place = args.argocd_namespace.as_deref().unwrap_or("any namespace");
        let what = format!("no argocd-server is labelled so in {place}");
        let todo = "name its namespace with --argocd-namespace, and the chart's argocd.server where its labels are others";
        return vec![Finding::warn("argocd", what, (why, todo))];
    }
    let mut findings: Vec<Finding> = items.iter().map(server).collect();
    if items.len() > 1 && args.argocd_namespace.is_none() {
        let names: Vec<_> = items.iter().map(namespace).collect();
        let what = format!("there are several, in {}", names.join(", "));
        let why = "one of them takes the actions; applications of all are shown";
        let todo = "choose by --argocd-namespace";
        findings.push(Finding::warn("argocd", what, (why, todo)));
    }
    findings
}

fn namespace(item: &Value) -> &str {
    item["metadata"]["namespace"].as_str().unwrap_or_default()
}

fn server(item: &Value) -> Finding {
    let containers = item["spec"]["template"]["spec"]["containers"].as_array();
    let images = containers.into_iter().flatten();
    let image = images.filter_map(|it| it["image"].as_str()).next();
    let tag = image.and_then(|image| image.split('@').next()?.rsplit_once(':'));
    let label = item["metadata"]["labels"]["app.kubernetes.io/version"].as_str();
    let version = label.or(tag.map(|(_, tag)| tag)).and_then(Version::parse);
    let place = namespace(item);
    let Some(Version { text, number }) = version else {
        let why = "versions before 2.12 have not all that is used";
        let todo = "ask 'argocd version'";
        let what = format!("in {place}, of a version that cannot be told");
        return Finding::unknown("argocd", what, (why, todo));
    };
    let what = format!("{text} in {place}");
    if number.0 == TESTED_ARGOCD {
        return Finding::ok("argocd", what);
    }
    if number < OLDEST_ARGOCD {
        let why = "it has not all that is used: sources of several repositories, and operations by annotation";
        let todo = "bring Argo CD to 2.12 or newer, best to 3";
        return Finding::fail("argocd", what, (why, todo));
    }
    let why = "everything is tested with Argo CD 3";
    Finding::warn("argocd", what, (why, "bring Argo CD to 3 when you can"))
}
