//! The image as its Dockerfile compiles it, for `make soak`, since that takes minutes.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use causeway_testkit::run;

use crate::{
    base, content,
    file::{read, root},
    image, needs,
    workplace::Workplace,
};

const NAME: &str = "localhost/causeway-compiled:1";
/// Where the image has what is mounted into its stage that compiles.
const TOOLCHAIN: &str = "/usr/local/rust";
const CRATES: &str = "/usr/local/cargo/registry";

#[test]
#[ignore = "make soak runs it"]
fn the_dockerfile_compiles_the_program_that_the_image_holds() {
    if !needs::are_met() {
        return;
    }
    let workplace = Workplace::open();
    base::import(&workplace);
    build_rust(&workplace);
    let mut buildah = workplace.command("buildah");
    buildah
        .args(["bud", "--isolation", "chroot", "--no-cache", "--pull-never"])
        .args(["--target", "causeway", "--tag", NAME])
        .args(["--build-arg", "CAUSEWAY_WITHOUT_WEB=1"])
        .arg("--volume")
        .arg(format!("{}:{TOOLCHAIN}:ro", toolchain().display()))
        .arg("--volume")
        .arg(format!("{}:{CRATES}:ro", crates().display()))
        .arg("--ignorefile")
        .arg(root().join("compose/Dockerfile.dockerignore"))
        .arg("--file")
        .arg(root().join("compose/Dockerfile"))
        .arg(root());
    run(&mut buildah).expect_success();
    is_as_the_other_one(&workplace);
}

/// As the image that the binary of the tests is put into.
fn is_as_the_other_one(workplace: &Workplace) {
    let mounted = |name| {
        let mounted = workplace.podman(&["image", "mount", name]);
        workplace.seen(mounted.as_ref())
    };
    let of_base = content::of_base(&mounted(base::NAME));
    let faults = content::faults(&mounted(NAME), &of_base);
    assert!(faults.is_empty(), "{faults:#?}");
    image::runs_as_nobody_on_a_root_that_it_cannot_write(workplace, NAME);
}

/// Under the name that the Dockerfile has. What is compiled with it is to start, and need not be fast.
fn build_rust(workplace: &Workplace) {
    let context = workplace.folder().join("rust");
    fs::create_dir(&context).unwrap();
    fs::write(context.join("config.toml"), quickly()).unwrap();
    let dockerfile = read("compose/Dockerfile");
    let stages = dockerfile
        .lines()
        .filter_map(|line| line.strip_prefix("FROM "));
    let mut names = stages.filter_map(|stage| stage.strip_suffix(" AS build"));
    let name = format!("docker.io/library/{}", names.next().unwrap());
    let mut buildah = workplace.command("buildah");
    buildah.args(["bud", "--isolation", "chroot", "--pull-never"]);
    buildah.args(["--tag", &name]);
    buildah.arg("--file");
    buildah.arg(root().join("tests/compose/rust/Dockerfile"));
    run(buildah.arg(context)).expect_success();
}

/// The profile of a release without what takes long.
fn quickly() -> String {
    let manifest = read("Cargo.toml");
    let profiles = manifest
        .lines()
        .filter(|line| line.starts_with("[profile.release"));
    let quick = |profile: &str| format!("{profile}\nopt-level = 0\ncodegen-units = 256\n");
    let profiles: String = profiles.map(quick).collect();
    profiles.replacen("opt-level", "lto = \"off\"\nopt-level", 1)
}

/// The one of this machine that compiles the repository.
fn toolchain() -> PathBuf {
    let mut rustc = Command::new("rustc");
    let sysroot = run(rustc.current_dir(root()).args(["--print", "sysroot"])).expect_success();
    Path::new(sysroot.trim()).to_owned()
}

/// What was fetched to compile the tests.
fn crates() -> PathBuf {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = named.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    home.unwrap().join("registry")
}
