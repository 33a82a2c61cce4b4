//! Parent Application of an Application (app of apps), read from Argo CD's tracking metadata.

use std::sync::Arc;

use causeway_argocd::application::{Application, TRACKING_ID};

/// Known namespaces of Argo CDs.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArgoCdNamespaces(Arc<[String]>);

impl ArgoCdNamespaces {
    pub(crate) fn new(namespaces: Vec<String>) -> Self {
        Self(namespaces.into())
    }

    /// Returns namespace and name. The annotation counts only if it names this object, because a copied manifest keeps the
    /// annotation of its origin. Argo CD writes an Application of another namespace as `namespace_name`.
    pub(crate) fn parent_of<'a>(
        &'a self,
        application: &'a Application,
    ) -> Option<(&'a str, &'a str)> {
        let metadata = &application.metadata;
        let tracking = metadata.annotations.get(TRACKING_ID)?;
        let (parent, rest) = tracking.split_once(':')?;
        let (kind, object) = rest.split_once(':')?;
        let (namespace, name) = object.split_once('/')?;
        let is_own = (namespace, name) == (metadata.namespace.as_str(), metadata.name.as_str());
        if kind != "argoproj.io/Application" || !is_own {
            return None;
        }
        let in_default_namespace = || Some((self.default_namespace(&metadata.namespace)?, parent));
        parent.split_once('_').or_else(in_default_namespace)
    }

    /// Returns the namespace of Applications that an object of `namespace` names without one; none if several are possible.
    fn default_namespace<'a>(&'a self, namespace: &'a str) -> Option<&'a str> {
        match &*self.0 {
            [] => Some(namespace),
            several if several.iter().any(|it| it == namespace) => Some(namespace),
            [one] => Some(one),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parent(argocds: &[&str], own: (&str, &str), id: &str) -> Option<String> {
        let (namespace, name) = own;
        let annotations = json!({TRACKING_ID: id});
        let application = Application::from_value(json!({"metadata": {
            "namespace": namespace, "name": name, "uid": "u", "resourceVersion": "7",
            "annotations": annotations,
        }}));
        let argocds = ArgoCdNamespaces::new(argocds.iter().map(ToString::to_string).collect());
        let application = application.unwrap();
        let parent = argocds.parent_of(&application);
        parent.map(|(namespace, name)| format!("{namespace}/{name}"))
    }

    #[test]
    fn parent_requires_an_annotation_about_this_object() {
        let own = "argoproj.io/Application:argocd/web";
        let of_web = |id: &str| parent(&[], ("argocd", "web"), id);
        assert_eq!(of_web(&format!("apps:{own}")).unwrap(), "argocd/apps");
        assert_eq!(of_web(&format!("team_apps:{own}")).unwrap(), "team/apps");
        for id in [
            "apps:argoproj.io/Application:argocd/copied-from",
            "apps:apps/Deployment:argocd/web",
            "nonsense",
        ] {
            assert_eq!(of_web(id), None, "{id}");
        }
    }

    #[test]
    fn parent_without_namespace_belongs_to_the_argo_cd_of_its_child() {
        let of_child = |argocds: &[&str], namespace: &str| {
            let id = format!("apps:argoproj.io/Application:{namespace}/web");
            parent(argocds, (namespace, "web"), &id).unwrap_or_default()
        };
        let both = ["argocd", "second-argocd"];
        assert_eq!(of_child(&both, "argocd"), "argocd/apps");
        assert_eq!(of_child(&both, "second-argocd"), "second-argocd/apps");
        assert_eq!(of_child(&both[..1], "team-a"), "argocd/apps");
        assert_eq!(of_child(&both, "team-a"), "", "it may be of either");
        assert_eq!(of_child(&[], "team-a"), "team-a/apps");
    }
}
