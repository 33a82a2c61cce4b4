use super::*;

fn template(text: &str) -> Template {
    text.parse().unwrap()
}

#[test]
fn templates_are_matched_and_their_fields_decoded_once() {
    let cases: [(&str, &str, Option<&[&str]>); 12] = [
        ("/v1/applications", "/v1/applications", Some(&[])),
        ("/v1/applications", "/v1/applications:watch", None),
        (
            "/v1/applications:watch",
            "/v1/applications:watch",
            Some(&[]),
        ),
        ("/v1/runtimes/{name}", "/v1/runtimes/prod", Some(&["prod"])),
        ("/v1/runtimes/{name}", "/v1/runtimes/prod:revoke", None),
        (
            "/v1/runtimes/{name}:revoke",
            "/v1/runtimes/prod:revoke",
            Some(&["prod"]),
        ),
        (
            "/v1/runtimes/{name}:revoke",
            "/v1/runtimes/a%3Ab:revoke",
            Some(&["a:b"]),
        ),
        ("/v1/runtimes/{name}", "/v1/runtimes/a%3Ab", Some(&["a:b"])),
        (
            "/v1/a/{b}/c/{d}",
            "/v1/a/x%20y/c/%C3%A9",
            Some(&["x y", "é"]),
        ),
        ("/v1/a/{b}/c/{d}", "/v1/a/x/d/y", None),
        ("/v1/a/{b}", "/v1/a/b/c", None),
        ("/v1/a/{b}", "/v1/a", None),
    ];
    for (text, path, expected) in cases {
        let path = RequestPath::parse(path).unwrap();
        let values = template(text).values(&path);
        assert_eq!(values.as_deref(), expected, "{text} against {path:?}");
    }
}

#[test]
fn paths_that_could_be_read_in_two_ways_are_refused() {
    let long = format!("/v1/{}", "a".repeat(254));
    let deep = "/a".repeat(17);
    let cases = [
        ("/v1/a%2fb", PathError::Character(2)),
        ("/v1/a%2Fb", PathError::Character(2)),
        ("/v1/a%252fb", PathError::Character(2)),
        ("/v1/a%00", PathError::Character(2)),
        ("/v1/a\\b", PathError::Character(2)),
        ("/v1/a%5cb", PathError::Character(2)),
        ("/v1/a;b=c", PathError::Character(2)),
        ("/v1/a%zz", PathError::Character(2)),
        ("/v1/a%", PathError::Character(2)),
        ("/v1/a%0d%0ab", PathError::Character(2)),
        ("/v1/../b", PathError::Dots(2)),
        ("/v1/%2e%2e/b", PathError::Dots(2)),
        ("/v1/./b", PathError::Dots(2)),
        ("/v1//b", PathError::Empty(2)),
        ("/v1/b/", PathError::Empty(3)),
        ("/", PathError::Empty(1)),
        ("/v1/b:", PathError::Empty(2)),
        ("/v1/%ff", PathError::Encoding(2)),
        ("v1", PathError::Relative),
        (long.as_str(), PathError::TooLong(2)),
        (deep.as_str(), PathError::TooMany),
    ];
    for (path, expected) in cases {
        assert_eq!(RequestPath::parse(path), Err(expected), "{path}");
    }
}

#[test]
fn templates_outside_of_the_grammar_are_refused() {
    for text in [
        "v1/a",
        "/v1/{a.b}",
        "/v1/{a=*}",
        "/v1/**",
        "/v1//a",
        "/v1/{a",
        "/v1/a:",
        "/v1/a:b:c",
        "/",
    ] {
        assert!(text.parse::<Template>().is_err(), "{text}");
    }
}

#[test]
fn overlaps_are_found() {
    let cases = [
        ("/v1/a/{b}", "/v1/a/{c}", true),
        ("/v1/a/{b}", "/v1/a/c", true),
        ("/v1/a/{b}:c", "/v1/a/{b}", false),
        ("/v1/a/{b}:c", "/v1/a/{b}:d", false),
        ("/v1/a/{b}/c", "/v1/a/{b}/d", false),
        ("/v1/{a}/b", "/v1/b/{a}", true),
        ("/v1/a", "/v1/a/{b}", false),
    ];
    for (left, right, expected) in cases {
        assert_eq!(
            template(left).overlaps(&template(right)),
            expected,
            "{left} {right}"
        );
        assert_eq!(
            template(right).overlaps(&template(left)),
            expected,
            "{right} {left}"
        );
    }
}

#[test]
fn a_template_is_displayed_as_it_was_written() {
    for text in ["/v1/a", "/v1/a/{b}", "/v1/a/{b}/c:d"] {
        assert_eq!(template(text).to_string(), text);
    }
}

#[test]
fn the_description_leaves_out_version_runtime_and_verb() {
    let value = |field: &str| match field {
        "namespace" => Some("argocd"),
        "name" => Some("guestbook"),
        _ => None,
    };
    let cases = [
        (
            "/v1/runtimes/{runtime}/applications/{namespace}/{name}:sync",
            "applications/argocd/guestbook",
        ),
        ("/v1/runtimes/{name}:revoke", "runtimes/guestbook"),
        ("/v1/apiKeys/{key_id}:revoke", "apiKeys"),
        ("/v1/joinTokens", "joinTokens"),
    ];
    for (text, expected) in cases {
        assert_eq!(template(text).describe(value), expected);
    }
}

proptest::proptest! {
    /// What is authorised is what is sent on: a value arrives exactly as it was meant, or not at all.
    #[test]
    fn a_value_arrives_exactly_or_not_at_all(value in "\\PC{1,40}|.{1,10}|[a-z/%.\\\\;:]{1,12}") {
        let encoded: String = value.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let path = format!("/v1/runtimes/{encoded}");
        if let Ok(path) = RequestPath::parse(&path) {
            let template = template("/v1/runtimes/{name}");
            proptest::prop_assert_eq!(template.values(&path), Some(vec![value.as_str()]));
            proptest::prop_assert!(!value.contains(['/', '\\', ';', '%']) && value != "..");
        }
    }

    #[test]
    fn no_path_makes_it_panic(path in "[/a-z%:{}.0-9\\\\é]{0,60}") {
        let _ = RequestPath::parse(&path);
        let _ = path.parse::<Template>();
    }
}
