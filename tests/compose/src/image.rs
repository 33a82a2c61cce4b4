//! The project's own image, built as its Dockerfile says from the binary that was built beside the tests.

use std::{fs, path::PathBuf, process::Command};

use causeway_testkit::{binary, run};
use serde_json::Value;

use crate::{base, content, file::root, needs, workplace::Workplace};

/// What compose.yaml calls it.
pub(crate) const NAME: &str = concat!("localhost/causeway:", env!("CARGO_PKG_VERSION"));
/// Debian with git and what git needs, in bytes.
const MOST_BESIDE_THE_BINARY: u64 = 200 << 20;

/// Builds it; nothing of an earlier time is used.
pub(crate) fn build(workplace: &Workplace, name: &str) {
    let context = context(workplace);
    let mut buildah = workplace.command("buildah");
    buildah
        .args(["bud", "--isolation", "chroot", "--no-cache", "--pull-never"])
        .args(["--timestamp", "0", "--target", "prebuilt", "--tag", name])
        .arg("--file")
        .arg(root().join("compose/Dockerfile"))
        .arg(context);
    run(&mut buildah).expect_success();
}

/// The folder with the binary as it is shipped, without what only a debugger reads.
fn context(workplace: &Workplace) -> PathBuf {
    let context = workplace.folder().join("context");
    if !context.exists() {
        fs::create_dir(&context).unwrap();
        let mut strip = Command::new("strip");
        strip.arg("-o").arg(context.join("causeway")).arg(binary());
        run(&mut strip).expect_success();
    }
    context
}

fn inspected(workplace: &Workplace, name: &str) -> Value {
    let text = workplace.podman(&["image", "inspect", name]);
    let all: Value = serde_json::from_str(&text).unwrap();
    all[0].clone()
}

#[test]
fn image_matches_the_dockerfile_and_is_reproducible() {
    if !needs::are_met() {
        return;
    }
    let workplace = Workplace::open();
    base::import(&workplace);
    build(&workplace, NAME);
    let image = inspected(&workplace, NAME);

    let settings = &image["Config"];
    assert_eq!(settings["User"], "65532:65532");
    let entrypoint = serde_json::json!(["/usr/local/bin/causeway"]);
    assert_eq!(settings["Entrypoint"], entrypoint);
    assert_eq!(settings["WorkingDir"], "/var/lib/causeway");
    for absent in ["Volumes", "ExposedPorts", "Cmd"] {
        assert_eq!(settings[absent], Value::Null, "{absent}");
    }
    let environment = settings["Env"].as_array().unwrap();
    let alone = environment.len() == 1 && environment[0].as_str().unwrap().starts_with("PATH=");
    assert!(alone, "{environment:?}");

    let mounted = workplace.podman(&["image", "mount", NAME]);
    let place = workplace.seen(mounted.as_ref());
    let faults = content::faults(&place, &content::of_base(&base_of(&workplace)));
    assert!(faults.is_empty(), "{faults:#?}");
    let beside = content::bytes(&place) - content::bytes(&place.join("usr/local/bin/causeway"));
    assert!(beside < MOST_BESIDE_THE_BINARY, "{beside} bytes");
    workplace.podman(&["image", "unmount", NAME]);

    runs_as_nobody_on_a_root_that_it_cannot_write(&workplace, NAME);

    build(&workplace, "localhost/again:1");
    let again = inspected(&workplace, "localhost/again:1");
    assert_eq!(image["RootFS"], again["RootFS"]);
    assert_eq!(image["Id"], again["Id"]);
}

fn base_of(workplace: &Workplace) -> PathBuf {
    let mounted = workplace.podman(&["image", "mount", base::NAME]);
    workplace.seen(mounted.as_ref())
}

pub(crate) fn runs_as_nobody_on_a_root_that_it_cannot_write(workplace: &Workplace, name: &str) {
    let with = |words: &[&str]| {
        let safe = ["run", "--rm", "--read-only", "--read-only-tmpfs=false"];
        let bare = ["--network", "none", "--cap-drop", "all"];
        let closed = ["--security-opt", "no-new-privileges"];
        workplace.try_podman(&[&safe, &bare, &closed[..], words].concat())
    };
    let version = with(&[name, "--version"]).expect_success();
    assert_eq!(
        version.trim(),
        concat!("causeway ", env!("CARGO_PKG_VERSION"))
    );
    let who = with(&["--entrypoint", "id", name]).expect_success();
    assert_eq!(
        who.trim(),
        "uid=65532(causeway) gid=65532(causeway) groups=65532(causeway)"
    );
    let git = with(&["--entrypoint", "git", name, "--version"]).expect_success();
    assert!(git.starts_with("git version "), "{git}");
    let written = with(&["--entrypoint", "touch", name, "/var/lib/causeway/a"]);
    assert!(
        written.stderr.contains("Read-only file system"),
        "{written:?}"
    );
}
