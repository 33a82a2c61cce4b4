use super::*;

#[test]
fn a_moment_is_a_time_or_how_long_ago() {
    let millis = |text: &str| {
        moment(text).map(|moment| causeway_proto::time::timestamp_to_millis(&moment.0))
    };
    assert_eq!(millis("1970-01-01T00:00:02.5Z"), Ok(2_500));
    assert_eq!(millis("1970-01-01T01:00:00+01:00"), Ok(0));
    let now = to_millis(SystemTime::now());
    for text in ["2h", "2h ago", "120m"] {
        let ago = now - millis(text).unwrap();
        assert!(
            (7_200_000 - 60_000..=7_200_000).contains(&ago),
            "{text}: {ago}"
        );
    }
    assert_eq!(millis("9000000years"), Ok(0));
    for text in ["", "yesterday", "2026-01-31", "ago", "-2h"] {
        assert!(moment(text).unwrap_err().contains("36h"), "{text}");
    }
}
