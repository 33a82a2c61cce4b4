//! Permissions that the parts of a runtime need in the cluster.
//!
//! The installer grants them, and Kubernetes forbids granting more than one has.

use futures::{StreamExt as _, stream};
use serde_json::{Value, json};

use super::{
    Access, InstallationArgs,
    finding::Finding,
    kube::{Kube, ReadError},
};

const CHECK: &str = "permissions";
const AT_ONCE: usize = 16;

/// Something that a part does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Right {
    pub(super) part: &'static str,
    pub(super) group: &'static str,
    pub(super) resource: &'static str,
    pub(super) verb: &'static str,
    /// The one object that it is for; any if empty.
    pub(super) name: &'static str,
}

const APPLICATIONS: &str = "application-event-reporter";
const RESOURCES: &str = "resource-event-reporter";
const PROXY: &str = "app-proxy";
const KEEPER: &str = "key-keeper";
/// The chart's own look before an installation.
const PREFLIGHT: &str = "preflight";

const fn right(
    part: &'static str,
    group: &'static str,
    resource: &'static str,
    verb: &'static str,
) -> Right {
    let name = "";
    Right {
        part,
        group,
        resource,
        verb,
        name,
    }
}

/// Rights of parts, by the verbs of each resource.
type Rights = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// What is needed however little users may do.
const ALWAYS: [Rights; 9] = [
    (PREFLIGHT, "argoproj.io", &["applications"], &["list"]),
    (PREFLIGHT, "apps", &["deployments"], &["list"]),
    (
        APPLICATIONS,
        "argoproj.io",
        &["applications"],
        &["list", "watch"],
    ),
    (
        PROXY,
        "argoproj.io",
        &["applications"],
        &["get", "list", "patch"],
    ),
    (RESOURCES, "argoproj.io", &["applications"], &["get"]),
    (
        RESOURCES,
        "argoproj.io",
        &[
            "rollouts",
            "analysisruns",
            "workflows",
            "applicationsets",
            "appprojects",
        ],
        &["get", "list", "watch"],
    ),
    (
        RESOURCES,
        "apps",
        &["replicasets"],
        &["get", "list", "watch"],
    ),
    (RESOURCES, "", &["events"], &["list", "watch"]),
    (RESOURCES, "", &["pods"], &["get"]),
];
/// What owns what is reported, and what users see live.
const READ: [Rights; 9] = [
    (
        RESOURCES,
        "apps",
        &["deployments", "statefulsets", "daemonsets"],
        &["get"],
    ),
    (RESOURCES, "batch", &["jobs", "cronjobs"], &["get"]),
    (RESOURCES, "argoproj.io", &["cronworkflows"], &["get"]),
    (
        PROXY,
        "",
        &[
            "services",
            "endpoints",
            "configmaps",
            "persistentvolumeclaims",
            "serviceaccounts",
            "replicationcontrollers",
            "resourcequotas",
            "limitranges",
        ],
        &["get"],
    ),
    (PROXY, "apps", &["controllerrevisions"], &["get"]),
    (
        PROXY,
        "networking.k8s.io",
        &["ingresses", "networkpolicies"],
        &["get"],
    ),
    (
        PROXY,
        "autoscaling",
        &["horizontalpodautoscalers"],
        &["get"],
    ),
    (PROXY, "policy", &["poddisruptionbudgets"], &["get"]),
    (PROXY, "discovery.k8s.io", &["endpointslices"], &["get"]),
];
/// What is needed for what users may do.
const BY_ACTION: [(&str, Rights); 11] = [
    ("exec", (PROXY, "", &["pods"], &["list"])),
    ("exec", (PROXY, "", &["pods/exec"], &["get", "create"])),
    (
        "delete",
        (PROXY, "argoproj.io", &["applications"], &["delete"]),
    ),
    ("logs", (PROXY, "", &["pods"], &["list", "watch"])),
    ("logs", (PROXY, "", &["pods/log"], &["get"])),
    (
        "rollout",
        (
            PROXY,
            "argoproj.io",
            &["rollouts", "rollouts/status"],
            &["patch"],
        ),
    ),
    (
        "workflow",
        (PROXY, "argoproj.io", &["workflows"], &["create", "patch"]),
    ),
    (
        "workflow",
        (
            PROXY,
            "argoproj.io",
            &["workflowtemplates", "cronworkflows"],
            &["get"],
        ),
    ),
    ("workflow", (PROXY, "", &["pods"], &["list", "delete"])),
    ("resource-delete", (PROXY, "", &["pods"], &["delete"])),
    (
        "resource-delete",
        (PROXY, "apps", &["replicasets"], &["delete"]),
    ),
];
/// In the namespace of the runtime itself.
pub(super) const OWN: [Right; 2] = [
    right(KEEPER, "", "secrets", "get"),
    right(KEEPER, "", "secrets", "patch"),
];
/// By which one cluster is known from another.
const IDENTITY: Right = Right {
    name: "kube-system",
    ..right(APPLICATIONS, "", "namespaces", "get")
};

/// What the parts need where users may do this.
pub(super) fn needed(allow: &[String]) -> Vec<Right> {
    let may = |action: &str| {
        let named = allow.iter().filter_map(|entry| entry.split(':').next());
        let mut named = named.flat_map(|actions| actions.split('+'));
        named.any(|named| named.trim() == action)
    };
    let asked = BY_ACTION.iter().filter(|(action, _)| may(action));
    let all = ALWAYS
        .iter()
        .chain(&READ)
        .chain(asked.map(|(_, rights)| rights));
    let mut needed = vec![IDENTITY];
    for (part, group, resources, verbs) in all {
        for resource in *resources {
            needed.extend(verbs.iter().map(|verb| right(part, group, resource, verb)));
        }
    }
    needed
}

impl Right {
    pub(super) fn text(&self) -> String {
        let dot = if self.group.is_empty() { "" } else { "." };
        format!("{} {}{dot}{}", self.verb, self.resource, self.group)
    }

    fn review(&self, namespace: &str) -> Value {
        let (resource, subresource) = self.resource.split_once('/').unwrap_or((self.resource, ""));
        let namespace = if self.name.is_empty() { namespace } else { "" };
        json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {
                "group": self.group, "resource": resource, "subresource": subresource,
                "verb": self.verb, "name": self.name, "namespace": namespace,
            }},
        })
    }
}

async fn allowed(kube: &Kube, right: Right, namespace: &str) -> Result<bool, ReadError> {
    let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let answer = kube.post(path, &right.review(namespace)).await?;
    Ok(answer["status"]["allowed"] == true)
}

/// Checks that the current user may grant the permissions of the parts.
pub(super) async fn check(kube: &Kube, args: &InstallationArgs) -> Vec<Finding> {
    let everywhere = vec![String::new()];
    let spaces = if args.scope_namespaces.is_empty() {
        everywhere
    } else {
        args.scope_namespaces.clone()
    };
    let kind = if args.scope_namespaces.is_empty() {
        "clusterroles"
    } else {
        "roles"
    };
    let mut asked = Vec::new();
    for space in &spaces {
        asked.extend(
            needed(&args.allow)
                .into_iter()
                .map(|it| (it, space.clone())),
        );
        let group = "rbac.authorization.k8s.io";
        asked.push((right("the installer", group, kind, "create"), space.clone()));
    }
    let everywhere = args.scope_namespaces.is_empty();
    if everywhere && args.access == Access::Ingress {
        let classes = right(PREFLIGHT, "networking.k8s.io", "ingressclasses", "list");
        asked.push((classes, String::new()));
    }
    if everywhere && args.access == Access::HttpRoute {
        let gateways = right(PREFLIGHT, "gateway.networking.k8s.io", "gateways", "get");
        asked.push((gateways, String::new()));
    }
    asked.extend(OWN.map(|it| (it, args.namespace.clone())));
    asked.push((
        right("the installer", "apps", "deployments", "create"),
        args.namespace.clone(),
    ));
    let answers = stream::iter(asked.clone()).map(async |(right, space)| {
        let answer = allowed(kube, right, &space).await;
        (right, space, answer)
    });
    let answers: Vec<_> = answers.buffered(AT_ONCE).collect().await;
    vec![verdict(&answers)]
}

fn verdict(answers: &[(Right, String, Result<bool, ReadError>)]) -> Finding {
    let why = "Kubernetes forbids granting more than one has, and without it parts leave out objects that they cannot read";
    if let Some(error) = answers
        .iter()
        .find_map(|(_, _, answer)| answer.as_ref().err())
    {
        let what = format!("it cannot be asked what is allowed: {}", error.text());
        let todo = "run this as the user that installs the runtime";
        return Finding::unknown(CHECK, what, (why, todo));
    }
    let missing = answers
        .iter()
        .filter(|(_, _, answer)| matches!(answer, Ok(false)));
    let missing: Vec<String> = missing
        .map(|(right, space, _)| match space.as_str() {
            "" => format!("{} ({})", right.text(), right.part),
            space => format!("{} in {space} ({})", right.text(), right.part),
        })
        .collect();
    if missing.is_empty() {
        let what = format!(
            "all {} rights that the parts need can be granted",
            answers.len()
        );
        return Finding::ok(CHECK, what);
    }
    let what = format!(
        "{} of {} are missing: {}",
        missing.len(),
        answers.len(),
        missing.join(", ")
    );
    let todo = "install it as a user who has them, for example a cluster admin, or only for some namespaces with --scope-namespace";
    Finding::fail(CHECK, what, (why, todo))
}
