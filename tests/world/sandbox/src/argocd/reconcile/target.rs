//! Desired and live resources of an application.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::Reconciler;
use crate::argocd::{
    application::{Application, ApplicationKey, SpecError},
    cluster::ClusterError,
    compare::{Comparison, Target, belongs_to, tracking_id},
    manifest::{
        GroupKind, ResourceKey, TRACKING, encode_secret, images, key_of, metadata, object_in,
        set_annotation,
    },
    source::SourceError,
};

impl Reconciler {
    /// The rendered objects, each in its namespace and with the mark of the application.
    pub(crate) async fn targets(
        &self,
        application: &Application,
        objects: &[Value],
    ) -> Result<Vec<Target>, ClusterError> {
        let instance = application.key.instance(&self.namespace);
        let mut targets = Vec::with_capacity(objects.len());
        for object in objects {
            let Some(kind) = GroupKind::of(object) else {
                continue;
            };
            let namespaced = self
                .live
                .watch(&kind)
                .await?
                .is_none_or(|served| served.namespaced);
            let mut value = object.clone();
            encode_secret(&mut value);
            place(
                &mut value,
                namespaced.then_some(application.spec.destination.namespace.as_str()),
            );
            let Some(key) = key_of(&value) else { continue };
            set_annotation(&mut value, TRACKING, tracking_id(&instance, &key));
            targets.push(Target {
                key,
                version: kind.version,
                value,
            });
        }
        Ok(targets)
    }

    /// Live objects of the targets, and all others that the application tracks.
    pub(super) async fn live_of(
        &self,
        application: &Application,
        targets: &[Target],
    ) -> Result<BTreeMap<ResourceKey, Value>, ClusterError> {
        let mut live = self.known_live(application).await?;
        for target in targets {
            if let Some(value) = self.live.get(&target.key) {
                live.insert(target.key.clone(), value);
            }
        }
        Ok(live)
    }

    /// Tracked objects, also of kinds that the last status lists.
    pub(super) async fn known_live(
        &self,
        application: &Application,
    ) -> Result<BTreeMap<ResourceKey, Value>, ClusterError> {
        for resource in &application.status.resources {
            let kind = GroupKind::new(&resource.group, &resource.version, &resource.kind);
            self.live.watch(&kind).await?;
        }
        Ok(self.tracked(&application.key))
    }

    pub(crate) fn tracked(&self, key: &ApplicationKey) -> BTreeMap<ResourceKey, Value> {
        self.live
            .select(|resource, value| belongs_to(key, &self.namespace, resource, value))
    }

    /// There is nothing to compare with: the source cannot be read.
    pub(super) async fn no_target(
        &self,
        application: &Application,
        number: usize,
        error: &SourceError,
    ) -> Result<Comparison, ClusterError> {
        let count = application.origin().map_or(1, |it| it.sources.len());
        let message = format!(
            "Failed to load target state: failed to generate manifest for source {number} of {count}: rpc error: code = Unknown desc = {error}"
        );
        let live = self.known_live(application).await?;
        Ok(Comparison::failed(
            application,
            live,
            "ComparisonError",
            message,
        ))
    }

    /// Images of the pods that the application's resources own, or that are its resources.
    pub(super) fn images(&self, comparison: &Comparison) -> Vec<String> {
        let known = comparison.resources.iter().chain(&comparison.live_hooks);
        let live = known.filter_map(|one| Some((one.key.clone(), one.live.clone()?)));
        let all = self.live.with_descendants(live.collect());
        let pods = all.iter().filter(|(key, _)| key.kind == "Pod");
        let images: BTreeSet<String> = pods.flat_map(|(_, pod)| images(pod)).collect();
        images.into_iter().collect()
    }

    pub(super) async fn invalid(
        &self,
        application: &Application,
        error: &SpecError,
    ) -> Result<Comparison, ClusterError> {
        let live = self.known_live(application).await?;
        Ok(Comparison::failed(
            application,
            live,
            "InvalidSpecError",
            error.to_string(),
        ))
    }
}

/// Namespaced objects without a namespace go to the destination's; cluster-wide ones have none.
fn place(value: &mut Value, destination: Option<&str>) {
    let empty = metadata(value, "namespace").is_empty();
    let Some(metadata) = object_in(value, "metadata") else {
        return;
    };
    match destination {
        None => drop(metadata.remove("namespace")),
        Some(namespace) if empty => drop(metadata.insert("namespace".to_owned(), namespace.into())),
        Some(_) => {}
    }
}
