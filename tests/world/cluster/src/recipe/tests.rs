use super::*;

const SMALL: Recipe = Recipe {
    sources: &[
        ("a/go.mod", "module a\n\ngo 1.22.3\n"),
        ("a/main.go", "package main\n"),
    ],
    package: ".",
    link: "-s",
    environment: &[],
    packages: 1,
    space: 1,
    sidecars: &[],
};

#[test]
fn the_hash_changes_with_what_is_built_and_with_nothing_else() {
    let hash = SMALL.hash();
    assert_eq!(hash.len(), 16);
    assert_eq!(
        Recipe {
            packages: 2,
            space: 2,
            ..SMALL
        }
        .hash(),
        hash
    );
    assert_ne!(
        Recipe {
            link: "-w",
            ..SMALL
        }
        .hash(),
        hash
    );
    assert_ne!(
        Recipe {
            package: "./a",
            ..SMALL
        }
        .hash(),
        hash
    );
    let moved = [
        ("a/go.mo", "dmodule a\n\ngo 1.22.3\n"),
        ("a/main.go", "package main\n"),
    ];
    let moved: &'static [(&str, &str)] = Box::leak(Box::new(moved));
    assert_ne!(
        Recipe {
            sources: moved,
            ..SMALL
        }
        .hash(),
        hash
    );
    let static_link = Recipe {
        environment: &[("CGO_ENABLED", "0")],
        ..SMALL
    };
    assert_ne!(static_link.hash(), hash);
}

#[test]
fn the_go_that_is_needed_is_the_one_of_the_module_file() {
    assert_eq!(SMALL.go(), "1.22.3".parse().unwrap());
    for program in Program::ALL {
        assert!(
            program.recipe().go() >= "1.25".parse().unwrap(),
            "{program}"
        );
    }
}

#[test]
fn every_source_is_below_a_folder_of_its_module() {
    for program in Program::ALL {
        for (path, text) in program.recipe().sources {
            assert!(
                path.starts_with(program.name()) || path.starts_with("parent/"),
                "{path}"
            );
            assert!(!text.is_empty(), "{path}");
        }
    }
}
