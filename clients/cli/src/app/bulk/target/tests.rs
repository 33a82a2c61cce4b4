use causeway_proto::inventory::v1 as pb;
use clap::Parser;

use super::TargetArgs;
use crate::app::delete::DeleteArgs;

#[derive(Parser, Debug)]
struct Typed {
    #[command(flatten)]
    targets: TargetArgs,
}

fn typed(line: &str) -> Result<TargetArgs, clap::Error> {
    let words = ["app"].into_iter().chain(line.split_whitespace());
    Ok(Typed::try_parse_from(words)?.targets)
}

#[test]
fn a_selection_is_required_for_many() {
    assert!(typed("").is_err());
    assert!(typed("--yes").is_err());
    for line in [
        "web api",
        "-l team=a",
        "--runtime prod-*",
        "--all",
        "-p shop",
        "-n argocd",
    ] {
        assert!(typed(line).is_ok(), "{line}");
    }
    for line in ["web -l team=a", "web --all", "web -p shop"] {
        assert!(typed(line).is_err(), "{line}");
    }
}

#[derive(Parser, Debug)]
struct Deletion {
    #[command(flatten)]
    _args: DeleteArgs,
}

#[test]
fn an_empty_variable_is_rejected() {
    for flag in [
        "--selector",
        "--runtime",
        "--namespace",
        "--project",
        "--cluster",
    ] {
        for empty in ["", "  "] {
            let line = ["delete", flag, empty, "--yes"];
            let error = Deletion::try_parse_from(line).unwrap_err();
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(flag), "{error}");
        }
    }
    for line in [
        ["delete", "-l=", "--yes"].as_slice(),
        ["delete", "-n=", "--yes"].as_slice(),
        ["delete", "-p=", "--yes"].as_slice(),
        ["delete", "web", "", "--yes"].as_slice(),
        ["delete", "web", "-n", "", "--yes"].as_slice(),
    ] {
        assert!(Deletion::try_parse_from(line).is_err(), "{line:?}");
    }
}

#[test]
fn the_flags_alone_decide_if_a_command_is_for_many() {
    for line in ["web api", "-l team=a", "--runtime east", "--all"] {
        assert!(typed(line).unwrap().may_be_many(), "{line}");
    }
    for line in ["web", "web --runtime east -n argocd"] {
        assert!(!typed(line).unwrap().may_be_many(), "{line}");
    }
}

#[test]
fn runtimes_are_selected_by_a_pattern() {
    let application = |runtime: &str| pb::Application {
        runtime: runtime.to_owned(),
        ..pb::Application::default()
    };
    let many = typed("-l team=a --runtime prod-*").unwrap();
    assert!(many.is_selection() && many.filter().runtime.is_empty());
    assert!(
        many.matches_runtime(&application("prod-east"))
            && !many.matches_runtime(&application("test"))
    );
    let one = typed("--runtime east").unwrap();
    assert_eq!(one.filter().runtime, "east");
    assert!(one.matches_runtime(&application("east")));
    assert!(!typed("web --runtime east").unwrap().is_selection());
}
