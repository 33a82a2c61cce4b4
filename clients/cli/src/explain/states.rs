//! The states of applications, operations, rollouts, runtimes and parts.

use super::Explanation;

const HEALTH: &str = "health";
const SYNC: &str = "sync state";
const OPERATION: &str = "operation";
const RUNTIME: &str = "runtime";
const PART: &str = "part";
const REPORT: &str = "what is shown";

pub(super) const ALL: &[Explanation] = &[
    Explanation {
        word: "Healthy",
        kind: HEALTH,
        means: "Everything that the application consists of works.",
        why: &["the health check of each resource says so"],
        next: &[],
    },
    Explanation {
        word: "Progressing",
        kind: HEALTH,
        means: "It does not work yet, and may by itself.",
        why: &[
            "new pods start, or old ones end",
            "a load balancer has no address yet",
            "a rollout goes from step to step",
        ],
        next: &[
            "watch it with 'causeway app get NAME --watch'",
            "where it stays so, see what Kubernetes says with 'causeway event list --application NAME'",
        ],
    },
    Explanation {
        word: "Degraded",
        kind: HEALTH,
        means: "Something of it failed, or did not work within its time.",
        why: &[
            "pods crash, or their image cannot be pulled",
            "a Deployment ran over its progressDeadlineSeconds",
            "an analysis run of a rollout failed",
            "an application that this one made is degraded",
        ],
        next: &[
            "see which resource it is with 'causeway app tree NAME'",
            "see the errors with 'causeway app get NAME' and 'causeway event list --application NAME'",
            "see what changed with 'causeway app timeline NAME' and 'causeway app diff NAME'",
        ],
    },
    Explanation {
        word: "Suspended",
        kind: HEALTH,
        means: "It stands still because a user, or its own definition, paused it.",
        why: &[
            "a rollout waits in a pause step",
            "a CronJob or a workflow is suspended",
            "a Deployment is paused",
        ],
        next: &["see where it stands with 'causeway rollout get NAME' or 'causeway app tree NAME'"],
    },
    Explanation {
        word: "Missing",
        kind: HEALTH,
        means: "Something that Git has is not in the cluster.",
        why: &[
            "the application was never synced",
            "a user deleted a resource",
            "a sync failed before it came to this resource",
        ],
        next: &["sync it with 'causeway app sync NAME'; '--dry-run' shows first what that does"],
    },
    Explanation {
        word: "Unknown",
        kind: HEALTH,
        means: "Its health cannot be told.",
        why: &[
            "a health check of a custom resource fails",
            "Argo CD cannot reach the cluster that it deploys to",
        ],
        next: &["see the errors with 'causeway app get NAME'"],
    },
    Explanation {
        word: "Synced",
        kind: SYNC,
        means: "The cluster has what the compared revision says.",
        why: &[],
        next: &[],
    },
    Explanation {
        word: "OutOfSync",
        kind: SYNC,
        means: "The cluster has something else than the compared revision says.",
        why: &[
            "there is a new commit, and the application is not synced by itself",
            "a user, or a controller, changed an object in the cluster",
            "a sync failed",
            "resources left Git and are not pruned",
        ],
        next: &[
            "see what differs with 'causeway app get NAME' and 'causeway app tree NAME'",
            "sync it with 'causeway app sync NAME'",
        ],
    },
    Explanation {
        word: "Unknown",
        kind: SYNC,
        means: "The cluster could not be compared with Git.",
        why: &[
            "the repository cannot be reached, or its credential is refused",
            "the manifests cannot be rendered",
            "the cluster that it deploys to cannot be reached",
        ],
        next: &[
            "read the ComparisonError in 'causeway app get NAME'",
            "compare it again with 'causeway app refresh NAME --hard'",
        ],
    },
    Explanation {
        word: "Running",
        kind: OPERATION,
        means: "A sync is under way.",
        why: &["a user asked for it, or the application is synced by itself"],
        next: &["watch it with 'causeway app get NAME --watch'"],
    },
    Explanation {
        word: "Terminating",
        kind: OPERATION,
        means: "The sync was told to stop and has not stopped yet.",
        why: &["a user terminated it; hooks that run are deleted first"],
        next: &["watch it with 'causeway app get NAME --watch'"],
    },
    Explanation {
        word: "Succeeded",
        kind: OPERATION,
        means: "The sync applied everything, and its hooks ended well.",
        why: &[],
        next: &[],
    },
    Explanation {
        word: "Failed",
        kind: OPERATION,
        means: "The sync ended, and something of it was not applied or a hook failed.",
        why: &[
            "the API server refused a manifest",
            "a hook failed or ran over its time",
            "a resource that a later wave waits for became degraded",
        ],
        next: &[
            "see the result of each resource with 'causeway app get NAME'",
            "mend it in Git and sync again, or go back with 'causeway app history NAME'",
        ],
    },
    Explanation {
        word: "Error",
        kind: OPERATION,
        means: "The sync could not be carried out.",
        why: &[
            "the manifests of the revision could not be rendered",
            "the cluster or the repository could not be reached",
            "the project does not allow the destination, the source or a kind",
        ],
        next: &["read the operation's message in 'causeway app get NAME'"],
    },
    Explanation {
        word: "Paused",
        kind: "rollout",
        means: "The rollout waits: for a person, or for the time of a pause step.",
        why: &[
            "a step says so",
            "an analysis run is inconclusive",
            "a user paused it",
        ],
        next: &["see the step with 'causeway rollout get NAME'"],
    },
    Explanation {
        word: "desired unknown",
        kind: REPORT,
        means: "What Git wants of each resource is not known; what is in the cluster is. This is a state and no error.",
        why: &[
            "the runtime has no token of Argo CD",
            "Argo CD's API does not answer, or cannot render the application",
        ],
        next: &[
            "read the reason in 'causeway app get NAME'",
            "give the runtime a token: --argocd-token-file of source-server",
        ],
    },
    Explanation {
        word: "stale",
        kind: REPORT,
        means: "What is shown is the last that was reported, and nothing newer can be had now.",
        why: &[
            "the runtime is offline, or its reporter does not run",
            "the reporter reads everything again after it was away",
        ],
        next: &[
            "see since when with 'Reported:' in 'causeway app get NAME'",
            "see the runtime with 'causeway runtime list' and its reporters with 'causeway runtime shards'",
        ],
    },
    Explanation {
        word: "left out",
        kind: REPORT,
        means: "The reporter left out what is larger than a report may be; it says how much there is and how much is here.",
        why: &["very many resources or labels, or a manifest of more than its limit"],
        next: &["look at the object itself in its cluster"],
    },
    Explanation {
        word: "redacted",
        kind: REPORT,
        means: "A value that is secret stayed in the cluster; the same secret has the same mark, so that a change of it is seen.",
        why: &["the data of Secrets, and what looks like a credential, never leave a cluster"],
        next: &[],
    },
    Explanation {
        word: "outcome unknown",
        kind: REPORT,
        means: "It cannot be told whether the change took effect.",
        why: &["the connection to the runtime was lost after the request and before the answer"],
        next: &[
            "run the same command again with the same --request-id: it gives the first outcome and has no second effect",
            "look with 'causeway app get NAME' and 'causeway audit list'",
        ],
    },
    Explanation {
        word: "online",
        kind: RUNTIME,
        means: "The runtime has a session and can be acted on.",
        why: &[],
        next: &[],
    },
    Explanation {
        word: "reporting",
        kind: RUNTIME,
        means: "The runtime has no session, but its parts tell of themselves and what it reports arrives. Calls reach it by its URL alone.",
        why: &[
            "it is reached by an Ingress, an HTTPRoute or a URL, and dials no tunnel",
            "its tunnel-client has lost its session, or does not run, while its other parts do",
        ],
        next: &[
            "where it has a URL, name it to the platform's router with --runtime-url, or call it with 'causeway token RPC --runtime NAME'",
            "where it has a tunnel, see with 'causeway status' how tunnel-client is",
        ],
    },
    Explanation {
        word: "offline",
        kind: RUNTIME,
        means: "The runtime has no session and none of its parts is heard of: nothing can be done in it, and nothing newer is known of it.",
        why: &[
            "its tunnel-client does not run, or cannot reach the platform",
            "a proxy between them refuses WebSockets or its certificate is not trusted",
        ],
        next: &[
            "see the log of tunnel-client in the runtime's cluster: it names what it could not reach",
            "see when it was last heard of with 'causeway runtime list'",
        ],
    },
    Explanation {
        word: "revoked",
        kind: RUNTIME,
        means: "The runtime was put out: its key is refused.",
        why: &["a user ran 'causeway runtime revoke'"],
        next: &["let it join again with 'causeway runtime token NAME --rejoin'"],
    },
    Explanation {
        word: "serving",
        kind: PART,
        means: "The part answers.",
        why: &[],
        next: &[],
    },
    Explanation {
        word: "not serving",
        kind: PART,
        means: "The part runs and does not answer calls.",
        why: &["it starts or stops, or waits for something: 'causeway status' says for what"],
        next: &["see what it waits for with 'causeway status'"],
    },
    Explanation {
        word: "lost",
        kind: PART,
        means: "Nothing has been heard of the part for longer than it may be silent.",
        why: &["its process ended without saying so, or cannot reach the platform"],
        next: &["see whether its pod runs, and its log"],
    },
];
