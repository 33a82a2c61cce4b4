use super::{AccountId, RequestId, RuntimeName};

#[test]
fn ids_are_dns_labels() {
    let long = "a".repeat(64);
    for bad in [
        "",
        "-a",
        "a-",
        "A",
        "a_b",
        "a/b",
        "a.b",
        "ä",
        " a",
        long.as_str(),
    ] {
        assert!(bad.parse::<AccountId>().is_err(), "{bad:?}");
    }
    for good in ["a", "0", "a-b", "prod-eu-1"] {
        assert_eq!(good.parse::<RuntimeName>().unwrap().as_str(), good);
    }
}

#[test]
fn id_errors_quote_at_most_80_characters() {
    let error = "X"
        .repeat(10_000)
        .parse::<AccountId>()
        .unwrap_err()
        .to_string();
    assert!(error.len() < 300, "{error}");
}

#[test]
fn a_request_id_is_a_uuid() {
    let id = RequestId::generate();
    assert_eq!(id.to_string().parse::<RequestId>(), Ok(id));
    assert!("17".parse::<RequestId>().is_err());
}
