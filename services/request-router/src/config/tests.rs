use super::*;

#[test]
fn upstreams_are_a_part_and_a_plain_url() {
    let upstream: UpstreamArg = "inventory=http://127.0.0.1:7403".parse().unwrap();
    assert_eq!(upstream.part.as_str(), "inventory");
    assert_eq!(upstream.url.address(), ("127.0.0.1".to_owned(), 7403));
    assert!(!upstream.url.is_secure());
    let upstream: UpstreamArg = "platform=https://[::1]/".parse().unwrap();
    assert_eq!(upstream.url.address(), ("::1".to_owned(), 443));
    for wrong in [
        "inventory",
        "inventory=",
        "inventory=127.0.0.1:7403",
        "inventory=ftp://a",
        "inventory=http://a/path",
        "inventory=http://user@a",
        "In_ventory=http://a",
    ] {
        assert!(wrong.parse::<UpstreamArg>().is_err(), "{wrong}");
    }
}
