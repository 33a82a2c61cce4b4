//! The reasons of errors, by their names in the contract.

use super::Explanation;

pub(super) const KIND: &str = "reason";

pub(super) const ALL: &[Explanation] = &[
    Explanation {
        word: "CREDENTIAL_MISSING",
        kind: KIND,
        means: "The call has no credential.",
        why: &[
            "not signed in",
            "a proxy between dropped the header 'authorization'",
        ],
        next: &["sign in with 'causeway login', or give --api-key-file"],
    },
    Explanation {
        word: "CREDENTIAL_INVALID",
        kind: KIND,
        means: "The credential is unknown, malformed or its signature is wrong.",
        why: &[
            "the API key or the session is of another platform",
            "the file with the key holds something else",
        ],
        next: &[
            "see which platform is meant with 'causeway context show'",
            "make a new key with 'causeway api-key create'",
        ],
    },
    Explanation {
        word: "CREDENTIAL_REVOKED",
        kind: KIND,
        means: "The credential was revoked.",
        why: &["a user revoked the key, ended the session or disabled the user"],
        next: &["sign in again with 'causeway login', or ask an admin for a new key"],
    },
    Explanation {
        word: "CREDENTIAL_EXPIRED",
        kind: KIND,
        means: "The credential is over its time.",
        why: &["sessions and keys end by themselves"],
        next: &[
            "sign in again with 'causeway login', or rotate the key with 'causeway api-key rotate'",
        ],
    },
    Explanation {
        word: "CLOCK_SKEW",
        kind: KIND,
        means: "Two clocks differ by more than a minute, so that no time on a credential can be trusted.",
        why: &["a machine of the platform or of the runtime keeps no time"],
        next: &["set the clock of the machine that the message names by NTP"],
    },
    Explanation {
        word: "AUDIENCE_MISMATCH",
        kind: KIND,
        means: "What the call was allowed for is not what it came to: another account, runtime, part or method.",
        why: &[
            "a call was sent to another runtime than it was made for",
            "two platforms are mixed up in a configuration",
        ],
        next: &["see the parts and where they are with 'causeway status'"],
    },
    Explanation {
        word: "DIGEST_MISMATCH",
        kind: KIND,
        means: "The request is not the one that it was allowed for.",
        why: &["something between the platform and the runtime changed it"],
        next: &["look for a proxy that rewrites bodies; this is never normal"],
    },
    Explanation {
        word: "REPLAYED",
        kind: KIND,
        means: "A one-time permission was used before.",
        why: &["something between the platform and the runtime sent the same call twice"],
        next: &[
            "see what was done with 'causeway audit list'",
            "run the command again: each run has a permission of its own",
        ],
    },
    Explanation {
        word: "PERMISSION_DENIED",
        kind: KIND,
        means: "You may not do this.",
        why: &["no rule of a role of yours allows it here"],
        next: &[
            "ask which rules there are with 'causeway can-i VERB ENTITY'",
            "ask an admin for a role that has it",
        ],
    },
    Explanation {
        word: "RUNTIME_POLICY",
        kind: KIND,
        means: "The runtime's own list does not allow this, whatever the platform's roles say.",
        why: &["the chart's default allows reading, sync and refresh alone"],
        next: &["add the method to the list of app-proxy in the runtime's cluster"],
    },
    Explanation {
        word: "RUNTIME_UNKNOWN",
        kind: KIND,
        means: "There is no such runtime.",
        why: &["its name is another one", "it never joined"],
        next: &["see the names with 'causeway runtime list'"],
    },
    Explanation {
        word: "RUNTIME_NOT_CONNECTED",
        kind: KIND,
        means: "The runtime is there and has no session, so nothing can be done in it now.",
        why: &["its tunnel-client does not run, or cannot reach the platform"],
        next: &[
            "see since when with 'causeway runtime list'",
            "see the log of tunnel-client in the runtime's cluster",
        ],
    },
    Explanation {
        word: "TUNNEL_LOST",
        kind: KIND,
        means: "The session ended while the call was under way; its outcome is unknown.",
        why: &["the network or a tunnel-client went away at that moment"],
        next: &[
            "look with 'causeway app get NAME'",
            "run the same command again with the same --request-id: it has no second effect",
        ],
    },
    Explanation {
        word: "ROUTE_UNKNOWN",
        kind: KIND,
        means: "The runtime has no such route.",
        why: &[
            "the runtime is of an older version than the platform",
            "the part is not installed in it",
        ],
        next: &["see its version with 'causeway runtime list'"],
    },
    Explanation {
        word: "UPSTREAM_UNAVAILABLE",
        kind: KIND,
        means: "The part that serves this call does not answer.",
        why: &["it restarts, or cannot start"],
        next: &["see the parts with 'causeway status'", "try again"],
    },
    Explanation {
        word: "OVERLOADED",
        kind: KIND,
        means: "Too many calls at once.",
        why: &[
            "a script makes calls without waiting",
            "a part has fewer replicas than it needs",
        ],
        next: &["try again later; the answer says when where it can"],
    },
    Explanation {
        word: "DRAINING",
        kind: KIND,
        means: "The part is stopping.",
        why: &["it is being updated or moved"],
        next: &["try again: another replica answers"],
    },
    Explanation {
        word: "FIELD_INVALID",
        kind: KIND,
        means: "A field of the request is wrong; the message names it.",
        why: &["a value has another form, or is out of its bounds"],
        next: &["mend what the message names; '--help' has the form"],
    },
    Explanation {
        word: "TOO_LARGE",
        kind: KIND,
        means: "The request, or what was asked for, is larger than allowed.",
        why: &["a file or a list is too long for one call"],
        next: &["ask for less, or in parts"],
    },
    Explanation {
        word: "APPLICATION_UNKNOWN",
        kind: KIND,
        means: "The application does not exist, or you may not see it.",
        why: &[
            "its name, namespace or runtime is another one",
            "no role of yours selects it",
        ],
        next: &[
            "see the names with 'causeway app list'",
            "ask 'causeway can-i get app/NAME'",
        ],
    },
    Explanation {
        word: "OPERATION_IN_PROGRESS",
        kind: KIND,
        means: "Another operation is under way on the application.",
        why: &["a user, or its own policy, syncs it now"],
        next: &[
            "watch it with 'causeway app get NAME --watch'",
            "wait for its end, then try again",
        ],
    },
    Explanation {
        word: "JOIN_TOKEN_INVALID",
        kind: KIND,
        means: "The join token is unknown or over its time of 15 minutes.",
        why: &["it was copied in part, or too late"],
        next: &["make a new one with 'causeway runtime token NAME'"],
    },
    Explanation {
        word: "JOIN_TOKEN_USED",
        kind: KIND,
        means: "The join token was used before; each counts once.",
        why: &["the runtime joined already", "another runtime used it"],
        next: &[
            "see the runtime with 'causeway runtime list'; where it is not yours, revoke it",
            "make a new one with 'causeway runtime token NAME'",
        ],
    },
    Explanation {
        word: "EPOCH_FENCED",
        kind: KIND,
        means: "A newer sender reports for this runtime, so that the older one is not listened to.",
        why: &["two reporters have the same identity, or one was restarted"],
        next: &["see the reporters with 'causeway runtime shards'"],
    },
    Explanation {
        word: "MANIFEST_CORRUPT",
        kind: KIND,
        means: "The bytes of a manifest do not have the digest that was named.",
        why: &["something between reporter and platform changed them"],
        next: &["the reporter sends them again by itself; look for a proxy that rewrites bodies"],
    },
    Explanation {
        word: "CURSOR_EXPIRED",
        kind: KIND,
        means: "The cursor of a watch is older than what is kept.",
        why: &[
            "the watcher was away for too long",
            "the cursor was made for another caller, or by an older platform",
        ],
        next: &["begin again without a cursor; commands do so by themselves"],
    },
    Explanation {
        word: "ARGOCD_TOKEN_REFUSED",
        kind: KIND,
        means: "Argo CD refused the token that the runtime holds.",
        why: &[
            "the token ended or was revoked",
            "its Argo CD account may not do this",
        ],
        next: &["make a new token in Argo CD and put it into the runtime's --argocd-token-file"],
    },
    Explanation {
        word: "ARGOCD_UNAVAILABLE",
        kind: KIND,
        means: "Argo CD does not answer.",
        why: &[
            "its API server restarts or is not there",
            "a network policy is in between",
        ],
        next: &[
            "see the pods of Argo CD in the runtime's cluster",
            "try again",
        ],
    },
    Explanation {
        word: "NAME_TAKEN",
        kind: KIND,
        means: "The name is taken.",
        why: &["there is one of this name"],
        next: &["choose another name"],
    },
    Explanation {
        word: "ESCALATION",
        kind: KIND,
        means: "You wanted to give more than you hold yourself.",
        why: &["a role, key or rule would allow what you may not do"],
        next: &["give less, or ask a user who holds it"],
    },
    Explanation {
        word: "LAST_ADMIN",
        kind: KIND,
        means: "It would leave the account without an admin.",
        why: &["this is the last user with the role admin"],
        next: &["give the role admin to another user first"],
    },
    Explanation {
        word: "ROLE_IN_USE",
        kind: KIND,
        means: "The role is held by users or API keys.",
        why: &["it cannot be deleted while a user holds it"],
        next: &["see who holds it with 'causeway user list' and 'causeway api-key list'"],
    },
    Explanation {
        word: "SCOPE_CHANGED",
        kind: KIND,
        means: "What you may see has changed since the stream began.",
        why: &["a role of yours, or its rules, changed"],
        next: &["open it again; commands do so by themselves"],
    },
    Explanation {
        word: "THROTTLED",
        kind: KIND,
        means: "Too many calls or attempts.",
        why: &[
            "one user makes more calls, or has more open streams, than the platform allows",
            "a wrong credential was tried again and again from this address",
        ],
        next: &[
            "wait as long as the answer says; commands do so by themselves",
            "ask the operator for a higher limit if the calls are needed",
        ],
    },
    Explanation {
        word: "PROVIDER_UNKNOWN",
        kind: KIND,
        means: "The account has no such identity provider.",
        why: &["its name is another one"],
        next: &["see the names with 'causeway sign-in-provider list'"],
    },
    Explanation {
        word: "PROVIDER_UNAVAILABLE",
        kind: KIND,
        means: "The identity provider does not answer, or answers what cannot be used.",
        why: &[
            "it is away, or a firewall is in between",
            "its issuer is not what was configured",
        ],
        next: &[
            "see its settings with 'causeway sign-in-provider list'",
            "try again, or use an API key meanwhile",
        ],
    },
    Explanation {
        word: "SIGN_IN_INVALID",
        kind: KIND,
        means: "The sign-in is over its time, was begun elsewhere or was ended before.",
        why: &["the page was left open, or its link was opened in another browser"],
        next: &["begin again with 'causeway login'"],
    },
    Explanation {
        word: "SIGN_IN_REFUSED",
        kind: KIND,
        means: "The identity provider or the CI system is trusted, but not for this subject.",
        why: &[
            "no rule admits this person, group or job",
            "the user is disabled",
        ],
        next: &[
            "ask an admin: 'causeway sign-in-provider list' and 'causeway service-account list' show whom they admit",
        ],
    },
    Explanation {
        word: "RESOURCE_UNKNOWN",
        kind: KIND,
        means: "The resource does not exist, or you may not see it.",
        why: &[
            "its name, kind, namespace or runtime is another one",
            "its kind is not reported",
        ],
        next: &["see the names with 'causeway resource list KIND'"],
    },
    Explanation {
        word: "HISTORY_UNKNOWN",
        kind: KIND,
        means: "Nothing is known of the application at that time.",
        why: &[
            "it was not there yet, or was not reported yet",
            "that time is older than what is kept",
        ],
        next: &["see which times are known with 'causeway app timeline NAME'"],
    },
    Explanation {
        word: "HISTORY_CORRUPT",
        kind: KIND,
        means: "What is kept of the application's history is not what was accepted.",
        why: &["the platform's database was changed or damaged"],
        next: &["restore the database from a backup; what is now can still be read"],
    },
    Explanation {
        word: "ENTRIES_REMOVED",
        kind: KIND,
        means: "What was being read was removed by retention meanwhile.",
        why: &["the reading took longer than entries are kept"],
        next: &["begin again; keep an export with 'causeway audit export'"],
    },
    Explanation {
        word: "OUTCOME_UNKNOWN",
        kind: KIND,
        means: "Whether the call took effect is not known.",
        why: &["the cluster or its Argo CD was asked, and its answer was lost"],
        next: &[
            "give the same command again with the --request-id that the error names: it finds out and has no second effect",
            "see what is there with 'causeway app get NAME'",
        ],
    },
    Explanation {
        word: "OBJECT_UNKNOWN",
        kind: KIND,
        means: "The account has no user, role, key, rule or record of this name.",
        why: &["its name is another one", "it was deleted"],
        next: &["list the names, for example with 'causeway user list' or 'causeway role list'"],
    },
    Explanation {
        word: "REVISION_UNKNOWN",
        kind: KIND,
        means: "The source of the application has no such revision.",
        why: &[
            "the branch, tag or commit has another name",
            "it was not pushed, or was deleted",
        ],
        next: &["list the revisions that were deployed with 'causeway app history NAME'"],
    },
    Explanation {
        word: "PRECONDITION_FAILED",
        kind: KIND,
        means: "The present state of the object does not allow this; the message names the state.",
        why: &[
            "it was changed or has ended since you looked",
            "its own settings exclude the action",
        ],
        next: &["look with 'causeway app get NAME', and do what the message names"],
    },
    Explanation {
        word: "VERSION_OUTDATED",
        kind: KIND,
        means: "The object changed after you read it, so your change was not made.",
        why: &["another user changed it at the same time"],
        next: &["read it again, and run the command again"],
    },
];
