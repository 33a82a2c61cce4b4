//! A rollout: promoted through its pauses, aborted, retried and undone.

use super::Step::{self, Apply, Commit, Now, Soon};

const ROLLOUT: &str = "
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: {name}}
spec:
  replicas: 2
  selector: {matchLabels: {app: {name}}}
  strategy: {canary: {steps: [{setWeight: 50}, {pause: {}}, {pause: {}}]}}
  template:
    metadata: {labels: {app: {name}}}
    spec: {containers: [{name: main, image: 'registry.example/main:1'}]}
";

/// Requires the controller of Argo Rollouts.
pub const ROLLOUTS: &[Step] = &[
    Commit("first", &[("rollout.yaml", ROLLOUT)]),
    Apply,
    Soon(0, "app get {name}", &["OutOfSync"]),
    Now(0, "app sync {name}", &["Succeeded"]),
    Soon(0, "rollout list", &["{name}", "canary", "Healthy", "2/2"]),
    Soon(0, "rollout status {name} --watch=false", &["Healthy"]),
    // Promoted to the end, pause by pause.
    Now(
        0,
        "rollout set-image {name} main=registry.example/main:2",
        &["given the image"],
    ),
    Soon(
        0,
        "rollout get {name}",
        &["Paused", "1/3", "revision 2", "canary", "main:2"],
    ),
    Now(0, "rollout status {name} --watch=false", &["Paused"]),
    Now(0, "rollout promote {name}", &["promoted"]),
    Soon(0, "rollout get {name}", &["Paused", "2/3"]),
    Now(0, "rollout promote {name}", &["promoted"]),
    Soon(0, "rollout get {name}", &["Healthy", "3/3"]),
    Now(
        0,
        "rollout set-image {name} main=registry.example/main:2",
        &["is so already"],
    ),
    // Aborted and retried.
    Now(
        0,
        "rollout set-image {name} main=registry.example/main:3",
        &["given the image"],
    ),
    Soon(0, "rollout get {name}", &["Paused", "1/3", "revision 3"]),
    Now(0, "rollout abort {name}", &["aborted"]),
    Soon(
        0,
        "rollout get {name}",
        &["Degraded", "the stable revision serves again"],
    ),
    Soon(3, "rollout status {name} --watch=false", &["Degraded"]),
    Now(0, "rollout retry {name}", &["retried"]),
    Soon(0, "rollout get {name}", &["Paused", "1/3", "revision 3"]),
    Now(0, "rollout promote {name} --full", &["fully promoted"]),
    Soon(0, "rollout get {name}", &["Healthy", "3/3", "revision 3"]),
    Now(0, "rollout status {name} --timeout 2m", &["Healthy"]),
    // Undone.
    Now(0, "rollout undo {name} --to-revision 1", &["undone"]),
    Soon(0, "rollout get {name}", &["Paused", "1/3", "revision 4"]),
    Now(0, "rollout promote {name} --full", &["fully promoted"]),
    Soon(0, "rollout get {name}", &["Healthy", "revision 4"]),
    Now(1, "rollout undo {name} --to-revision 99", &["revision 99"]),
    // Paused by a user, and all pods restarted.
    Now(0, "rollout pause {name}", &["paused"]),
    Soon(0, "rollout status {name} --watch=false", &["Paused"]),
    Now(0, "rollout resume {name}", &["resumed"]),
    Soon(0, "rollout status {name} --watch=false", &["Healthy"]),
    Now(0, "rollout restart {name}", &["restarts in"]),
    Soon(0, "rollout list", &["{name}", "Healthy", "2/2"]),
    Now(
        0,
        "app delete {name} --yes --wait",
        &["the application has gone"],
    ),
    Soon(4, "rollout get {name}", &[]),
];
