//! A user creates a restricted Git source by the command line; the operator makes it, and says what it refuses.

use std::time::Duration;

use causeway_testkit::wait_until_blocking;
use serde_json::Value;

use crate::program::Up;

const SOON: Duration = Duration::from_secs(60);

impl Up {
    fn source(&self, more: &[&str]) -> causeway_testkit::Finished {
        let create = ["git-source", "create", "shop", "--repo", &self.git];
        let place = ["--path", "guestbook", "--source-namespace", "shop-apps"];
        self.cli(&[&create[..], &place, more].concat())
    }

    fn wait_for_source(&self, what: &str, matches: impl Fn(&Value) -> bool) -> Value {
        wait_until_blocking(what, SOON, || {
            let get = ["git-source", "get", "shop", "-o", "json"];
            let shown = self.cli(&get).expect_success();
            let source: Value = serde_json::from_str(&shown).unwrap();
            if matches(&source) {
                Ok(source)
            } else {
                Err(shown)
            }
        })
    }
}

fn has(source: &Value, kind: &str, reason: &str) -> bool {
    let list = source["conditions"].as_array().into_iter().flatten();
    let mut list = list.filter(|it| it["type"] == kind && it["holds"] == true);
    list.any(|it| it["reason"] == reason)
}

#[test]
fn a_restricted_git_source_is_planned_created_refused_and_deleted() {
    let up = Up::start();
    let destination = ["--destination", "in-cluster/shop"];
    let planned = up.source(&[&destination[..], &["--dry-run"]].concat());
    let planned = planned.expect_success();
    assert!(planned.contains(r#""kind":"AppProject""#), "{planned}");
    assert!(planned.contains("(dry run)"), "{planned}");
    let listed = up.cli(&["git-source", "list"]).expect_success();
    assert!(!listed.contains("shop"), "{listed}");

    let reach = up.source(&["--destination", "in-cluster/*"]);
    let refused = reach.stderr.clone();
    assert_ne!(reach.code(), 0, "{refused}");
    assert!(refused.contains("DestinationReachesArgocd"), "{refused}");
    assert!(refused.contains("name the namespaces"), "{refused}");

    up.source(&destination).expect_success();
    let again = up.source(&destination).stderr;
    assert!(again.contains("pass --update"), "{again}");
    // The folder has no Applications, which is an escape of its own.
    up.wait_for_source("a refusal of the content", |source| {
        has(source, "Refused", "KindNotAllowed")
    });
    let listed = up.cli(&["git-source", "list"]).expect_success();
    assert!(listed.contains("restricted"), "{listed}");
    assert!(listed.contains("KindNotAllowed"), "{listed}");

    up.cli(&["git-source", "delete", "shop", "--yes"])
        .expect_success();
    wait_until_blocking("the source is gone", SOON, || {
        let listed = up.cli(&["git-source", "list"]).expect_success();
        if listed.contains("shop") {
            Err(listed)
        } else {
            Ok(())
        }
    });
}
