//! Applications from the first comparison to the deletion.

use super::Step::{self, Apply, Commit, Now, Soon};

const ONE: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: {name}}
spec:
  replicas: 1
  selector: {matchLabels: {app: {name}}}
  template:
    metadata: {labels: {app: {name}}}
    spec: {containers: [{name: main, image: 'registry.example/main:1'}]}
";
const TWO: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: {name}}
spec:
  replicas: 2
  selector: {matchLabels: {app: {name}}}
  template:
    metadata: {labels: {app: {name}}}
    spec: {containers: [{name: main, image: 'registry.example/main:1'}]}
";
const SETTINGS: &str = "
apiVersion: v1
kind: ConfigMap
metadata: {name: {name}-settings, labels: {part: settings}}
data: {colour: green}
";
/// Hook before the sync that runs until the sync is terminated.
const HOOK: &str = "
apiVersion: v1
kind: Pod
metadata:
  name: {name}-hook
  annotations: {argocd.argoproj.io/hook: PreSync}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 0
  containers: [{name: main, image: 'registry.example/hook:1'}]
";
const NOTHING: &str = "# nothing\n";

/// Requires no running pods.
pub const APPLICATIONS: &[Step] = &[
    Commit(
        "first",
        &[("deployment.yaml", ONE), ("settings.yaml", SETTINGS)],
    ),
    Apply,
    // The desired state is shown before it exists.
    Soon(0, "app get {name}", &["OutOfSync", "Missing"]),
    Now(3, "app diff {name}", &["Deployment"]),
    Now(
        0,
        "app manifests {name}",
        &["kind: Deployment", "---", "replicas: 1"],
    ),
    Now(0, "app sync {name} --dry-run", &["(dry run)", "Succeeded"]),
    Now(4, "resource live deploy {name}/{name}", &[]),
    // The first sync.
    Now(
        0,
        "app sync {name}",
        &["Deployment/{name}", "{name}: Succeeded"],
    ),
    Now(0, "app wait {name}", &[]),
    Now(0, "app diff {name}", &[]),
    Soon(0, "app history {name}", &["{first}"]),
    Soon(
        0,
        "app tree {name}",
        &["Deployment/", "ReplicaSet/", "Pod/"],
    ),
    Soon(0, "resource list -a {name}", &["{name}"]),
    // Another commit, and a partial sync with a selector.
    Commit("second", &[("deployment.yaml", TWO)]),
    Now(0, "app refresh {name}", &["the refresh is asked for"]),
    Soon(0, "app get {name}", &["OutOfSync", "{second}"]),
    Now(3, "app diff {name}", &["replicas"]),
    Now(
        0,
        "app diff {name} --revision {second} --revision {second}",
        &[],
    ),
    Now(
        3,
        "app diff {name} --revision {first} --revision {second}",
        &["replicas"],
    ),
    Now(
        0,
        "app manifests {name} --revision {first}",
        &["replicas: 1"],
    ),
    Now(
        1,
        "app sync {name} --resource :Secret:*",
        &["causeway app tree {name}"],
    ),
    Now(
        4,
        "app sync {name} --label part=none",
        &["part=none", "causeway app manifests {name}"],
    ),
    Now(
        0,
        "app sync {name} --label part=settings",
        &["ConfigMap/{name}-settings", "Succeeded"],
    ),
    Now(
        0,
        "app wait {name} --resource :ConfigMap:{name}-settings",
        &[],
    ),
    Now(
        20,
        "app wait {name} --resource apps:Deployment:* --timeout 1s",
        &["causeway app get {name}"],
    ),
    Now(
        0,
        "app refresh -l play={name} --dry-run",
        &["(dry run)", "{name}"],
    ),
    Now(2, "app sync -l play={name}", &["NAME", "{name}", "--yes"]),
    Now(
        0,
        "app sync -l play={name} --yes --resource apps:Deployment:* --info why=because",
        &["Deployment/{name}", "Succeeded"],
    ),
    Now(0, "app sync {name} --async", &["the sync is accepted"]),
    Now(0, "app wait {name} --operation --sync --health", &[]),
    // A dry run is no result, and what is looked at is what Git has now.
    Now(0, "app sync {name} --dry-run", &["Succeeded (dry run)"]),
    Soon(0, "app get {name}", &["Operation:", "Dry run:"]),
    Now(0, "app get {name} --refresh", &["Synced"]),
    Now(0, "app resources {name}", &["Deployment", "Synced"]),
    Now(
        4,
        "app sync {name} --revision no-such-branch",
        &["no revision 'no-such-branch'"],
    ),
    Now(
        0,
        "app set {name} --sync-policy automated --self-heal --dry-run",
        &["spec.syncPolicy.automated.selfHeal"],
    ),
    Soon(0, "app resource get {name} deploy {name}", &["replicas: 2"]),
    Now(0, "app manifests {name} --source live", &["replicas: 2"]),
    // Resources.
    Now(0, "app actions list {name} --kind deploy", &["restart"]),
    Now(
        0,
        "app actions run {name} restart --kind deploy",
        &["restart was run"],
    ),
    Soon(0, "app resource get {name} deploy {name}", &["restartedAt"]),
    Now(
        0,
        "app resource delete {name} ConfigMap {name}-settings --yes",
        &["deleted"],
    ),
    Soon(0, "app get {name}", &["OutOfSync"]),
    Now(0, "app sync {name}", &["Succeeded"]),
    Soon(
        0,
        "app resource get {name} ConfigMap {name}-settings",
        &["green"],
    ),
    // Rollback, and forward to another revision.
    Now(0, "app rollback {name} 0", &["Succeeded"]),
    Soon(0, "app resource get {name} deploy {name}", &["replicas: 1"]),
    Soon(0, "app get {name}", &["OutOfSync"]),
    Now(1, "app rollback {name} 99", &["causeway app history"]),
    Now(
        0,
        "app set {name} --revision {first} --dry-run",
        &["would change", "targetRevision"],
    ),
    Now(0, "app set {name} --revision {first}", &["it is set"]),
    Soon(0, "app get {name}", &["Synced", "@ {first}"]),
    Now(0, "app set {name} --revision main", &["it is set"]),
    Soon(0, "app get {name}", &["OutOfSync", "@ main"]),
    Now(0, "app sync {name}", &["Succeeded"]),
    // Only the user terminates the running operation.
    Now(1, "app terminate-op {name}", &["no operation is under way"]),
    Commit("third", &[("hook.yaml", HOOK)]),
    Now(
        0,
        "app refresh {name} --hard",
        &["the refresh is asked for"],
    ),
    Soon(0, "app manifests {name}", &["{name}-hook"]),
    Now(0, "app sync {name} --async", &["the sync is accepted"]),
    Soon(0, "app get {name}", &["Running", "waiting for"]),
    Now(1, "app sync {name}", &["another operation is under way"]),
    Now(
        20,
        "app wait {name} --operation --timeout 1s",
        &["causeway app get {name}"],
    ),
    Now(
        0,
        "app terminate-op {name} --dry-run",
        &["(dry run)", "{name}"],
    ),
    Now(0, "app terminate-op {name}", &["the operation is to end"]),
    Now(0, "app wait {name} --operation", &[]),
    Soon(0, "app get {name}", &["Failed", "terminated"]),
    Commit("fourth", &[("hook.yaml", NOTHING)]),
    Now(0, "app refresh {name} --hard", &[]),
    Now(0, "app sync {name} --prune", &["Succeeded"]),
    Now(0, "app wait {name}", &[]),
    // Objects other than applications.
    Now(0, "appset list", &[]),
    Soon(0, "project list", &["default"]),
    Now(0, "project get argocd/default", &["default"]),
    Now(0, "project windows argocd/default", &[]),
    // The end.
    Now(2, "app delete {name}", &["--yes"]),
    Now(
        0,
        "app delete {name} --cascade false --dry-run",
        &["(dry run)", "leave what it deployed", "{name}"],
    ),
    Now(0, "app get {name}", &["{name}"]),
    Now(
        0,
        "app delete {name} --yes --wait",
        &["the application has gone"],
    ),
    Soon(4, "app get {name}", &[]),
    Soon(4, "resource live deploy {name}/{name}", &[]),
    Now(4, "app delete {name} --yes", &["no application"]),
    Now(
        0,
        "app delete east/argocd/{name} --uid of-what-is-gone --yes",
        &["the deletion is accepted"],
    ),
    Soon(0, "audit list --method SyncApplication", &["{name}"]),
    Soon(0, "audit list --method DeleteApplication", &["{name}"]),
    Now(0, "audit verify", &["verified"]),
];
