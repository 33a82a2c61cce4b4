//! Commands that end before what they look at: operations that may not be watched, and watches with a timeout.

use crate::program::Up;

#[test]
fn a_sync_that_may_not_be_watched_is_reported_as_started() {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    let rule = "get,list,sync application";
    up.cli(&["role", "create", "syncer", "--rule", rule])
        .expect_success();
    up.cli(&["user", "create", "sam", "--role", "syncer"])
        .expect_success();
    let secret = up.cli(&["api-key", "create", "ci", "--user", "sam"]);
    let key = up.folder.path().join("sam.key");
    std::fs::write(&key, secret.expect_success().trim()).unwrap();
    let key = key.to_str().unwrap();
    let sync = up.cli(&["app", "sync", "guestbook", "--api-key-file", key]);
    assert_eq!(sync.code(), 0, "{sync:?}");
    assert!(sync.stdout.contains("started as request"), "{sync:?}");
    assert!(sync.stderr.contains("application.watch"), "{sync:?}");
    up.cli(&["app", "wait", "guestbook", "--operation"])
        .expect_success();

    let watch = up.cli(&["app", "watch", "--timeout", "2s"]);
    assert_eq!(watch.code(), 0, "{watch:?}");
    assert!(watch.stdout.contains("guestbook"), "{watch:?}");
}

#[test]
fn a_name_is_free_again_after_its_user_role_or_runtime_is_gone() {
    let up = Up::start();
    let role = ["role", "create", "team", "--rule", "get application"];
    for (create, group, name) in [
        (&["user", "create", "kim"][..], "user", "kim"),
        (&role[..], "role", "team"),
    ] {
        up.cli(create).expect_success();
        up.cli(&[group, "delete", name, "--yes"]).expect_success();
        up.cli(create).expect_success();
    }
    up.cli(&["runtime", "revoke", "local", "--yes"])
        .expect_success();
    up.cli(&["runtime", "token", "local"]).expect_success();
}
