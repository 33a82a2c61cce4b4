use super::*;
use causeway_assertion::development_ca::DevelopmentCa;

fn write_identity(files: &Files, ca: &DevelopmentCa) {
    let identity = ca.server_identity(&["localhost"]).unwrap();
    std::fs::write(&files.certificate, identity.certificate_pem).unwrap();
    std::fs::write(&files.key, identity.key_pem).unwrap();
}

#[test]
fn changed_certificate_is_reloaded() {
    let folder = tempfile::tempdir().unwrap();
    let ca = DevelopmentCa::open_or_create(folder.path()).unwrap();
    let files = Files {
        certificate: folder.path().join("tls.pem"),
        key: folder.path().join("tls-key.pem"),
    };
    write_identity(&files, &ca);
    let reloading = files.clone().into_reloading().unwrap();
    let first = reloading.current(MAX_AGE);
    write_identity(&files, &ca);
    assert_eq!(reloading.current(MAX_AGE).cert, first.cert);
    let second = reloading.current(Duration::ZERO);
    assert_ne!(second.cert, first.cert);
    std::fs::write(&files.key, "half of it").unwrap();
    assert_eq!(reloading.current(Duration::ZERO).cert, second.cert);
}

#[test]
fn key_of_another_certificate_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let ca = DevelopmentCa::open_or_create(folder.path()).unwrap();
    let [one, other] = std::array::from_fn(|_| ca.server_identity(&["localhost"]).unwrap());
    let mixed = ServerTls::from_pem(one.certificate_pem.as_bytes(), other.key_pem.as_bytes());
    let text = format!("{:#}", mixed.unwrap_err());
    assert!(
        text.contains("the certificate is for another key"),
        "{text}"
    );
}

#[test]
fn a_server_identity_is_usable_for_tls() {
    let folder = tempfile::tempdir().unwrap();
    let ca = DevelopmentCa::open_or_create(folder.path()).unwrap();
    let identity = ca.server_identity(&["localhost", "127.0.0.1"]).unwrap();
    ServerTls::from_pem(
        identity.certificate_pem.as_bytes(),
        identity.key_pem.as_bytes(),
    )
    .unwrap();
}
