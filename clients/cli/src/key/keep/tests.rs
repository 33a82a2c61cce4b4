use super::*;

const DAY: u64 = MAX_CERTIFICATE_SECONDS;

fn issuer() -> Issuer {
    Issuer {
        key: SigningKey::generate().unwrap(),
        runtime: Some(("acme".parse().unwrap(), "rt-1".parse().unwrap())),
    }
}

fn part(name: &str) -> PartName {
    name.parse().unwrap()
}

fn pem(issuer: &Issuer, name: &str, life: u64) -> Vec<u8> {
    let made = PartKey::issue(&issuer.key, issuer.holder(part(name)), life);
    made.unwrap().to_pem().into_bytes()
}

#[test]
fn a_key_is_renewed_unless_it_is_valid_and_fresh() {
    let (own, other) = (issuer(), issuer());
    let holder = own.holder(part("app-proxy"));
    assert!(holds(&pem(&own, "app-proxy", DAY), &own, &holder));
    for (what, there) in [
        ("nothing", Vec::new()),
        ("no text", vec![0xff]),
        ("another part's", pem(&own, "source-server", DAY)),
        ("another issuer's", pem(&other, "app-proxy", DAY)),
        ("an old one", pem(&own, "app-proxy", 0)),
    ] {
        assert!(!holds(&there, &own, &holder), "{what}");
    }
}

#[test]
fn a_secret_gets_only_what_it_lacks() {
    let issuer = issuer();
    let holder = || issuer.holder(part("app-proxy"));
    let common = Files::from([("runtime.json".to_owned(), b"{}".to_vec())]);
    let mut held = StoredSecret::default();
    let wanted = due(&held, &issuer, holder(), &common).unwrap();
    let names: Vec<_> = wanted.keys().map(String::as_str).collect();
    assert_eq!(names, ["part.pem", "runtime.json"]);
    held.files = wanted;
    assert!(due(&held, &issuer, holder(), &common).unwrap().is_empty());
    held.files.insert("runtime.json".to_owned(), Vec::new());
    assert_eq!(due(&held, &issuer, holder(), &common).unwrap(), common);
}

#[test]
fn a_secret_is_named_with_its_part() {
    let read: PartSecret = "inventory=causeway-inventory-key".parse().unwrap();
    assert_eq!(
        (read.part, read.secret.as_str()),
        (part("inventory"), "causeway-inventory-key")
    );
    for text in ["inventory", "=key", "inventory=", "In ventory=key"] {
        assert!(text.parse::<PartSecret>().is_err(), "{text}");
    }
}

#[test]
fn the_sealing_key_goes_to_the_part_that_opens_credentials_alone() {
    let folder = tempfile::tempdir().unwrap();
    let files = |name: &str| {
        let files = files_for(&part(name), Some(folder.path()), &Files::new()).unwrap();
        files.into_keys().collect::<Vec<_>>()
    };
    assert!(files("app-proxy").is_empty());
    std::fs::write(folder.path().join("sealing.pem"), "key").unwrap();
    assert_eq!(files("app-proxy"), ["sealing.pem"]);
    assert!(files("source-server").is_empty());
}
