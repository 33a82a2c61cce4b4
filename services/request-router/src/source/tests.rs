use super::*;

fn source(peer: &str, lines: &[&str]) -> String {
    let networks = ["10.0.0.0/8", "fd00::/8"].map(|network| network.parse().unwrap());
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append(FORWARDED_FOR, line.parse().unwrap());
    }
    let proxies = Proxies::new(networks.to_vec());
    proxies.source(peer.parse().unwrap(), &headers).to_string()
}

#[test]
fn a_stranger_cannot_say_that_it_is_somebody_else() {
    let told = source("203.0.113.9:4000", &["198.51.100.1"]);
    assert_eq!(told, "203.0.113.9:4000");
}

#[test]
fn a_trusted_proxy_says_who_called_it() {
    assert_eq!(source("10.0.0.1:4000", &["198.51.100.1"]), "198.51.100.1");
    let mapped = source("[::ffff:10.0.0.1]:4000", &["198.51.100.1"]);
    assert_eq!(mapped, "198.51.100.1");
    assert_eq!(source("[fd00::1]:4000", &["2001:db8::7"]), "2001:db8::7");
}

#[test]
fn what_the_caller_of_a_trusted_proxy_wrote_before_does_not_count() {
    let told = source("10.0.0.1:4000", &["127.0.0.1, 198.51.100.1"]);
    assert_eq!(told, "198.51.100.1");
    let lines = source("10.0.0.1:4000", &["127.0.0.1", "198.51.100.1"]);
    assert_eq!(lines, "198.51.100.1");
}

#[test]
fn trusted_proxies_in_a_row_are_passed_and_what_is_no_address_ends_the_row() {
    let row = source("10.0.0.1:4000", &["198.51.100.1, 10.0.0.3, 10.0.0.2"]);
    assert_eq!(row, "198.51.100.1");
    for broken in [
        "198.51.100.1, , 10.0.0.2",
        "unknown, 10.0.0.2",
        "_hidden,10.0.0.2",
    ] {
        assert_eq!(source("10.0.0.1:4000", &[broken]), "10.0.0.2", "{broken}");
    }
    assert_eq!(source("10.0.0.1:4000", &[]), "10.0.0.1:4000");
}

#[test]
fn what_is_no_text_hides_nothing_that_a_proxy_appended() {
    let mut headers = HeaderMap::new();
    let line = http::HeaderValue::from_bytes(b"\xff\xfe, 198.51.100.1").unwrap();
    headers.append(FORWARDED_FOR, line);
    let proxies = Proxies::new(vec!["10.0.0.0/8".parse().unwrap()]);
    let told = proxies.source("10.0.0.1:4000".parse().unwrap(), &headers);
    assert_eq!(told.to_string(), "198.51.100.1");
}

#[test]
fn ports_and_brackets_are_taken_off() {
    for written in [
        "198.51.100.1:1234",
        " 198.51.100.1 ",
        "[::ffff:198.51.100.1]:80",
    ] {
        assert_eq!(
            source("10.0.0.1:1", &[written]),
            "198.51.100.1",
            "{written}"
        );
    }
    assert_eq!(source("10.0.0.1:1", &["[2001:db8::7]"]), "2001:db8::7");
}

#[test]
fn a_row_without_an_end_is_cut() {
    let many = vec!["10.0.0.2"; 10_000].join(",");
    assert_eq!(source("10.0.0.1:1", &[&many]), "10.0.0.2");
}
