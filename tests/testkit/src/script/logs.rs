//! Logs of pods that run.

use super::Step::{self, Apply, Commit, Now, Soon};

/// What it writes depends on who runs it, and it writes something.
const TALKER: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: {name}}
spec:
  replicas: 2
  selector: {matchLabels: {app: {name}}}
  template:
    metadata: {labels: {app: {name}}}
    spec:
      terminationGracePeriodSeconds: 0
      containers:
        - name: main
          image: registry.local/tools:1
          command: [bash, -c, 'while :; do echo \"hello from $HOSTNAME simulates\"; sleep 1; done']
";

/// Needs pods whose logs can be read: real ones, or the sandbox's.
pub const LOGS: &[Step] = &[
    Commit("first", &[("deployment.yaml", TALKER)]),
    Apply,
    Soon(0, "app get {name}", &["OutOfSync"]),
    Now(0, "app sync {name}", &["Succeeded"]),
    Now(0, "app wait {name} --health", &[]),
    Soon(0, "app logs {name}", &["simulates"]),
    Now(
        0,
        "app logs {name} --tail 1 --prefix always",
        &["[{name}-", "simulates"],
    ),
    Now(
        0,
        "app logs {name} --resource deploy/{name} --since 10m",
        &["simulates"],
    ),
    Now(
        0,
        "resource logs deploy/{name} -n {name} --grep SIMULATES -i",
        &["simulates"],
    ),
    Now(
        0,
        "resource logs deploy/{name} -n {name} --container main",
        &["simulates"],
    ),
    Now(0, "app logs {name} --grep never-written", &[]),
    Now(4, "resource logs no-such-pod -n {name}", &[]),
];
