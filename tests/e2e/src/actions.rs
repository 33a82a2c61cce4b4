//! What an operator does with applications by the day, by commands alone.

use causeway_testkit::wait_until_blocking;

use crate::program::{SOON, Up};

impl Up {
    /// What a command says, on both outputs, when it ends with this code.
    #[track_caller]
    fn says(&self, code: i32, arguments: &[&str]) -> String {
        let done = self.cli(arguments);
        assert_eq!(done.code(), code, "{arguments:?}: {done:?}");
        format!("{}{}", done.stdout, done.stderr)
    }
}

#[track_caller]
fn told(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "'{word}' is not in\n{text}");
    }
}

#[test]
fn applications_are_synced_waited_for_refused_ended_and_deleted_by_commands() {
    let up = Up::start();
    for name in ["guestbook", "podinfo"] {
        up.wait_for_health(name, "HEALTHY");
    }
    up.says(0, &["app", "wait", "guestbook", "podinfo"]);

    let tried = up.says(0, &["app", "sync", "guestbook", "--dry-run"]);
    told(&tried, &["Deployment/", "(dry run)", "Succeeded"]);
    let part = [
        "app",
        "sync",
        "guestbook",
        "--resource",
        "apps:Deployment:*",
        "--info",
        "why=because",
    ];
    let synced = up.says(0, &part);
    told(&synced, &["Deployment/", "Succeeded"]);
    assert!(!synced.contains("Service/"), "{synced}");
    let nothing = ["app", "sync", "guestbook", "--resource", ":Secret:*"];
    told(&up.says(1, &nothing), &["causeway app tree guestbook"]);

    // Nobody can be asked here.
    let unasked = up.says(2, &["app", "refresh", "--all"]);
    told(&unasked, &["NAME", "guestbook", "--yes"]);
    let refreshed = up.says(0, &["app", "refresh", "--runtime", "lo*", "--yes"]);
    told(&refreshed, &["refreshes are asked for"]);
    let many = ["app", "sync", "guestbook", "podinfo"];
    told(&up.says(0, &many), &["PHASE", "2 of 2 succeeded"]);

    let refused = up.says(1, &["app", "rollback", "guestbook"]);
    told(&refused, &["revert the commit in Git"]);
    let idle = up.says(1, &["app", "terminate-op", "guestbook"]);
    told(&idle, &["no operation is under way"]);
    let owned = ["app", "set", "podinfo", "--revision", "HEAD"];
    let words = [
        "application argocd/platform-apps",
        "spec.source.targetRevision",
        "force",
    ];
    told(&up.says(1, &owned), &words);
    let late = ["app", "wait", "guestbook", "--suspended", "--timeout", "1s"];
    told(&up.says(20, &late), &["causeway app get guestbook"]);

    let deleted = [
        "app",
        "delete",
        "broken",
        "--cascade",
        "orphan",
        "--yes",
        "--wait",
    ];
    up.says(0, &deleted);
    wait_until_blocking("the application is not known any more", SOON, || {
        let shown = up.cli(&["app", "get", "broken"]);
        if shown.status.success() {
            Err(shown.stdout)
        } else {
            Ok(())
        }
    });
    let audited = wait_until_blocking("the audit", SOON, || {
        let audited = up.cli(&["audit", "list", "--method", "DeleteApplication"]);
        if audited.stdout.contains("argocd/broken") || audited.stdout.contains("broken") {
            Ok(audited.stdout)
        } else {
            Err(audited.stdout)
        }
    });
    told(&audited, &["DeleteApplication"]);
}
