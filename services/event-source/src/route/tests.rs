use super::*;

#[test]
fn a_route_has_a_name_a_provider_and_a_largest_body() {
    let read = |text: &str| text.parse::<Route>();
    let route = read("shop-1=gitlab:2097152").unwrap();
    assert_eq!(
        (route.name.as_str(), route.provider, route.max_bytes),
        ("shop-1", Provider::Gitlab, 2 << 20)
    );
    assert_eq!(read("a=gitea").unwrap().max_bytes, 1 << 20);
    assert_eq!(read("a=github").unwrap().max_bytes, 25 << 20);
    for wrong in [
        "github",
        "a=svn",
        "A=github",
        "=github",
        "a/b=github",
        "a=github:0",
        "a=github:99999999",
        "a=github:many",
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn one_or_two_secrets_are_read_and_none_is_empty() {
    let read = |text: &str| Secrets::parse(text.as_bytes());
    assert_eq!(read("one\n").unwrap().len(), 1);
    let two = read("new secret\r\nold\n\n").unwrap();
    let texts: Vec<_> = two.iter().collect();
    assert_eq!(texts, [b"new secret".as_slice(), b"old"]);
    assert_eq!(read("").unwrap_err(), SecretsError::Empty);
    assert_eq!(read("\n \n").unwrap_err(), SecretsError::Empty);
    assert_eq!(read("1\n2\n3").unwrap_err(), SecretsError::Many);
    assert_eq!(format!("{two:?}"), "Secrets(2)");
}

#[test]
fn a_route_without_a_secret_does_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let open = |routes: &[&str]| {
        let routes = routes.iter().map(|route| route.parse().unwrap()).collect();
        Routes::open(routes, Some(folder.path()))
    };
    assert!(open(&["a=github"]).is_err(), "no file");
    std::fs::write(folder.path().join("a"), "\n").unwrap();
    assert!(open(&["a=github"]).is_err(), "an empty secret");
    std::fs::write(folder.path().join("a"), "secret\n").unwrap();
    let routes = open(&["a=github"]).unwrap();
    assert_eq!(routes.find("a").unwrap().secrets().len(), 1);
    assert!(routes.find("b").is_none());
    assert!(open(&["a=github", "a=gitea"]).is_err(), "twice");
}
