use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use super::*;

/// A folder with a program called `go` that does what a script says, and an empty cache.
struct Bench {
    folder: TempDir,
    build_cache: BuildCache,
}

/// Answers as Go does; a build writes the file after `-o`, which can be run itself.
const GOOD: &str = r#"case $1 in
version) echo "go version go1.99.0 linux/amd64" ;;
list) mkdir -p module/manifests/crds; echo a > module/manifests/crds/a.yaml
      echo b > module/manifests/crds/kustomization.yaml; echo "$PWD/module" ;;
build) echo "go: downloading example.org/module v1.0.0" >&2; echo "example.org/module" >&2
       echo x >> ../../builds
       while [ "$1" != -o ]; do shift; done; echo program > "$2" ;;
esac"#;

impl Bench {
    fn new(script: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let go = folder.path().join("go");
        fs::write(&go, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&go, fs::Permissions::from_mode(0o755)).unwrap();
        let build_cache = BuildCache::new(folder.path().join("cache"), go);
        Self {
            folder,
            build_cache,
        }
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    fn build(&self) -> (Result<Programs, String>, Vec<Step>) {
        let mut steps = Vec::new();
        let built = self
            .build_cache
            .build(&[Program::Rollouts], |progress| steps.push(progress.step));
        (built.map_err(|error| error.to_string()), steps)
    }

    fn complaint(&self) -> String {
        self.build().0.unwrap_err()
    }
}

#[test]
fn what_is_built_is_found_without_go_and_not_built_again() {
    let bench = Bench::new(GOOD);
    let (built, steps) = bench.build();
    let path = built.unwrap().path(Program::Rollouts).to_owned();
    let compiling = Step::Compiling {
        packages: 1,
        of: Program::Rollouts.recipe().packages,
    };
    assert_eq!(
        steps,
        [Step::Downloading { modules: 1 }, compiling, Step::Finished]
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), "program\n");
    assert!(path.with_file_name("crds").join("a.yaml").exists());
    assert!(
        !path
            .with_file_name("crds")
            .join("kustomization.yaml")
            .exists()
    );
    fs::remove_file(bench.folder.path().join("go")).unwrap();
    let (again, steps) = bench.build();
    assert_eq!(again.unwrap().path(Program::Rollouts), path);
    assert_eq!(steps, []);
}

#[test]
fn what_is_not_built_is_named_with_the_command_that_builds_it() {
    let bench = Bench::new(GOOD);
    let wanted = [Program::Kubernetes, Program::Argocd, Program::Coredns];
    let missing = bench.build_cache.find(&wanted).unwrap_err().to_string();
    assert_eq!(
        missing,
        "kubernetes, argocd and coredns are not built: run 'make cluster'"
    );
    let missing = bench
        .build_cache
        .find(&[Program::Argocd])
        .unwrap_err()
        .to_string();
    assert_eq!(missing, "argocd is not built: run 'make cluster'");
}

#[test]
fn a_missing_or_old_go_is_reported() {
    let advice = "Go 1.26.1 or newer, see https://go.dev/doc/install";
    let bench = Bench::new("echo go version go1.21.4 linux/amd64");
    assert_eq!(
        bench.complaint(),
        format!("Go 1.21.4 is too old: install {advice}")
    );
    let go = bench.folder.path().join("go");
    fs::write(&go, "#!/bin/sh\necho hello\n").unwrap();
    let other = format!(
        "{} does not answer 'go version' as Go does: install {advice}",
        go.display()
    );
    assert_eq!(bench.complaint(), other);
    fs::remove_file(&go).unwrap();
    let missing = format!(
        "Go is missing ({} cannot be run): install {advice}",
        go.display()
    );
    assert_eq!(bench.complaint(), missing);
    assert!(!bench.cache().exists());
}

#[test]
fn a_build_that_fails_names_its_last_words_and_its_log_and_can_be_repeated() {
    let failing =
        "[ $1 = build ] && { echo example.org/a >&2; echo 'a.go:1: no such thing' >&2; exit 1; }\n";
    let bench = Bench::new(&format!("{failing}{GOOD}"));
    let log = bench.cache().join("log/rollouts.log");
    let expected = format!(
        "rollouts cannot be built: a.go:1: no such thing; the log is {}",
        log.display()
    );
    assert_eq!(bench.complaint(), expected);
    assert_eq!(
        fs::read_to_string(&log).unwrap(),
        "example.org/a\na.go:1: no such thing\n"
    );
    assert!(bench.build_cache.find(&[Program::Rollouts]).is_err());
    fs::write(
        bench.folder.path().join("go"),
        format!("#!/bin/sh\n{GOOD}\n"),
    )
    .unwrap();
    assert!(bench.build().0.is_ok());
}

#[test]
fn a_build_that_writes_no_program_has_failed() {
    let bench = Bench::new("[ $1 = version ] && echo go version go1.99.0 linux/amd64; true");
    assert!(
        bench.complaint().starts_with("rollouts cannot be built: "),
        "{}",
        bench.complaint()
    );
    assert!(bench.build_cache.find(&[Program::Rollouts]).is_err());
}

#[test]
fn a_program_that_was_cut_off_is_not_used_and_built_again() {
    let bench = Bench::new(GOOD);
    let path = bench.build().0.unwrap().path(Program::Rollouts).to_owned();
    fs::write(&path, "pro").unwrap();
    let found = bench.build_cache.find(&[Program::Rollouts]).unwrap_err();
    assert!(matches!(found, ProgramsError::Damaged { .. }), "{found}");
    assert_eq!(bench.build().0.unwrap().path(Program::Rollouts), path);
    assert_eq!(fs::read_to_string(&path).unwrap(), "program\n");
}

#[test]
fn too_little_space_is_reported_before_the_build() {
    let bench = Bench::new(GOOD);
    let go = Go::find(&bench.build_cache.go, Program::Rollouts.recipe().go()).unwrap();
    let full = go
        .has_space(&bench.cache(), u64::MAX - 1)
        .unwrap_err()
        .to_string();
    assert!(
        full.starts_with(&format!("{} has ", bench.cache().display())),
        "{full}"
    );
    assert!(
        full.ends_with("make room, or name another place with CAUSEWAY_CLUSTER_CACHE"),
        "{full}"
    );
    assert!(go.has_space(&bench.cache(), 1).is_ok());
}

#[test]
fn two_builders_build_once() {
    let bench = Bench::new(GOOD);
    std::thread::scope(|threads| {
        for _ in 0..2 {
            threads.spawn(|| bench.build().0.unwrap());
        }
    });
    let builds = fs::read_to_string(bench.cache().join("builds"));
    assert_eq!(builds.unwrap(), "x\n");
}

#[test]
fn what_a_killed_builder_left_is_neither_used_nor_kept() {
    let bench = Bench::new(GOOD);
    let left = bench.cache().join("building-1");
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("rollouts"), "half").unwrap();
    assert!(bench.build_cache.find(&[Program::Rollouts]).is_err());
    let path = bench.build().0.unwrap().path(Program::Rollouts).to_owned();
    assert_eq!(fs::read_to_string(path).unwrap(), "program\n");
    assert!(!left.exists());
}
