//! An Application that is being deleted: its resources go first when its finalizer asks for that.

use serde_json::json;

use super::{Reconciler, RoundResult};
use crate::argocd::{
    application::Application,
    cluster::ClusterError,
    manifest::{GroupKind, has_sync_option, metadata},
};

impl Reconciler {
    pub(super) async fn remove(
        &self,
        application: &Application,
    ) -> Result<RoundResult, ClusterError> {
        if !application.cascades() {
            return Ok(RoundResult::Rest);
        }
        for resource in &application.status.resources {
            self.live
                .watch(&GroupKind::new(
                    &resource.group,
                    &resource.version,
                    &resource.kind,
                ))
                .await?;
        }
        let mut remaining = self.tracked(&application.key);
        remaining.retain(|key, value| {
            !has_sync_option(value, "Delete=false") && !application.is_self(key)
        });
        for (key, live) in &remaining {
            if metadata(live, "deletionTimestamp").is_empty() {
                self.live.delete(key, live).await?;
            }
        }
        // the watch reports each deletion, which leads back here
        if !remaining.is_empty() {
            return Ok(RoundResult::Rest);
        }
        let patch = json!({"metadata": {"finalizers": application.other_finalizers()}});
        match self.patch_application(&application.key, &patch).await {
            Ok(_) | Err(ClusterError::Refused { code: 404, .. }) => Ok(RoundResult::Rest),
            Err(error) => Err(error),
        }
    }
}
