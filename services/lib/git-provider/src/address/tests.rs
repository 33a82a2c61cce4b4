use super::*;

#[test]
fn addresses_that_hand_out_credentials_are_refused() {
    for address in [
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "fe80::1",
        "fd00:ec2::254",
        "168.63.129.16",
        "100.100.100.200",
        "192.0.0.192",
        "0.0.0.0",
        "::",
        "224.0.0.1",
        "255.255.255.255",
    ] {
        let address = address.parse().unwrap();
        assert!(!is_allowed_address(address, Http::Loopback), "{address}");
    }
}

#[test]
fn loopback_is_for_tests_alone() {
    for address in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
        let address = address.parse().unwrap();
        assert!(!is_allowed_address(address, Http::Refused), "{address}");
        assert!(is_allowed_address(address, Http::Loopback), "{address}");
    }
}

#[test]
fn public_and_private_hosts_are_allowed() {
    for address in [
        "140.82.121.3",
        "10.0.0.7",
        "192.168.1.2",
        "2606:50c0:8000::64",
        "fd12::1",
    ] {
        let address = address.parse().unwrap();
        assert!(is_allowed_address(address, Http::Refused), "{address}");
    }
}
