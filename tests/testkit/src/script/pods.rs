//! Logs of running pods, and commands in them.

use super::Step::{self, Apply, Commit, Now, Soon};

/// Its output depends on its user and is never empty.
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

/// Requires running pods, real ones or the sandbox's.
pub const PODS: &[Step] = &[
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
    // Commands end with their own exit codes.
    Now(0, "app exec {name} -- env", &["HOSTNAME={name}-"]),
    Now(
        0,
        "resource exec deploy/{name} -n {name} -- echo hello there",
        &["hello there"],
    ),
    Now(1, "app exec {name} -- false", &[]),
    Now(127, "app exec {name} -- sh -c never-there", &["not found"]),
    Now(1, "app exec {name} -- never-there", &["not found"]),
    Now(4, "app exec {name} -c other -- true", &["other"]),
];
