use super::*;

fn version(text: &str) -> GoVersion {
    text.parse().unwrap()
}

#[test]
fn versions_are_compared_as_numbers() {
    for (older, newer) in [
        ("1.9", "1.26"),
        ("go1.26.3", "go1.26.8"),
        ("go1.26", "go1.26.1"),
        ("go1.26.10", "go1.27rc1"),
    ] {
        assert!(version(older) < version(newer), "{older} {newer}");
    }
    assert_eq!(version("go1.26"), version("1.26.0"));
    assert_eq!(version("go1.26.3-X:fieldtrack"), version("1.26.3"));
}

#[test]
fn what_is_no_version_is_refused() {
    for text in [
        "",
        "go",
        "devel",
        "1",
        "1.",
        "1.2.3.4",
        "1.99999999",
        "-1.2",
    ] {
        assert_eq!(
            text.parse::<GoVersion>(),
            Err(GoVersionError(text.to_owned()))
        );
    }
}
