//! What an operator does by the day, on a sandbox, by the tunnel and by ingress.

use causeway_sandbox::{Rollouts, Sandbox, SandboxOptions};
use causeway_testkit::{
    APPLICATIONS, Access, Finished, PODS, Processes, Programs, ROLLOUTS, Setting, Stage, play,
};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::parts::reached;

const ALL: &str = "read,sync,refresh,terminate,rollback,delete,update,logs,exec,resource-action,resource-delete,rollout,workflow";

/// A sandbox of this process, and the parts beside it.
pub(crate) struct Simulated {
    processes: Processes,
    sandbox: Sandbox,
    runtime: Runtime,
}

impl Simulated {
    fn set(access: Access) -> Self {
        Self::of(access, ALL, Programs::default())
    }

    /// Where users may do this, with these programs.
    pub(crate) fn of(access: Access, allow: &str, programs: Programs<'_>) -> Self {
        let options = SandboxOptions {
            // A hook goes on until somebody ends it.
            pod_run: None,
            rollouts: Rollouts::Simulated,
            ..SandboxOptions::in_memory()
        };
        let runtime = Runtime::new().unwrap();
        let sandbox = runtime.block_on(Sandbox::start(options)).unwrap();
        let setting = Setting {
            access,
            allow,
            programs,
            ..Setting::default()
        };
        Self {
            processes: Processes::start(&reached(&sandbox), setting),
            sandbox,
            runtime,
        }
    }
}

impl Stage for Simulated {
    fn cli(&self, arguments: &[&str]) -> Finished {
        self.processes.cli(arguments)
    }

    fn commit(&self, repository: &str, files: &[(String, String)]) -> String {
        let files = files
            .iter()
            .map(|(file, text)| (file.as_str(), text.as_str()));
        let files: Vec<_> = files.collect();
        let pushed = self
            .sandbox
            .push(repository, &files, "A commit of the play");
        self.runtime.block_on(pushed).unwrap()
    }

    fn url(&self, repository: &str) -> String {
        self.sandbox.git_url(repository)
    }

    fn create(&self, object: Value) {
        let kube = self.sandbox.kube();
        kube.write_raw("applications.argoproj.io", object).unwrap();
    }

    fn said(&self) -> String {
        self.processes.logs()
    }
}

#[test]
fn the_daily_work_is_done_by_the_tunnel() {
    let stage = Simulated::set(Access::Tunnel);
    play(&stage, "daily", APPLICATIONS);
    play(&stage, "rolled", ROLLOUTS);
    play(&stage, "talking", PODS);
}

#[test]
fn the_daily_work_is_done_by_ingress_where_there_is_no_tunnel() {
    let stage = Simulated::set(Access::Ingress);
    let tunnel = stage
        .processes
        .parts
        .iter()
        .find(|it| it.name.contains("tunnel"));
    assert!(tunnel.is_none());
    play(&stage, "daily", APPLICATIONS);
    play(&stage, "rolled", ROLLOUTS);
    play(&stage, "talking", PODS);
    whoever_has_an_assertion_calls_the_runtime_itself(&stage);
}

/// Where only clients reach the runtime's URL: the platform signs, and never sees the call.
fn whoever_has_an_assertion_calls_the_runtime_itself(stage: &Simulated) {
    let token = ["token", "GetLiveApplication", "--runtime", "east"];
    let token = stage.cli(&token).expect_success();
    let folder = stage.processes.folder.path();
    let authority = std::fs::read(folder.join("ingress/ca.pem")).unwrap();
    let authority = reqwest::Certificate::from_pem(&authority).unwrap();
    let client = reqwest::Client::builder().no_proxy();
    let client = client.add_root_certificate(authority).build().unwrap();
    let router = stage.processes.parts.iter();
    let mut router = router.filter(|it| it.name == "runtime/request-router");
    let address = router.next().unwrap().address();
    let path = "v1/runtimes/east/applications/argocd/talking/live";
    let url = format!("https://{address}/{path}");
    let ask = |credential: &str| {
        let request = client.get(&url).bearer_auth(credential.trim());
        let answer = stage.runtime.block_on(request.send()).unwrap();
        let status = answer.status().as_u16();
        (status, stage.runtime.block_on(answer.text()).unwrap())
    };
    let (status, text) = ask(&token);
    assert_eq!(status, 200, "{text}");
    let key = std::fs::read_to_string(folder.join("platform/admin.key")).unwrap();
    let (status, text) = ask(&key);
    assert_eq!(status, 401, "a key of the platform is nothing here: {text}");
}
