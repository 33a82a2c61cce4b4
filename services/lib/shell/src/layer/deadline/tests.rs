use super::*;

#[test]
fn timeouts_are_read_in_every_unit() {
    let cases = [
        ("2H", Duration::from_secs(7200)),
        ("3M", Duration::from_secs(180)),
        ("4S", Duration::from_secs(4)),
        ("50m", Duration::from_millis(50)),
        ("60u", Duration::from_micros(60)),
        ("70n", Duration::from_nanos(70)),
        ("99999999H", Duration::from_secs(99_999_999 * 3600)),
    ];
    for (text, expected) in cases {
        assert_eq!(parse_grpc_timeout(text), Some(expected), "{text}");
    }
}

#[test]
fn other_timeouts_are_refused() {
    for text in ["", "5", "S", "123456789S", "-1S", "1.5S", "1s", "5ß", "+5S"] {
        assert_eq!(parse_grpc_timeout(text), None, "{text}");
    }
}
