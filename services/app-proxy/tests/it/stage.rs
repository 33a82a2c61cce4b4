//! A sandbox with an application in it, and handlers on it.

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use causeway_app_proxy::{
    ActionContext, Actions, Handler, LiveResources, LogHandler, Logs, Policy, ResourceHandler,
    RolloutHandler, Rollouts, ScopeTarget, Subjects, WorkflowHandler, Workflows,
};
use causeway_argocd::{Argocd, ArgocdArgs, Cluster, redact::Redactor};
use causeway_assertion::{Scope, Subject};
use causeway_client::reason;
use causeway_proto::{error::v1::Reason, ids::RequestId, proxy::v1 as pb};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_shell::{Caller, Shell, TestStop};
use causeway_testkit::wait_until;
use serde_json::{Value, json};
use tempfile::TempDir;
use tonic::{Code, Request, Status};

const MOST: Duration = Duration::from_secs(120);
pub(crate) const ALL: &str = "read,sync,refresh,terminate,rollback,delete,update,logs,exec,resource-action,resource-delete,rollout,workflow";
/// A Pod that nobody starts, so that a sync with it does not end.
const HELD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: hold\n  namespace: default\n  annotations: {argocd.argoproj.io/hook: PreSync}\n\
    spec:\n  schedulerName: nobody\n  restartPolicy: Never\n  containers: [{name: one, image: registry.example.com/one}]\n";

pub(crate) struct Stage {
    pub(crate) sandbox: Sandbox,
    folder: TempDir,
}

/// A handler with tasks, until it is dropped.
pub(crate) struct Served {
    pub(crate) handler: LogHandler,
    _stop: TestStop,
}

impl Stage {
    /// With an application `web` of one ConfigMap, and `batch` without anything.
    pub(crate) async fn set() -> Self {
        causeway_shell::install_crypto();
        let options = SandboxOptions {
            // What holds an operation is a pod that does not end.
            pod_run: None,
            ..SandboxOptions::in_memory()
        };
        let sandbox = Sandbox::start(options).await.unwrap();
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\ndata: {a: '1'}\n";
        let files = [("web/a.yaml", map), ("held/hold.yaml", HELD)];
        let pushed = sandbox.push("apps", &files, "first").await;
        pushed.unwrap();
        let stage = Self {
            sandbox,
            folder: tempfile::tempdir().unwrap(),
        };
        stage.write("web", &json!({}));
        stage
            .wait("web", "compared", |app| {
                app.pointer("/status/sync/status").is_some()
            })
            .await;
        stage
    }

    /// Writes an Application as it is.
    pub(crate) fn write(&self, name: &str, more: &Value) {
        let mut object = json!({
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "metadata": {"namespace": "argocd", "name": name},
            "spec": {
                "project": "default",
                "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
                "source": {"repoURL": self.sandbox.git_url("apps"), "path": "web", "targetRevision": "main"},
            },
        });
        for (field, value) in more.as_object().unwrap() {
            object[field] = value.clone();
        }
        self.sandbox
            .kube()
            .write_raw("applications.argoproj.io", object)
            .unwrap();
    }

    /// Writes an Application whose syncs do not end by themselves.
    pub(crate) async fn hold(&self, name: &str) {
        self.write(
            name,
            &json!({"spec": {
                "project": "default",
                "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
                "source": {"repoURL": self.sandbox.git_url("apps"), "path": "held", "targetRevision": "main"},
            }}),
        );
        self.wait(name, "compared", |app| {
            app.pointer("/status/sync/status").is_some()
        })
        .await;
    }

    /// Waits until the operation of a request waits for its hook.
    pub(crate) async fn held(&self, name: &str, request_id: &str) {
        self.wait(name, "the operation waits", |app| {
            let state = &app["status"]["operationState"];
            state["operation"]["info"].to_string().contains(request_id)
                && state["message"]
                    .as_str()
                    .is_some_and(|it| it.starts_with("waiting for"))
        })
        .await;
    }

    /// Waits until no operation is under way.
    pub(crate) async fn idle(&self, name: &str) {
        self.wait(name, "no operation is under way", |app| {
            app["operation"].is_null() && app["status"]["operationState"]["finishedAt"].is_string()
        })
        .await;
    }

    /// Waits until there is no such Application.
    pub(crate) async fn gone(&self, name: &str) {
        wait_until("the application has gone", MOST, async || {
            let truth = self.sandbox.kube().snapshot();
            let found = truth.find("Application", "argocd", name);
            found.map_or(Ok(()), |found| Err(found.object.to_string()))
        })
        .await;
    }

    /// Changes an Application as somebody else would.
    pub(crate) async fn patch(&self, name: &str, patch: &Value) {
        let kind = kube::core::GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
        let resource = kube::api::ApiResource::from_gvk(&kind);
        let client = self.sandbox.kube().client();
        let api: kube::Api<kube::api::DynamicObject> =
            kube::Api::namespaced_with(client, "argocd", &resource);
        let patch = kube::api::Patch::Merge(patch);
        let params = kube::api::PatchParams::default();
        api.patch(name, &params, &patch).await.unwrap();
    }

    pub(crate) fn live(&self, name: &str) -> Value {
        let truth = self.sandbox.kube().snapshot();
        truth
            .find("Application", "argocd", name)
            .unwrap()
            .object
            .clone()
    }

    pub(crate) async fn wait(&self, name: &str, what: &str, is: impl Fn(&Value) -> bool) -> Value {
        wait_until(what, MOST, async || {
            let live = self.live(name);
            if is(&live) {
                Ok(live)
            } else {
                Err(live.to_string())
            }
        })
        .await
    }

    /// Waits until the operation of a request has ended.
    pub(crate) async fn ended(&self, name: &str, request_id: &str) -> Value {
        self.wait(name, "the end of the operation", |app| {
            let state = &app["status"]["operationState"];
            state["operation"]["info"].to_string().contains(request_id)
                && state["finishedAt"].is_string()
        })
        .await
    }

    /// How often an application was deployed.
    pub(crate) fn deployments(&self, name: &str) -> usize {
        self.live(name)["status"]["history"]
            .as_array()
            .map_or(0, Vec::len)
    }

    pub(crate) fn token_file(&self, token: &str) -> PathBuf {
        let file = self.folder.path().join("token");
        fs::write(&file, format!("{token}\n")).unwrap();
        file
    }

    /// Acts by Argo CD's API.
    pub(crate) fn by_api(&self) -> Handler {
        self.handler(ALL, &self.argocd())
    }

    /// The sandbox's Argo CD, with its token.
    pub(crate) fn argocd(&self) -> ArgocdArgs {
        ArgocdArgs {
            argocd_server: Some(self.sandbox.argocd_url().parse().unwrap()),
            argocd_token_file: Some(self.token_file(self.sandbox.argocd_token())),
            ..ArgocdArgs::default()
        }
    }

    /// Acts by the object alone.
    pub(crate) fn by_patch(&self) -> Handler {
        self.handler(ALL, &ArgocdArgs::default())
    }

    pub(crate) fn handler(&self, allowed: &str, argocd: &ArgocdArgs) -> Handler {
        Self::handler_on(self.sandbox.kube().client(), allowed, argocd)
    }

    /// A handler with a client of the cluster.
    pub(crate) fn handler_on(client: kube::Client, allowed: &str, argocd: &ArgocdArgs) -> Handler {
        Handler::new(Actions::new(Self::setup(client, allowed, argocd)))
    }

    /// A handler of single resources with a client of the cluster.
    pub(crate) fn resources_on(
        client: kube::Client,
        allowed: &str,
        argocd: &ArgocdArgs,
    ) -> ResourceHandler {
        let setup = Arc::new(Self::setup(client, allowed, argocd));
        ResourceHandler::new(LiveResources::new(Subjects::new(setup)))
    }

    /// A handler of single resources that may do everything.
    pub(crate) fn resources(&self) -> ResourceHandler {
        Self::resources_on(self.sandbox.kube().client(), ALL, &self.argocd())
    }

    /// Has the cluster serve one more kind of `argoproj.io`; Rollouts alone have a status of their own.
    pub(crate) fn define(&self, kind: &str, plural: &str) {
        let mut version = json!({
            "name": "v1alpha1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        });
        if kind == "Rollout" {
            version["subresources"] = json!({"status": {}});
        }
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.argoproj.io")},
            "spec": {
                "group": "argoproj.io",
                "scope": "Namespaced",
                "names": {"plural": plural, "singular": kind.to_lowercase(), "kind": kind, "listKind": format!("{kind}List")},
                "versions": [version],
            },
        });
        let kube = self.sandbox.kube();
        kube.write_raw("customresourcedefinitions.apiextensions.k8s.io", definition)
            .unwrap();
    }

    pub(crate) fn workflows(&self, allowed: &str) -> WorkflowHandler {
        Self::workflows_on(self.sandbox.kube().client(), allowed)
    }

    /// A handler of a runtime that may look into these namespaces alone.
    pub(crate) fn within(&self, namespaces: &[&str]) -> Handler {
        let client = self.sandbox.kube().client();
        let setup = Self::setup(client, ALL, &ArgocdArgs::default());
        Handler::new(Actions::new(ActionContext {
            namespaces: namespaces.iter().map(|it| (*it).to_owned()).collect(),
            ..setup
        }))
    }

    /// A handler of workflows with a client of the cluster.
    pub(crate) fn workflows_on(client: kube::Client, allowed: &str) -> WorkflowHandler {
        let setup = Arc::new(Self::setup(client, allowed, &ArgocdArgs::default()));
        WorkflowHandler::new(Workflows::new(Subjects::new(setup)))
    }

    pub(crate) fn rollouts(&self, allowed: &str) -> RolloutHandler {
        Self::rollouts_on(self.sandbox.kube().client(), allowed)
    }

    /// A handler of rollouts with a client of the cluster.
    pub(crate) fn rollouts_on(client: kube::Client, allowed: &str) -> RolloutHandler {
        let setup = Arc::new(Self::setup(client, allowed, &ArgocdArgs::default()));
        RolloutHandler::new(Rollouts::new(Subjects::new(setup)))
    }

    /// A handler of logs with a client of the cluster.
    pub(crate) fn logs_on(client: kube::Client, allowed: &str, argocd: &ArgocdArgs) -> Served {
        let setup = Arc::new(Self::setup(client, allowed, argocd));
        let (shell, stop) = Shell::for_test("app-proxy");
        let handler = LogHandler::new(Logs::new(Subjects::new(setup), shell));
        Served {
            handler,
            _stop: stop,
        }
    }

    /// A handler of logs that may do everything.
    pub(crate) fn logs(&self) -> Served {
        Self::logs_on(self.sandbox.kube().client(), ALL, &self.argocd())
    }

    fn setup(client: kube::Client, allowed: &str, argocd: &ArgocdArgs) -> ActionContext {
        let cluster = Cluster::with_client(client, "the stage");
        let entries = allowed.split(',').map(|entry| entry.parse().unwrap());
        ActionContext {
            argocd: Argocd::open(argocd, &cluster).unwrap(),
            cluster,
            policy: Policy::new(entries),
            place: ScopeTarget {
                runtime: "local".parse().unwrap(),
                cluster: "in-cluster".to_owned(),
            },
            namespaces: Vec::new(),
            redactor: Redactor::new(b"a key"),
        }
    }
}

pub(crate) fn by<T>(scope: Scope, message: T) -> Request<T> {
    by_user("admin", scope, message)
}

pub(crate) fn by_user<T>(user: &str, scope: Scope, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.extensions_mut().insert(Arc::new(Caller {
        subject: Subject::User(user.parse().unwrap()),
        account: "default".parse().unwrap(),
        runtime: None,
        scope,
        request_id: None,
        issued_at: causeway_assertion::now(),
        jti: None,
        credential: None,
    }));
    request
}

pub(crate) fn by_admin<T>(message: T) -> Request<T> {
    by(Scope::everything("admin"), message)
}

/// The same, asked in a later second than whatever was done before: an operation is dated by seconds.
pub(crate) async fn next_second<T>(message: T) -> Request<T> {
    let before = causeway_assertion::now();
    wait_until("the next second", MOST, async || {
        let now = causeway_assertion::now();
        (now > before).then_some(()).ok_or(now.to_string())
    })
    .await;
    by_admin(message)
}

pub(crate) fn sync(name: &str, request_id: &str) -> pb::SyncApplicationRequest {
    pb::SyncApplicationRequest {
        runtime: "local".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        request_id: request_id.to_owned(),
        ..pb::SyncApplicationRequest::default()
    }
}

pub(crate) fn refresh(name: &str, request_id: &str) -> pb::RefreshApplicationRequest {
    pb::RefreshApplicationRequest {
        runtime: "local".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        request_id: request_id.to_owned(),
        ..pb::RefreshApplicationRequest::default()
    }
}

pub(crate) fn terminate(name: &str, request_id: &str) -> pb::TerminateOperationRequest {
    pb::TerminateOperationRequest {
        runtime: "local".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        request_id: request_id.to_owned(),
    }
}

pub(crate) fn rollback(name: &str, request_id: &str) -> pb::RollbackApplicationRequest {
    pb::RollbackApplicationRequest {
        runtime: "local".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        request_id: request_id.to_owned(),
        history_id: Some(0),
        ..pb::RollbackApplicationRequest::default()
    }
}

pub(crate) fn delete(name: &str, request_id: &str, uid: &str) -> pb::DeleteApplicationRequest {
    pb::DeleteApplicationRequest {
        runtime: "local".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        request_id: request_id.to_owned(),
        uid: uid.to_owned(),
        ..pb::DeleteApplicationRequest::default()
    }
}

pub(crate) fn new_id() -> String {
    RequestId::generate().to_string()
}

pub(crate) fn refused(status: &Status, code: Code, why: Reason, words: &str) {
    assert_eq!(
        (status.code(), reason(status)),
        (code, Some(why)),
        "{status}"
    );
    assert!(status.message().contains(words), "{status}");
    assert!(!status.message().contains('\n'), "{status}");
}
