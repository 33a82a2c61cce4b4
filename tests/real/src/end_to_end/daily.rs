//! What an operator does by the day, on a real Argo CD and real Argo Rollouts, by the tunnel and by ingress.

use causeway_sandbox::git::Commit;
use causeway_testkit::{
    APPLICATIONS, Access, Finished, Processes, ROLLOUTS, Reached, Setting, Stage, play,
};
use serde_json::Value;

use crate::clusters::{Shared, block_on, shared};

const ALL: &str = "read,sync,refresh,terminate,rollback,delete,update,logs,resource-action,resource-delete,rollout,workflow";

/// The cluster of all tests, and parts of its own.
struct Real {
    shared: Shared<'static>,
    processes: Processes,
}

impl Real {
    fn set(access: Access) -> Option<Self> {
        let shared = shared()?;
        let argocd = shared.plain();
        let read = |file: &std::path::Path| std::fs::read_to_string(file).unwrap();
        let authority = argocd.ca_file.as_ref();
        let authority = authority.map(|file| format!("--argocd-ca-file={}", file.display()));
        let namespace = format!("--argocd-namespace={}", argocd.namespace);
        let reached = Reached {
            kubeconfig: read(&shared.kubeconfig()),
            argocd_url: argocd.url.to_string(),
            argocd_token: read(&argocd.admin_token_file),
            argocd_flags: authority.into_iter().chain([namespace]).collect(),
        };
        let setting = Setting {
            access,
            allow: ALL,
            ..Setting::default()
        };
        let processes = Processes::start(&reached, setting);
        Some(Self { shared, processes })
    }
}

impl Stage for Real {
    fn cli(&self, arguments: &[&str]) -> Finished {
        self.processes.cli(arguments)
    }

    fn commit(&self, repository: &str, files: &[(String, String)]) -> String {
        let commit = Commit::new("A commit of the play");
        let commit = files.iter().fold(commit, |commit, (file, text)| {
            commit.write(file, text.as_str())
        });
        let git = self.shared.cluster.git();
        block_on(async {
            if git.repository(repository).is_err() {
                git.create(repository).await.unwrap();
            }
            git.commit(repository, &commit).await.unwrap().to_string()
        })
    }

    fn url(&self, repository: &str) -> String {
        self.shared.cluster.git().url(repository)
    }

    fn create(&self, object: Value) {
        self.shared.create(object);
    }

    fn said(&self) -> String {
        self.processes.logs()
    }
}

#[test]
fn the_daily_work_is_done_by_the_tunnel() {
    let Some(stage) = Real::set(Access::Tunnel) else {
        return;
    };
    play(&stage, "daily-dug", APPLICATIONS);
    play(&stage, "rolled-dug", ROLLOUTS);
}

#[test]
fn the_daily_work_is_done_by_ingress_where_there_is_no_tunnel() {
    let Some(stage) = Real::set(Access::Ingress) else {
        return;
    };
    play(&stage, "daily-let-in", APPLICATIONS);
    play(&stage, "rolled-let-in", ROLLOUTS);
}
