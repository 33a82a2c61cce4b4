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

#[test]
fn a_runtime_is_reached_where_nobody_can_listen_in() {
    let id = "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001";
    for url in [
        "https://east.example.com",
        "https://[::1]:8443/",
        "http://127.0.0.1:7405",
    ] {
        let runtime: RuntimeUrlArg = format!("{id}={url}").parse().unwrap();
        assert_eq!(runtime.runtime.as_str(), id);
    }
    for wrong in [
        "https://east.example.com".to_owned(),
        format!("{id}="),
        format!("{id}=http://east.example.com"),
        format!("{id}=http://10.0.0.1"),
        format!("{id}=https://east.example.com/path"),
        format!("{id}=https://user@east.example.com"),
        "East Side=https://east.example.com".to_owned(),
    ] {
        let error = wrong.parse::<RuntimeUrlArg>().unwrap_err();
        assert!(error.to_string().contains("runtime list"), "{wrong}");
    }
}

#[test]
fn each_side_takes_its_own_flags_and_no_more() {
    #[derive(clap::Parser)]
    struct Flags {
        #[command(flatten)]
        args: Args,
    }
    let parse = |flags: &[&str]| {
        let all = ["router"].iter().chain(flags);
        <Flags as clap::Parser>::try_parse_from(all).map(|flags| flags.args)
    };
    let platform = parse(&["--platform-url", "http://127.0.0.1:1", "--part-key", "key"]).unwrap();
    assert!(platform.platform().is_some() && platform.runtime().is_none());
    let runtime = parse(&["--side", "runtime", "--runtime-folder", "folder"]).unwrap();
    assert!(runtime.platform().is_none() && runtime.runtime().is_some());
    assert!(parse(&["--platform-url", "http://127.0.0.1:1"]).is_err());
}

#[test]
fn a_public_address_is_as_browsers_write_it() {
    for (given, written) in [
        (
            "https://Causeway.Example.COM",
            "https://causeway.example.com",
        ),
        (
            "https://causeway.example.com:443/",
            "https://causeway.example.com",
        ),
        (
            "https://causeway.example.com:8443",
            "https://causeway.example.com:8443",
        ),
        ("http://localhost:80", "http://localhost"),
        ("http://127.0.0.1:7400", "http://127.0.0.1:7400"),
        ("https://[::1]:443", "https://[::1]"),
    ] {
        let url: PublicUrl = given.parse().unwrap();
        assert_eq!(url.to_string(), written);
    }
    for refused in [
        "http://causeway.example.com",
        "https://causeway.example.com/path",
        "https://user@causeway.example.com",
        "causeway.example.com",
        "",
    ] {
        assert!(refused.parse::<PublicUrl>().is_err(), "{refused}");
    }
}

#[test]
fn an_origin_is_one_and_as_browsers_send_it() {
    for (given, sent) in [
        ("https://Tools.Example.COM", "https://tools.example.com"),
        ("https://tools.example.com:443", "https://tools.example.com"),
        (
            "https://tools.example.com:8443",
            "https://tools.example.com:8443",
        ),
        ("http://localhost:5173", "http://localhost:5173"),
        ("http://[::1]:80", "http://[::1]"),
    ] {
        assert_eq!(given.parse::<Origin>().unwrap().as_str(), sent);
    }
    for refused in [
        "*",
        "null",
        "https://*.example.com",
        "https://tools.example.com/path",
        "https://tools.example.com?x",
        "https://user@tools.example.com",
        "tools.example.com",
        "file:///x",
        "",
    ] {
        assert!(refused.parse::<Origin>().is_err(), "{refused}");
    }
}
