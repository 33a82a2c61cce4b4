//! A kind as a person types it: `Deployment`, `deploy`, `rollouts.argoproj.io`, `Widget.example.org`.

use std::str::FromStr;

/// Kinds by the names that kubectl has for them, the first one as their objects say it.
const KNOWN: [(&str, &[&str]); 29] = [
    ("", &["Pod", "po", "pods"]),
    ("", &["Service", "svc", "services"]),
    ("", &["ConfigMap", "cm", "configmaps"]),
    ("", &["Secret", "secrets"]),
    ("", &["ServiceAccount", "sa", "serviceaccounts"]),
    (
        "",
        &["PersistentVolumeClaim", "pvc", "persistentvolumeclaims"],
    ),
    ("", &["Namespace", "ns", "namespaces"]),
    (
        "",
        &["ReplicationController", "rc", "replicationcontrollers"],
    ),
    ("", &["Endpoints", "ep"]),
    ("", &["ResourceQuota", "quota", "resourcequotas"]),
    ("", &["LimitRange", "limits", "limitranges"]),
    ("apps", &["Deployment", "deploy", "deployments"]),
    ("apps", &["StatefulSet", "sts", "statefulsets"]),
    ("apps", &["DaemonSet", "ds", "daemonsets"]),
    ("apps", &["ReplicaSet", "rs", "replicasets"]),
    ("batch", &["Job", "jobs"]),
    ("batch", &["CronJob", "cj", "cronjobs"]),
    ("networking.k8s.io", &["Ingress", "ing", "ingresses"]),
    (
        "networking.k8s.io",
        &["NetworkPolicy", "netpol", "networkpolicies"],
    ),
    (
        "autoscaling",
        &["HorizontalPodAutoscaler", "hpa", "horizontalpodautoscalers"],
    ),
    (
        "policy",
        &["PodDisruptionBudget", "pdb", "poddisruptionbudgets"],
    ),
    ("rbac.authorization.k8s.io", &["Role", "roles"]),
    (
        "rbac.authorization.k8s.io",
        &["RoleBinding", "rolebindings"],
    ),
    (
        "argoproj.io",
        &["Application", "app", "apps", "applications"],
    ),
    ("argoproj.io", &["Rollout", "ro", "rollouts"]),
    ("argoproj.io", &["AnalysisRun", "ar", "analysisruns"]),
    ("argoproj.io", &["Workflow", "wf", "workflows"]),
    ("argoproj.io", &["CronWorkflow", "cwf", "cronworkflows"]),
    (
        "argoproj.io",
        &["ApplicationSet", "appset", "applicationsets"],
    ),
];

/// A kind and its API group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind {
    /// None for an unknown kind without a group.
    pub(crate) group: Option<String>,
    pub(crate) kind: String,
}

/// A kind and a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reference {
    pub(crate) kind: Kind,
    pub(crate) name: String,
}

impl Kind {
    /// True if an object is of this kind.
    pub(crate) fn is(&self, group: &str, kind: &str) -> bool {
        let grouped = self.group.as_deref().is_none_or(|own| own == group);
        grouped && self.kind.eq_ignore_ascii_case(kind)
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, group) = match text.split_once('.') {
            Some((name, group)) => (name, Some(group)),
            None => (text, None),
        };
        let is_known = |(own, names): &&(&str, &[&str])| {
            let named = names.iter().any(|known| known.eq_ignore_ascii_case(name));
            named && group.is_none_or(|group| group == *own)
        };
        if let Some((group, names)) = KNOWN.iter().find(is_known) {
            return Ok(Self {
                group: Some((*group).to_owned()),
                kind: names[0].to_owned(),
            });
        }
        let plain = |text: &str| {
            let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
            !text.is_empty() && text.bytes().all(inner)
        };
        if !plain(name) || !group.is_none_or(plain) {
            return Err("write a kind, for example Deployment or Rollout.argoproj.io".to_owned());
        }
        Ok(Self {
            group: group.map(str::to_owned),
            kind: name.to_owned(),
        })
    }
}

impl FromStr for Reference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, name) = text.split_once('/').unwrap_or(("Pod", text));
        if name.is_empty() || name.contains('/') {
            return Err("write KIND/NAME, for example deploy/web, or the name of a pod".to_owned());
        }
        Ok(Self {
            kind: kind.parse()?,
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_by_the_names_that_kubectl_has_for_it() {
        for (text, group, kind) in [
            ("deploy", Some("apps"), "Deployment"),
            ("Deployments", Some("apps"), "Deployment"),
            ("pod", Some(""), "Pod"),
            ("rollouts.argoproj.io", Some("argoproj.io"), "Rollout"),
            ("Widget.example.org", Some("example.org"), "Widget"),
            ("Widget", None, "Widget"),
            ("Deployment.example.org", Some("example.org"), "Deployment"),
        ] {
            let read: Kind = text.parse().unwrap();
            assert_eq!(
                (read.group.as_deref(), &*read.kind),
                (group, kind),
                "{text}"
            );
        }
        for text in ["", "a b", "x/y", ".x", "a."] {
            assert!(text.parse::<Kind>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_alone_is_that_of_a_pod() {
        let read = |text: &str| text.parse::<Reference>().map(|it| (it.kind.kind, it.name));
        let of = |kind: &str, name: &str| Ok((kind.to_owned(), name.to_owned()));
        assert_eq!(read("web-1"), of("Pod", "web-1"));
        assert_eq!(read("sts/web"), of("StatefulSet", "web"));
        assert!(read("sts/").is_err() && read("a/b/c").is_err());
    }
}
