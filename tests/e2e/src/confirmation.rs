//! Commands that delete or revoke ask first; without a terminal they need --yes. No platform runs here.

use std::process::Command;

use causeway_testkit::{Finished, binary, run};

const DESTRUCTIVE: [&str; 14] = [
    "user delete kim",
    "user disable kim",
    "user unlink kim --provider dex",
    "role delete team",
    "service-account delete ci",
    "sign-in-provider delete dex",
    "runtime revoke east",
    "api-key revoke k1",
    "api-key rotate k1",
    "session revoke s1",
    "join-token revoke j1",
    "saved-view delete mine",
    "key rotate --at-once",
    "key rotate --sign-in --at-once",
];

fn causeway(words: &str, more: &[&str]) -> Finished {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "cws_1").unwrap();
    let mut command = Command::new(binary());
    command.args(words.split(' ')).args(more);
    command.args(["--server", "http://127.0.0.1:1", "--api-key-file"]);
    run(command.arg(key))
}

#[test]
fn destructive_commands_are_refused_as_wrong_usage_without_a_terminal() {
    for words in DESTRUCTIVE {
        let Finished { status, stderr, .. } = causeway(words, &[]);
        assert_eq!(status.code(), Some(2), "{words}: {stderr}");
        assert!(stderr.contains("? "), "{words}: {stderr}");
        assert!(stderr.contains("pass --yes"), "{words}: {stderr}");
    }
}

#[test]
fn destructive_commands_with_yes_call_the_platform() {
    for words in &DESTRUCTIVE[..2] {
        let Finished { status, stderr, .. } = causeway(words, &["--yes"]);
        assert_eq!(status.code(), Some(5), "{words}: {stderr}");
        assert!(stderr.contains("127.0.0.1:1"), "{words}: {stderr}");
    }
}
