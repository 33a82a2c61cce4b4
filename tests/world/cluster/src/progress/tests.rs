use super::*;

fn at(step: Step, seconds: u64) -> Progress {
    let elapsed = Duration::from_secs(seconds);
    Progress {
        program: Program::Coredns,
        step,
        elapsed,
    }
}

#[test]
fn what_go_says_becomes_steps() {
    let mut reader = Reader::new("example.org/main", 3);
    let said = [
        (
            "go: downloading golang.org/x/net v0.51.0",
            Some(Step::Downloading { modules: 1 }),
        ),
        (
            "go: downloading golang.org/x/sys v0.48.0",
            Some(Step::Downloading { modules: 2 }),
        ),
        (
            "internal/goarch",
            Some(Step::Compiling { packages: 1, of: 3 }),
        ),
        (
            "golang.org/x/net/http2",
            Some(Step::Compiling { packages: 2, of: 3 }),
        ),
        ("# example.org/broken", None),
        ("./main.go:38:48: cannot use scheduler", None),
        ("", None),
        (
            "github.com/!azure/go-autorest~1",
            Some(Step::Compiling { packages: 3, of: 3 }),
        ),
        (
            "vendor/more/than/expected",
            Some(Step::Compiling { packages: 3, of: 3 }),
        ),
        ("example.org/main", Some(Step::Linking)),
    ];
    for (line, step) in said {
        assert_eq!(reader.read(line), step, "{line}");
    }
}

#[test]
fn the_part_that_is_done_grows_with_the_steps() {
    let steps = [
        Step::Waiting,
        Step::Compiling { packages: 1, of: 4 },
        Step::Compiling { packages: 4, of: 4 },
        Step::Finished,
    ];
    let parts: Vec<_> = steps.iter().map(|step| at(*step, 1).part()).collect();
    assert!(parts.is_sorted(), "{parts:?}");
    assert!(parts[0] == 0.0 && parts[3] == 1.0, "{parts:?}");
    assert!(at(Step::Compiling { packages: 0, of: 0 }, 1).part() < 1.0);
}

#[test]
fn the_time_left_follows_from_the_time_taken() {
    let half = at(
        Step::Compiling {
            packages: 50,
            of: 97,
        },
        100,
    );
    assert_eq!(half.left().map(|left| left.as_secs()), Some(100));
    assert_eq!(at(Step::Downloading { modules: 9 }, 100).left(), None);
    assert_eq!(
        at(
            Step::Compiling {
                packages: 1,
                of: 97
            },
            100
        )
        .left(),
        None
    );
    assert_eq!(at(Step::Finished, 100).left(), None);
}
