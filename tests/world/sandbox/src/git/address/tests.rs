use super::*;

fn addresses(folder: &Path) -> Addresses {
    let mut addresses = Addresses::load(folder);
    addresses
        .remember("127.0.0.1:4001".parse().unwrap())
        .unwrap();
    addresses
        .remember("127.0.0.1:4002".parse().unwrap())
        .unwrap();
    addresses
}

#[test]
fn a_url_of_this_or_an_earlier_address_names_the_repository() {
    let folder = tempfile::tempdir().unwrap();
    let addresses = addresses(folder.path());
    assert_eq!(
        addresses.name_in("http://127.0.0.1:4001/demo.git"),
        Some("demo")
    );
    assert_eq!(
        addresses.name_in("http://localhost:4002/demo"),
        Some("demo")
    );
    assert_eq!(addresses.name_in("http://127.0.0.1:4003/demo.git"), None);
    assert_eq!(addresses.name_in("https://127.0.0.1:4002/demo.git"), None);
    assert_eq!(addresses.name_in("http://example.org:4002/demo.git"), None);
}

#[test]
fn the_last_address_is_tried_again_when_any_port_will_do() {
    let folder = tempfile::tempdir().unwrap();
    addresses(folder.path());
    let again = Addresses::load(folder.path());
    let any = "127.0.0.1:0".parse().unwrap();
    assert_eq!(again.last(any), Some("127.0.0.1:4002".parse().unwrap()));
    assert_eq!(again.last("127.0.0.1:80".parse().unwrap()), None);
    assert_eq!(again.last("127.0.0.2:0".parse().unwrap()), None);
}

#[test]
fn a_server_on_every_address_is_known_by_those_of_loopback() {
    let folder = tempfile::tempdir().unwrap();
    let mut addresses = Addresses::load(folder.path());
    addresses.remember("0.0.0.0:4001".parse().unwrap()).unwrap();
    for host in ["127.0.0.1", "localhost", "0.0.0.0", "[::1]"] {
        let url = format!("http://{host}:4001/demo.git");
        assert_eq!(addresses.name_in(&url), Some("demo"), "{url}");
    }
    assert_eq!(addresses.name_in("http://192.0.2.1:4001/demo.git"), None);
    assert_eq!(addresses.name_in("http://127.0.0.1:4002/demo.git"), None);
}
