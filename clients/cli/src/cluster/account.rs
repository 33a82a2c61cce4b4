//! An account of Causeway's own in a cluster: it may read what is reported, and no more.

use std::{
    collections::BTreeMap,
    io::Write as _,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, bail};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_argocd::{Cluster, KubeArgs};
use kube::{
    Api, Client, ResourceExt,
    api::{
        ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams, Preconditions,
    },
    config::Kubeconfig,
    core::GroupVersionKind,
};
use serde_json::{Value, json};

use crate::{name::stated, output, prompt::ConfirmArgs};

const RBAC: &str = "rbac.authorization.k8s.io";
const MANAGER: &str = "causeway";
/// What tells the objects that are made here from those of others.
const LABEL: &str = "app.kubernetes.io/managed-by";
/// How long the cluster may take to make the token.
const WITHIN: Duration = Duration::from_secs(30);
const AGAIN: Duration = Duration::from_millis(500);

/// A cluster to report of.
#[derive(clap::Args, Debug)]
pub(crate) struct AddArgs {
    /// Name of the cluster on the platform
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    account: AccountArgs,
    /// Additional reported kind, for example services (repeatable)
    #[arg(long = "kind", value_name = "PLURAL.GROUP")]
    kinds: Vec<String>,
    /// Kubeconfig file to write; NAME.kubeconfig by default
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print the objects for 'kubectl apply -f -' and exit
    #[arg(long)]
    dry_run: bool,
}

/// A cluster to report of no more.
#[derive(clap::Args, Debug)]
pub(crate) struct RemoveArgs {
    #[command(flatten)]
    account: AccountArgs,
    #[command(flatten)]
    confirm: ConfirmArgs,
}

/// Whose account it is, and where.
#[derive(clap::Args, Debug)]
pub(crate) struct AccountArgs {
    /// Kubeconfig with permission to create accounts and roles
    #[arg(long, env = "CAUSEWAY_KUBECONFIG", value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig; by default the current one
    #[arg(long, env = "CAUSEWAY_KUBE_CONTEXT", value_name = "NAME")]
    kube_context: Option<String>,
    /// The namespace of the account
    #[arg(short, long, value_name = "NAMESPACE", value_parser = stated, default_value = "kube-system")]
    namespace: String,
    /// The name of the account and its role
    #[arg(long, value_name = "NAME", value_parser = stated, default_value = "causeway-reader")]
    account: String,
}

impl AddArgs {
    /// What it makes.
    pub(super) fn objects(&self) -> Vec<Value> {
        self.account.objects(&self.kinds)
    }

    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let objects = self.objects();
        if self.dry_run {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
            return output::line(serde_json::to_string_pretty(&list)?);
        }
        let file = self
            .out
            .unwrap_or_else(|| PathBuf::from(format!("{}.kubeconfig", self.name)));
        if file.exists() {
            bail!("{} is there already: give another --out", file.display());
        }
        let client = self.account.client().await?;
        let there = own(&client, &objects).await?;
        for (object, there) in objects.iter().zip(there) {
            let made = make(&client, object, there.is_some()).await;
            made.with_context(|| format!("cannot make the {}", named(object)))?;
        }
        let token = self.account.token(&client).await?;
        write(&file, &self.account.kubeconfig_with(&token)?)?;
        output::line(format!(
            "made the account {}/{}; start resource-event-reporter with --managed-cluster {}={}",
            self.account.namespace,
            self.account.account,
            self.name,
            file.display()
        ))
    }
}

impl RemoveArgs {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        self.confirm.confirm(&format!(
            "Delete the account {}/{} and its role?",
            self.account.namespace, self.account.account
        ))?;
        let client = self.account.client().await?;
        let objects = self.account.objects(&[]);
        let there = own(&client, &objects).await?;
        for (object, there) in objects.iter().zip(there).rev() {
            let shown = format!(
                "{} {}",
                text(object, "/kind"),
                text(object, "/metadata/name")
            );
            let gone = match there {
                Some(there) => delete(&client, object, there).await,
                None => Ok(false),
            };
            if gone.with_context(|| format!("cannot delete the {}", named(object)))? {
                output::line(format!("{shown}: deleted"))?
            } else {
                output::line(format!("{shown}: not there"))?
            }
        }
        Ok(())
    }
}

/// Each object as the cluster has it, none where it has none.
///
/// # Errors
/// One of them is not one that was made here.
async fn own(client: &Client, objects: &[Value]) -> anyhow::Result<Vec<Option<DynamicObject>>> {
    let mut found = Vec::with_capacity(objects.len());
    for object in objects {
        let api = api(client, object);
        let there = api.get_opt(text(object, "/metadata/name")).await;
        let there = there.with_context(|| format!("cannot look for the {}", named(object)))?;
        if let Some(labels) = there.as_ref().map(ResourceExt::labels) {
            check_made_here(object, labels)?;
        }
        found.push(there);
    }
    Ok(found)
}

fn check_made_here(object: &Value, labels: &BTreeMap<String, String>) -> anyhow::Result<()> {
    if labels.get(LABEL).is_some_and(|it| it == MANAGER) {
        return Ok(());
    }
    bail!(
        "the {} is there without the label {LABEL}={MANAGER}, so it is not one that 'causeway cluster add' made, and nothing was changed: give another --account, or label it",
        named(object)
    )
}

/// What came in between is left alone: what was not there is made, and what was there changed.
async fn make(client: &Client, object: &Value, is_there: bool) -> kube::Result<()> {
    let api = api(client, object);
    if is_there {
        let params = PatchParams::apply(MANAGER).force();
        let (name, patch) = (text(object, "/metadata/name"), Patch::Apply(object));
        return api.patch(name, &params, &patch).await.map(drop);
    }
    let params = PostParams {
        field_manager: Some(MANAGER.to_owned()),
        ..PostParams::default()
    };
    let object = serde_json::from_value(object.clone()).map_err(kube::Error::SerdeError)?;
    api.create(&params, &object).await.map(drop)
}

/// Whether it was still there. One that has taken its place is left alone.
async fn delete(client: &Client, object: &Value, there: DynamicObject) -> kube::Result<bool> {
    let params = DeleteParams {
        preconditions: Some(Preconditions {
            uid: there.metadata.uid,
            resource_version: None,
        }),
        ..DeleteParams::default()
    };
    let name = text(object, "/metadata/name");
    match api(client, object).delete(name, &params).await {
        Ok(_) => Ok(true),
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(false),
        Err(error) => Err(error),
    }
}

/// KIND NAMESPACE/NAME.
fn named(object: &Value) -> String {
    let (kind, name) = (text(object, "/kind"), text(object, "/metadata/name"));
    match text(object, "/metadata/namespace") {
        "" => format!("{kind} {name}"),
        namespace => format!("{kind} {namespace}/{name}"),
    }
}

impl AccountArgs {
    async fn client(&self) -> anyhow::Result<Client> {
        let args = KubeArgs {
            kubeconfig: self.kubeconfig.clone(),
            context: self.kube_context.clone(),
        };
        Ok(Cluster::open(&args).await?.client())
    }

    /// In the order in which they are made.
    fn objects(&self, kinds: &[String]) -> Vec<Value> {
        let (name, namespace) = (&self.account, &self.namespace);
        let rbac = format!("{RBAC}/v1");
        let labels = json!({LABEL: MANAGER});
        vec![
            json!({
                "apiVersion": "v1", "kind": "ServiceAccount",
                "metadata": {"name": name, "namespace": namespace, "labels": labels},
            }),
            json!({
                "apiVersion": rbac, "kind": "ClusterRole",
                "metadata": {"name": name, "labels": labels}, "rules": rules(kinds),
            }),
            json!({
                "apiVersion": rbac, "kind": "ClusterRoleBinding",
                "metadata": {"name": name, "labels": labels},
                "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": name},
                "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": namespace}],
            }),
            json!({
                "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
                "metadata": {
                    "name": format!("{name}-token"), "namespace": namespace, "labels": labels,
                    "annotations": {"kubernetes.io/service-account.name": name},
                },
            }),
        ]
    }

    /// The token that the cluster puts into the Secret.
    async fn token(&self, client: &Client) -> anyhow::Result<String> {
        let secret = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Secret"));
        let secrets: Api<DynamicObject> =
            Api::namespaced_with(client.clone(), &self.namespace, &secret);
        let name = format!("{}-token", self.account);
        let made = async {
            loop {
                let secret = secrets.get(&name).await?.data;
                if let Some(token) = secret.pointer("/data/token").and_then(Value::as_str) {
                    let token = BASE64_STANDARD.decode(token);
                    return anyhow::Ok(String::from_utf8(token.context("a token")?)?);
                }
                tokio::time::sleep(AGAIN).await;
            }
        };
        let late = || {
            format!(
                "the cluster put no token into the Secret {}/{name} within {} s",
                self.namespace,
                WITHIN.as_secs()
            )
        };
        tokio::time::timeout(WITHIN, made)
            .await
            .with_context(late)?
    }

    /// The cluster as the kubeconfig knows it, and the account in place of who made it.
    fn kubeconfig_with(&self, token: &str) -> anyhow::Result<Value> {
        let read = match &self.kubeconfig {
            Some(file) => Kubeconfig::read_from(file),
            None => Kubeconfig::read(),
        };
        let read = read.context("cannot read the kubeconfig")?;
        let wanted = self.kube_context.as_ref().or(read.current_context.as_ref());
        let context = read.contexts.iter().find(|it| Some(&it.name) == wanted);
        let context = context.and_then(|it| it.context.as_ref());
        let named = context.and_then(|context| {
            let mut clusters = read.clusters.iter();
            clusters.find(|it| it.name == context.cluster)
        });
        let cluster = named.and_then(|it| it.cluster.as_ref());
        let cluster = cluster.context("the kubeconfig names no cluster: give --kube-context")?;
        Ok(json!({
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "cluster", "cluster": cluster}],
            "users": [{"name": self.account, "user": {"token": token}}],
            "contexts": [{"name": "cluster", "context": {"cluster": "cluster", "user": self.account}}],
            "current-context": "cluster",
        }))
    }
}

/// What `resource-event-reporter` needs, as the documentation says it.
fn rules(kinds: &[String]) -> Value {
    let rule = |group: &str, resources: &[&str], verbs: &[&str]| json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
    let read = ["get", "list", "watch"];
    let mut rules = vec![
        rule(
            "argoproj.io",
            &["rollouts", "analysisruns", "workflows"],
            &read,
        ),
        rule("apps", &["replicasets"], &read),
        rule("", &["events"], &["list", "watch"]),
        rule("", &["pods"], &["get"]),
        rule(
            "apps",
            &["deployments", "statefulsets", "daemonsets"],
            &["get"],
        ),
        rule("batch", &["jobs", "cronjobs"], &["get"]),
        json!({
            "apiGroups": [""], "resources": ["namespaces"], "resourceNames": ["kube-system"],
            "verbs": ["get"],
        }),
    ];
    for kind in kinds {
        let (plural, group) = kind.split_once('.').unwrap_or((kind.as_str(), ""));
        rules.push(rule(group, &[plural], &["list", "watch"]));
    }
    Value::Array(rules)
}

fn api(client: &Client, object: &Value) -> Api<DynamicObject> {
    let (group, version) = match text(object, "/apiVersion").split_once('/') {
        Some(both) => both,
        None => ("", text(object, "/apiVersion")),
    };
    let kind = GroupVersionKind::gvk(group, version, text(object, "/kind"));
    let resource = ApiResource::from_gvk(&kind);
    match text(object, "/metadata/namespace") {
        "" => Api::all_with(client.clone(), &resource),
        namespace => Api::namespaced_with(client.clone(), namespace, &resource),
    }
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    let text = object.pointer(pointer).and_then(Value::as_str);
    text.unwrap_or_default()
}

/// Writes a kubeconfig with mode 0600.
fn write(file: &Path, kubeconfig: &Value) -> anyhow::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    let opened = options.write(true).create_new(true).mode(0o600).open(file);
    let mut opened = opened.with_context(|| format!("cannot make {}", file.display()))?;
    let text = serde_json::to_string_pretty(kubeconfig)?;
    opened
        .write_all(text.as_bytes())
        .with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests;
