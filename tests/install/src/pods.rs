//! The pods of the charts, and their processes as this machine sees them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::stage::Stage;

/// A pod of one part.
#[derive(Clone, Debug)]
pub(crate) struct Pod {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) part: String,
    uid: String,
    /// of the node, by which its cgroups are called
    number: u8,
}

/// Those of a namespace that run and are to go on.
pub(crate) fn pods(stage: &Stage, namespace: &str) -> Vec<Pod> {
    let number = stage.cluster().host().unwrap().octets()[2];
    let listed = stage.list(&["pods", "--namespace", namespace]);
    let listed = listed.iter().filter(|pod| {
        pod["status"]["phase"] == "Running" && pod["metadata"]["deletionTimestamp"].is_null()
    });
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    listed
        .map(|pod| Pod {
            namespace: namespace.to_owned(),
            name: text(&pod["metadata"]["name"]),
            part: text(&pod["metadata"]["labels"]["app.kubernetes.io/component"]),
            uid: text(&pod["metadata"]["uid"]),
            number,
        })
        .collect()
}

/// Waits until every Deployment and StatefulSet of a namespace has its pods.
pub(crate) fn settle(stage: &Stage, namespace: &str) {
    for kind in ["deployments", "statefulsets"] {
        for object in stage.list(&[kind, "--namespace", namespace]) {
            let name = format!("{kind}/{}", object["metadata"]["name"].as_str().unwrap());
            let status = [
                "rollout",
                "status",
                &name,
                "--namespace",
                namespace,
                "--timeout=300s",
            ];
            let told = stage.kubectl(&status);
            assert!(
                told.status.success(),
                "{told:?}\n{}",
                describe(stage, namespace)
            );
        }
    }
}

/// How pods are and what they said last, for a test that fails.
pub(crate) fn describe(stage: &Stage, namespace: &str) -> String {
    let mut text = stage
        .kubectl(&["get", "pods", "-o", "wide", "-n", namespace])
        .stdout;
    for pod in stage.list(&["pods", "--namespace", namespace]) {
        let name = pod["metadata"]["name"].as_str().unwrap_or_default();
        let words = [
            "logs",
            "-n",
            namespace,
            name,
            "--all-containers",
            "--tail=8",
        ];
        text += &format!("{name}:\n{}", stage.kubectl(&words).stdout);
    }
    text
}

impl Pod {
    /// Of all its containers. One that is not there has been ended.
    pub(crate) fn cgroup(&self, controller: &str) -> PathBuf {
        let top = format!(
            "/sys/fs/cgroup/{controller}/causeway-node-{}/kubepods",
            self.number
        );
        let own = format!("pod{}", self.uid);
        let classes = ["", "besteffort", "burstable"];
        let places = classes.map(|class| Path::new(&top).join(class).join(&own));
        let found = places.iter().find(|place| place.exists());
        found.unwrap_or(&places[0]).clone()
    }

    /// Kills the processes of its containers, as the kernel does when memory is short, but for the pause that holds its place. Whether
    /// there was one.
    pub(crate) fn kill(&self) -> bool {
        let processes = self.processes();
        let killed = processes.iter().filter_map(|id| Pid::from_raw(*id));
        // One that has ended meanwhile is none that was killed.
        killed
            .filter(|id| kill_process(*id, Signal::KILL).is_ok())
            .count()
            > 0
    }

    fn processes(&self) -> Vec<i32> {
        let containers = fs::read_dir(self.cgroup("memory"))
            .into_iter()
            .flatten()
            .flatten();
        let lists = containers.map(|container| container.path().join("cgroup.procs"));
        let ids = lists.flat_map(|list| fs::read_to_string(list).ok());
        let ids = ids.flat_map(|ids| ids.lines().flat_map(str::parse).collect::<Vec<i32>>());
        ids.filter(|id| !is_pause(*id)).collect()
    }
}

fn is_pause(process: i32) -> bool {
    let name = fs::read_to_string(format!("/proc/{process}/comm"));
    name.is_ok_and(|name| name.trim() == "pause")
}
