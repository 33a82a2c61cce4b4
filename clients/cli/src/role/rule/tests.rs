use super::*;

#[test]
fn a_rule_is_written_as_it_was_read() {
    for line in [
        "* *",
        "get,list,watch application,runtime",
        "sync application runtime=prod-* project=shop,bar name=a? label:tier=web",
        "get application cluster=c namespace=n product=p environment=e",
        "get application label:empty=",
    ] {
        assert_eq!(text(&parse(line).unwrap()), line);
    }
}

#[test]
fn a_rule_error_shows_the_syntax() {
    let cases = [
        ("", "ACTIONS ENTITIES"),
        ("get", "ACTIONS ENTITIES"),
        ("get application shop", "'shop' is not FIELD=PATTERNS"),
        ("get application projects=shop", "no field 'projects'"),
    ];
    for (line, expected) in cases {
        let error = parse(line).unwrap_err();
        assert!(error.contains(expected), "{line}: {error}");
    }
}
