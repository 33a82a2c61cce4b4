//! A user changes Git through Causeway: the sealed credential, the commit, and what Argo CD makes of it.

mod real;

use std::fs;

use causeway_testkit::Finished;

use crate::program::Up;

const CANARY: &str = "canary-4b7d21";
const VALUE: &str = "guestbook/deployment.yaml:spec.replicas=3";

impl Up {
    /// An integration with the host of the demo repository.
    fn integrate(&self) {
        self.integrate_as("demo");
    }

    fn integrate_as(&self, name: &str) {
        let token = self.folder.path().join("token");
        fs::write(&token, CANARY).unwrap();
        let (host, _) = self.git.rsplit_once('/').unwrap();
        let token = token.display().to_string();
        let create = ["integration", "create", name, "--provider", "git"];
        let create = [&create[..], &["--url", host, "--token-file", &token]].concat();
        let created = self.cli(&create).expect_success();
        let says = format!("integration '{name}' created");
        assert!(created.contains(&says), "{created}");
    }

    fn commit(&self, edits: &[&str]) -> Finished {
        self.commit_by("demo", edits)
    }

    fn commit_by(&self, integration: &str, edits: &[&str]) -> Finished {
        let commit = ["git", "commit", self.git.as_str(), "-i", integration];
        self.cli(&[&commit[..], &["-b", "main", "-m", "Three of them"], edits].concat())
    }

    fn secret(&self) -> String {
        let kubeconfig = self.kubeconfig().display().to_string();
        let secret = ["get", "secret", "causeway-integration-demo", "-n", "argocd"];
        let mut kubectl = std::process::Command::new("kubectl");
        kubectl.args(["--kubeconfig", &kubeconfig]).args(secret);
        causeway_testkit::run(kubectl.args(["-o", "yaml"])).expect_success()
    }
}

#[test]
fn an_edit_is_committed_once_by_its_author_and_synced() {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    up.integrate();

    let shown = up
        .commit(&["--set-json", VALUE, "--dry-run"])
        .expect_success();
    assert!(
        shown.contains("-  replicas: 2\n+  replicas: 3\n"),
        "{shown}"
    );

    let id = ["--request-id", "5f0c9a52-3d4e-4a71-9c31-0f6f3a2f8a11"];
    let edit = [&["--set-json", VALUE][..], &id].concat();
    let first = up.commit(&edit).expect_success();
    let sha = first.split_whitespace().nth(1).unwrap().to_owned();
    assert!(first.contains("to main of"), "{first}");
    let application = up.wait_for("guestbook", "at the commit", |application| {
        let status = &application["status"];
        status["sync"]["status"] == "SYNC_STATUS_SYNCED" && status["commit"]["sha"] == sha.as_str()
    });
    let author = application["status"]["commit"]["author"].to_string();
    assert!(author.starts_with("\"admin"), "{author}");

    let again = up.commit(&edit).expect_success();
    assert!(
        again.contains(&sha) && again.contains("by an earlier request"),
        "{again}"
    );
    let other = ["--set-json", "guestbook/deployment.yaml:spec.replicas=9"];
    let reused = up.commit(&[&other[..], &id].concat());
    assert!(
        reused.stderr.contains("was used for another change"),
        "{reused:?}"
    );

    let nothing = up.commit(&["--set-json", VALUE]);
    assert!(
        nothing.stderr.contains("nothing was committed"),
        "{nothing:?}"
    );
}

#[test]
fn a_credential_is_sealed_everywhere_and_deleted_with_its_integration() {
    let up = Up::start();
    up.integrate();
    let listed = up.cli(&["integration", "list"]).expect_success();
    assert!(
        listed.contains("demo") && listed.contains("git"),
        "{listed}"
    );
    let secret = up.secret();
    assert!(secret.contains("ciphertext:"), "{secret}");
    for place in [
        &secret,
        &up.cli(&["integration", "get", "demo", "-o", "json"]).stdout,
    ] {
        assert!(!place.contains(CANARY), "{place}");
    }

    let twice = ["integration", "create", "demo", "--provider", "git"];
    let token = up.folder.path().join("token").display().to_string();
    let url = ["--url", "http://127.0.0.1:9", "--token-file", &token];
    let twice = up.cli(&[&twice[..], &url].concat());
    assert!(
        twice.stderr.contains("there is an integration demo"),
        "{twice:?}"
    );

    up.cli(&["integration", "delete", "demo", "--yes"])
        .expect_success();
    let gone = up.commit(&["--set-json", VALUE]);
    assert!(
        gone.stderr.contains("there is no integration demo"),
        "{gone:?}"
    );
    let audited = up.cli(&["audit", "list", "-o", "json"]).expect_success();
    assert!(audited.contains("integration.create"), "{audited}");
    let said = up.child.lines().join("\n");
    assert!(!said.contains(CANARY) && !audited.contains(CANARY));
}

#[test]
fn what_no_rule_of_the_runtime_allows_is_refused() {
    let rule = "http://127.0.0.1*;branch=main;path=guestbook/*";
    let up = Up::start_on(&["--allow-git".to_owned(), rule.to_owned()]);
    up.wait_for_health("guestbook", "HEALTHY");
    up.integrate();
    let outside = up.commit(&["--delete", "broken"]);
    assert!(
        outside.stderr.contains("does not allow the path broken"),
        "{outside:?}"
    );
    let elsewhere = [
        "git",
        "commit",
        "https://evil.example/x",
        "-i",
        "demo",
        "-b",
        "main",
    ];
    let elsewhere = up.cli(&[&elsewhere[..], &["-m", "x", "--delete", "guestbook/a"]].concat());
    assert!(
        elsewhere.stderr.contains("does not allow https://evil"),
        "{elsewhere:?}"
    );
    up.commit(&["--set-json", VALUE]).expect_success();
}

#[test]
fn settings_of_applications_are_committed_where_their_manifests_stand_and_audited() {
    let up = Up::start();
    up.wait_for_health("podinfo", "HEALTHY");
    up.wait_for_health("redis", "HEALTHY");
    up.integrate();
    let set = |more: &[&str]| {
        let set = ["app", "set", "podinfo", "redis", "--self-heal=false"];
        up.cli(&[&set[..], &["--commit"], more].concat())
    };
    let shown = set(&["--dry-run"]).expect_success();
    for file in ["apps/podinfo.yaml", "apps/redis.yaml"] {
        assert!(shown.contains(&format!("+++ b/{file}")), "{shown}");
    }
    let line = "-      selfHeal: true\n+      selfHeal: false\n";
    assert_eq!(shown.matches(line).count(), 2, "{shown}");
    let unasked = set(&[]);
    assert!(unasked.stderr.contains("pass --yes"), "{unasked:?}");

    let committed = set(&["--yes"]).expect_success();
    let words = committed.split_whitespace();
    let mut words = words.skip_while(|it| *it != "committed");
    let commit = words.nth(1).unwrap();
    for name in ["podinfo", "redis"] {
        up.wait_for(name, "as Git has it", |application| {
            application["spec"]["syncPolicy"]["selfHeal"] != true
        });
    }
    let again = set(&["--yes"]);
    assert!(again.stderr.contains("nothing to commit"), "{again:?}");
    again.expect_success();

    let audited = up.cli(&["audit", "list", "-o", "json"]).expect_success();
    assert!(audited.contains(&format!("commit {commit}")), "{audited}");
    assert!(
        audited.contains("/branches/main/edits/2 sha256:"),
        "{audited}"
    );
    assert!(audited.contains("integrations/demo/repositories/http://127.0.0.1"));

    let unknown = ["app", "set", "guestbook", "--revision", "next", "--commit"];
    let unknown = up.cli(&[&unknown[..], &["--dry-run"]].concat());
    assert!(
        unknown
            .stderr
            .contains("name the file of its manifest with --file"),
        "{unknown:?}"
    );
}

#[test]
fn a_request_that_is_repeated_after_a_kill_has_its_first_commit() {
    let up = Up::start();
    up.integrate();
    let id = ["--request-id", "7d1e0c4a-9a51-4a55-8a0f-3c1c5d6b2e90"];
    let edit = [&["--set-json", VALUE][..], &id].concat();
    let first = up.commit(&edit).expect_success();
    let sha = first.split_whitespace().nth(1).unwrap().to_owned();
    let up = Up::start_in(up.kill(), &[]);
    // The host has another port now, so that only the trailer in the history tells.
    up.integrate_as("moved");
    let again = up.commit_by("moved", &edit).expect_success();
    assert!(
        again.contains(&sha) && again.contains("by an earlier request"),
        "{again}"
    );
}
