use super::*;

#[test]
fn messages_of_one_cause_have_one_form() {
    let check = |message: &str, names: &[&str], expected: &str| {
        assert_eq!(normalise(message, names), expected, "{message}");
    };
    check(
        "Pod checkout-7f9c6d5b4-x2k9z cannot pull registry.corp:5000/shop/checkout:1.9.1: 401",
        &["checkout"],
        "Pod … cannot pull registry.corp:…/shop/…: …",
    );
    check(
        "Deployment \"search\" exceeded its progress deadline",
        &["search"],
        "Deployment \"…\" exceeded its progress deadline",
    );
    check(
        "rpc error: code = Unknown desc = revision 3f1c9a2 of https://git.corp/a/b not found",
        &[],
        "rpc error: code = Unknown desc = revision … of https://git.corp/a/b not found",
    );
    check(
        "image nginx@sha256:0123456789abcdef is missing",
        &[],
        "image nginx@… is missing",
    );
    check(
        "no matches for kind \"Rollout\" in version \"apps/v1beta1\"",
        &[],
        "no matches for kind \"Rollout\" in version \"apps/v1beta1\"",
    );
    check("the job-bcdfg failed", &[], "the job-… failed");
    check("two\n\tlines\u{7}", &[], "two lines");
    check("", &[], "");
}

#[test]
fn a_name_inside_a_word_stays() {
    assert_eq!(
        normalise("webhook of web failed", &["web"]),
        "webhook of … failed"
    );
    assert_eq!(normalise("a message of a", &["a"]), "a message of a");
    assert_eq!(normalise("webweb web", &["web"]), "webweb …");
}

#[test]
fn a_long_message_is_cut_between_characters() {
    for message in ["é".repeat(10_000), "1 ".repeat(10_000), "…-".repeat(9_999)] {
        assert!(normalise(&message, &["é"]).len() <= MAX_BYTES);
    }
}

proptest::proptest! {
    #[test]
    fn any_message_gives_one_short_line(message: String, name: String) {
        let line = normalise(&message, &[&name]);
        assert!(line.len() <= MAX_BYTES && !line.contains(char::is_control));
    }
}
