//! Objects in the cluster: each call is bounded in time, each list in number.

use std::time::Duration;

use causeway_argocd::{Cluster, ClusterError};
use causeway_git_source::{Kind, Object, text};
use jiff::Timestamp;
use json_patch::{
    AddOperation, Patch as JsonPatch, PatchOperation, TestOperation, jsonptr::PointerBuf,
};
use kube::{
    Api,
    api::{
        ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams,
        Preconditions,
    },
    core::GroupVersionKind,
};
use serde_json::{Value, json};
use tokio::time::timeout;

/// Name under which the API server records the fields that this part owns.
const FIELD_MANAGER: &str = "causeway-gitops-operator";
const WITHIN: Duration = Duration::from_secs(15);
const PAGE: u32 = 500;
/// No more objects of a kind are read from one namespace.
const MOST: usize = 5_000;
const LONGEST_MESSAGE: usize = 1_000;

/// A kind of objects that the operator reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ObjectKind {
    Source(Kind),
    Project,
    Application,
    ApplicationSet,
    Event,
}

/// Why the cluster did not do it.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum ObjectError {
    #[error("{0} changed meanwhile; it is read again")]
    Conflict(String),
    #[error("{0} was created by another client meanwhile; it is read again")]
    Exists(String),
    #[error("the cluster refuses {name}: {cause}")]
    Refused { name: String, cause: String },
    #[error(transparent)]
    Cluster(ClusterError),
}

/// Objects of the cluster. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Objects {
    cluster: Cluster,
}

impl ObjectKind {
    pub(crate) fn resource(self) -> ApiResource {
        let (group, version, kind, plural) = match self {
            Self::Source(kind) => (kind.group(), kind.version(), Kind::NAME, Kind::PLURAL),
            Self::Project => ("argoproj.io", "v1alpha1", "AppProject", "appprojects"),
            Self::Application => ("argoproj.io", "v1alpha1", "Application", "applications"),
            Self::ApplicationSet => (
                "argoproj.io",
                "v1alpha1",
                "ApplicationSet",
                "applicationsets",
            ),
            Self::Event => ("", "v1", "Event", "events"),
        };
        let kind = GroupVersionKind::gvk(group, version, kind);
        ApiResource::from_gvk_with_plural(&kind, plural)
    }
}

impl Objects {
    pub(crate) fn new(cluster: Cluster) -> Self {
        Self { cluster }
    }

    pub(crate) fn all(&self, kind: ObjectKind) -> Api<DynamicObject> {
        Api::all_with(self.cluster.client(), &kind.resource())
    }

    pub(crate) fn within(&self, kind: ObjectKind, namespace: &str) -> Api<DynamicObject> {
        Api::namespaced_with(self.cluster.client(), namespace, &kind.resource())
    }

    /// Whether the API server serves a kind of sources.
    pub(crate) async fn is_served(&self, kind: Kind) -> Result<bool, ObjectError> {
        let client = self.cluster.client();
        let group = kind.api_version();
        let served = self
            .bounded(&group, client.list_api_group_resources(&group))
            .await?;
        Ok(served.is_some_and(|list| list.resources.iter().any(|it| it.name == Kind::PLURAL)))
    }

    /// Returns an object; none if it or its kind is absent.
    pub(crate) async fn get(
        &self,
        kind: ObjectKind,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, ObjectError> {
        let found = self.within(kind, namespace);
        let found = self.bounded(name, found.get(name)).await?;
        found.map(to_value).transpose()
    }

    /// Lists the objects of a namespace; none if the kind is absent.
    pub(crate) async fn list(
        &self,
        kind: ObjectKind,
        namespace: &str,
    ) -> Result<Vec<Value>, ObjectError> {
        let api = self.within(kind, namespace);
        let mut objects = Vec::new();
        let mut params = ListParams::default().limit(PAGE);
        while let Some(page) = self.bounded(namespace, api.list(&params)).await? {
            for object in page.items {
                objects.push(to_value(object)?);
            }
            match page.metadata.continue_.filter(|it| !it.is_empty()) {
                Some(token) if objects.len() < MOST => params = params.continue_token(&token),
                _ => break,
            }
        }
        Ok(objects)
    }

    pub(crate) async fn create(
        &self,
        kind: ObjectKind,
        object: &Value,
    ) -> Result<Value, ObjectError> {
        let (namespace, name) = place(object);
        let params = PostParams {
            field_manager: Some(FIELD_MANAGER.to_owned()),
            ..PostParams::default()
        };
        let new = from_value(object)?;
        let api = self.within(kind, namespace);
        let created = self.bounded(name, api.create(&params, &new)).await?;
        to_value(created.ok_or_else(|| absent(name))?)
    }

    /// Applies an object by server-side apply.
    pub(crate) async fn apply(
        &self,
        kind: ObjectKind,
        object: &Value,
    ) -> Result<Value, ObjectError> {
        let (namespace, name) = place(object);
        let params = PatchParams::apply(FIELD_MANAGER).force();
        self.patch(
            kind,
            (namespace, name),
            &params,
            &Patch::Apply(object.clone()),
        )
        .await
    }

    /// Replaces the spec of the very version that was read.
    pub(crate) async fn replace_spec(
        &self,
        kind: ObjectKind,
        read: &Value,
        spec: &Value,
    ) -> Result<Value, ObjectError> {
        let version = text(read, "/metadata/resourceVersion");
        let patch = JsonPatch(vec![
            PatchOperation::Test(TestOperation {
                path: PointerBuf::from_tokens(["metadata", "resourceVersion"]),
                value: version.into(),
            }),
            PatchOperation::Add(AddOperation {
                path: PointerBuf::from_tokens(["spec"]),
                value: spec.clone(),
            }),
        ]);
        let patch = Patch::<Value>::Json(patch);
        self.patch(kind, place(read), &by_us(), &patch).await
    }

    /// Sets the finalizers of the very version that was read.
    pub(crate) async fn set_finalizers(
        &self,
        kind: ObjectKind,
        read: &Value,
        finalizers: &[String],
    ) -> Result<Value, ObjectError> {
        let version = text(read, "/metadata/resourceVersion");
        let patch = json!({"metadata": {"resourceVersion": version, "finalizers": finalizers}});
        self.patch(kind, place(read), &by_us(), &Patch::Merge(patch))
            .await
    }

    pub(crate) async fn set_status(
        &self,
        object: &Object,
        status: &Value,
    ) -> Result<(), ObjectError> {
        let api = self.within(ObjectKind::Source(object.kind), &object.namespace);
        let patch = Patch::Merge(json!({"status": status}));
        let params = by_us();
        let patched = api.patch_status(&object.name, &params, &patch);
        self.bounded::<DynamicObject>(&object.name, patched)
            .await
            .map(drop)
    }

    /// Deletes the very object that was read; an absent one is fine.
    pub(crate) async fn delete(&self, kind: ObjectKind, read: &Value) -> Result<(), ObjectError> {
        let (namespace, name) = place(read);
        let params = DeleteParams {
            preconditions: Some(Preconditions {
                uid: Some(text(read, "/metadata/uid").to_owned()),
                resource_version: None,
            }),
            ..DeleteParams::background()
        };
        let api = self.within(kind, namespace);
        self.bounded(name, api.delete(name, &params))
            .await
            .map(drop)
    }

    /// Writes an event about a source. A failure is logged only.
    pub(crate) async fn record_event(
        &self,
        object: &Object,
        (reason, message): (&str, &str),
        kind: &str,
    ) {
        let now = Timestamp::now();
        let name = format!("{}.{:x}", object.name, now.as_nanosecond());
        let event = json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"name": name, "namespace": object.namespace},
            "involvedObject": {
                "apiVersion": object.kind.api_version(), "kind": Kind::NAME,
                "namespace": object.namespace, "name": object.name, "uid": object.uid,
            },
            "reason": reason,
            "message": message.chars().take(LONGEST_MESSAGE).collect::<String>(),
            "type": kind,
            "count": 1,
            "firstTimestamp": seconds(now), "lastTimestamp": seconds(now),
            "source": {"component": FIELD_MANAGER},
            "reportingComponent": FIELD_MANAGER, "reportingInstance": FIELD_MANAGER,
        });
        if let Err(error) = self.create(ObjectKind::Event, &event).await {
            tracing::debug!(%error, source = object.name, reason, "an event was not written");
        }
    }

    async fn patch(
        &self,
        kind: ObjectKind,
        (namespace, name): (&str, &str),
        params: &PatchParams,
        patch: &Patch<Value>,
    ) -> Result<Value, ObjectError> {
        let api = self.within(kind, namespace);
        let patched = self.bounded(name, api.patch(name, params, patch)).await?;
        to_value(patched.ok_or_else(|| absent(name))?)
    }

    /// Waits for an answer; none for an absent object or kind.
    async fn bounded<T>(
        &self,
        name: &str,
        call: impl Future<Output = kube::Result<T>>,
    ) -> Result<Option<T>, ObjectError> {
        let answer = timeout(WITHIN, call).await.map_err(|_| {
            ObjectError::Cluster(ClusterError::Unreachable {
                url: self.cluster.url().to_owned(),
                cause: format!("no answer within {} s", WITHIN.as_secs()),
            })
        })?;
        let error = match answer {
            Ok(answer) => return Ok(Some(answer)),
            Err(error) => error,
        };
        let kube::Error::Api(status) = &error else {
            return Err(ObjectError::Cluster(self.cluster.explain(&error)));
        };
        match status.code {
            404 => Ok(None),
            409 if status.reason == "AlreadyExists" => Err(ObjectError::Exists(name.to_owned())),
            409 => Err(ObjectError::Conflict(name.to_owned())),
            400 | 422 => Err(ObjectError::Refused {
                name: name.to_owned(),
                cause: status.message.chars().take(LONGEST_MESSAGE).collect(),
            }),
            _ => Err(ObjectError::Cluster(self.cluster.explain(&error))),
        }
    }
}

/// A time as the status of objects has it.
pub(crate) fn seconds(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn by_us() -> PatchParams {
    PatchParams {
        field_manager: Some(FIELD_MANAGER.to_owned()),
        ..PatchParams::default()
    }
}

fn place(object: &Value) -> (&str, &str) {
    (
        text(object, "/metadata/namespace"),
        text(object, "/metadata/name"),
    )
}

fn absent(name: &str) -> ObjectError {
    ObjectError::Conflict(name.to_owned())
}

fn to_value(object: DynamicObject) -> Result<Value, ObjectError> {
    serde_json::to_value(object).map_err(|error| malformed(&error))
}

fn from_value(object: &Value) -> Result<DynamicObject, ObjectError> {
    serde_json::from_value(object.clone()).map_err(|error| malformed(&error))
}

fn malformed(error: &serde_json::Error) -> ObjectError {
    ObjectError::Refused {
        name: "an object".to_owned(),
        cause: error.to_string(),
    }
}
