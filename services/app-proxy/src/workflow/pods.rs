//! The pods of a workflow's steps.

use std::{collections::BTreeMap, time::Duration};

use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api, ResourceExt as _,
    api::{DeleteParams, ListParams, Preconditions},
};
use serde_json::Value;
use tokio::time::timeout;

use super::{PREFIX, text};
use crate::subject::{Resources, SubjectError};

const PAGE: u32 = 500;
const WITHIN: Duration = Duration::from_secs(15);

/// Pods of steps, each as the one that it was when they were listed.
pub(super) struct Pods {
    resources: Resources,
    api: Api<Pod>,
    found: Vec<(String, Option<String>)>,
}

impl Pods {
    /// Those of some nodes, by the nodes' ids and names, of this very workflow.
    pub(super) async fn of(
        resources: Resources,
        workflow: &Value,
        nodes: &BTreeMap<String, String>,
    ) -> Result<Self, SubjectError> {
        let namespace = text(workflow, "/metadata/namespace");
        let api: Api<Pod> = Api::namespaced(resources.client(), namespace);
        let label = format!("{PREFIX}workflow={}", text(workflow, "/metadata/name"));
        let mut params = ListParams::default().labels(&label).limit(PAGE);
        let mut found = Vec::new();
        loop {
            let page = within(&resources, api.list(&params)).await?;
            let meant = page.items.iter().filter(|pod| is_of(pod, workflow, nodes));
            found.extend(meant.map(|pod| (pod.name_any(), pod.uid())));
            params.continue_token = page.metadata.continue_.filter(|token| !token.is_empty());
            if params.continue_token.is_none() {
                return Ok(Self {
                    resources,
                    api,
                    found,
                });
            }
        }
    }

    /// Deletes them, and none that has taken the name of one meanwhile.
    pub(super) async fn delete(&self) -> Result<(), SubjectError> {
        for (name, uid) in &self.found {
            let params = DeleteParams {
                preconditions: Some(Preconditions {
                    uid: uid.clone(),
                    resource_version: None,
                }),
                ..DeleteParams::default()
            };
            let deleted = self.api.delete(name, &params);
            let deleted = timeout(WITHIN, deleted).await;
            match deleted.map_err(|_| SubjectError::Late)? {
                Ok(_) => {}
                Err(kube::Error::Api(status)) if matches!(status.code, 404 | 409) => {}
                Err(error) => return Err(self.resources.explain(&error)),
            }
        }
        Ok(())
    }
}

async fn within<T>(
    resources: &Resources,
    asked: impl Future<Output = kube::Result<T>>,
) -> Result<T, SubjectError> {
    let answer = timeout(WITHIN, asked).await;
    let answer = answer.map_err(|_| SubjectError::Late)?;
    answer.map_err(|error| resources.explain(&error))
}

fn is_of(pod: &Pod, workflow: &Value, nodes: &BTreeMap<String, String>) -> bool {
    let uid = text(workflow, "/metadata/uid");
    let owned = pod.owner_references().iter().any(|owner| owner.uid == uid);
    let said = |name: &str| pod.annotations().get(&format!("{PREFIX}{name}"));
    let id = said("node-id").is_some_and(|id| nodes.contains_key(id));
    let name = said("node-name").is_some_and(|name| nodes.values().any(|it| it == name));
    owned && (id || name)
}
