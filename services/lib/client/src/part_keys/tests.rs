use causeway_assertion::private_file::write_private;

use super::*;

fn inventory() -> KeyHolder {
    KeyHolder::platform("inventory".parse().unwrap())
}

fn issuer() -> Arc<SigningKey> {
    Arc::new(SigningKey::generate().unwrap())
}

#[test]
fn a_key_is_made_once_and_certified_for_its_part_alone() {
    let issuer = issuer();
    let keys = PartKeys::from_issuer(Arc::clone(&issuer), inventory());
    let key = keys.current().unwrap();
    assert_eq!(key.kid(), keys.current().unwrap().kid());
    let certificate = key.certificate();
    assert_eq!(certificate.holder, inventory());
    assert!(certificate.is_signed_by(issuer.public_key()));
    assert_ne!(certificate.key, *issuer.public_key());
}

#[test]
fn another_issuer_in_the_file_makes_another_key() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("parts.pem");
    let write = |key: &SigningKey| write_private(&file, key.to_pem().as_bytes()).unwrap();
    let (first, second) = (issuer(), issuer());
    write(&first);
    let keys = PartKeys::from_issuer_file(&file, inventory()).unwrap();
    assert_eq!(keys.current().unwrap().certificate().issuer, *first.kid());
    write(&second);
    if let Source::Issued {
        issuer: Issuer::File(file),
        ..
    } = &keys.0
    {
        assert_eq!(file.reload().kid(), second.kid());
    }
    assert_eq!(keys.current().unwrap().certificate().issuer, *second.kid());
}

#[test]
fn a_file_must_hold_the_key_of_exactly_this_part() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("part.pem");
    let issuer = issuer();
    let refusal = |text: &str| {
        write_private(&file, text.as_bytes()).unwrap();
        let opened = PartKeys::from_file(&file, inventory());
        opened.map_or_else(|error| format!("{error:#}"), |_| String::new())
    };
    let issue = |holder| PartKey::issue(&issuer, holder, 60).unwrap().to_pem();
    assert_eq!(refusal(&issue(inventory())), "");
    let router = KeyHolder::platform("request-router".parse().unwrap());
    let text = refusal(&issue(router));
    assert!(
        text.contains("is the key of part:platform/request-router"),
        "{text}"
    );
    let runtime = ("acme".parse().unwrap(), "r1".parse().unwrap());
    let text = refusal(&issue(KeyHolder::runtime(
        runtime.0,
        runtime.1,
        "inventory".parse().unwrap(),
    )));
    assert!(
        text.contains("of acme/r1, and this is part:platform/inventory"),
        "{text}"
    );
    let text = refusal(&issuer.to_pem());
    assert!(text.contains("causeway key issue"), "{text}");
    let other = PartKey::issue(&issuer, inventory(), 60).unwrap().to_pem();
    let certificate = other.split_once("-----BEGIN CAUSEWAY").unwrap().1;
    let text = refusal(&format!(
        "{}-----BEGIN CAUSEWAY{certificate}",
        issuer.to_pem()
    ));
    assert!(text.contains("for another key"), "{text}");
    for text in ["", "nonsense", "-----BEGIN CAUSEWAY PART CERTIFICATE-----"] {
        assert_ne!(refusal(text), "");
    }
}
