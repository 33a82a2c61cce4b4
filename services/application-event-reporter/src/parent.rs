//! Parent Application of an Application (app of apps), read from Argo CD's tracking metadata.

use std::sync::Arc;

use causeway_argocd::application::{Application, TRACKING_ID};

/// The namespaces that Argo CDs run in, as far as they are known.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArgoCds(Arc<[String]>);

impl ArgoCds {
    pub(crate) fn of(namespaces: Vec<String>) -> Self {
        Self(namespaces.into())
    }

    /// Namespace and name. The annotation counts only where it is about this very object: a copy of a manifest carries its origin's
    /// annotation along. In it an Application of another namespace than Argo CD's is written `namespace_name`.
    pub(crate) fn parent_of<'a>(
        &'a self,
        application: &'a Application,
    ) -> Option<(&'a str, &'a str)> {
        let metadata = &application.metadata;
        let tracking = metadata.annotations.get(TRACKING_ID)?;
        let (parent, rest) = tracking.split_once(':')?;
        let (kind, object) = rest.split_once(':')?;
        let (namespace, name) = object.split_once('/')?;
        let own = (namespace, name) == (metadata.namespace.as_str(), metadata.name.as_str());
        if kind != "argoproj.io/Application" || !own {
            return None;
        }
        let elsewhere = || Some((self.report_operations_only(&metadata.namespace)?, parent));
        parent.split_once('_').or_else(elsewhere)
    }

    /// Where the Applications are that are named without a namespace on one of this namespace; nothing where that may be one of
    /// several.
    fn report_operations_only<'a>(&'a self, namespace: &'a str) -> Option<&'a str> {
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
        let argocds = ArgoCds::of(argocds.iter().map(ToString::to_string).collect());
        let application = application.unwrap();
        let parent = argocds.parent_of(&application);
        parent.map(|(namespace, name)| format!("{namespace}/{name}"))
    }

    #[test]
    fn a_parent_is_told_only_by_an_annotation_about_this_very_object() {
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
    fn a_parent_without_a_namespace_is_of_the_argo_cd_that_has_its_child() {
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
