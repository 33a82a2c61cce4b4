use super::*;

async fn address(url: &str, http: Http) -> Result<IpAddr, String> {
    let url = RemoteUrl::parse(url, causeway_git::Http::Loopback).unwrap();
    resolve(&url, http).await.map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_host_inside_the_machine_is_reached_in_tests_alone() {
    for url in [
        "https://localhost/a/b",
        "https://127.0.0.1:9/a/b",
        "https://[::1]/a/b",
    ] {
        let refused = address(url, Http::Refused).await.unwrap_err();
        assert!(
            refused.contains("loopback, link-local or metadata"),
            "{refused}"
        );
        assert!(address(url, Http::Loopback).await.unwrap().is_loopback());
    }
    let metadata = address("https://169.254.169.254/a/b", Http::Loopback).await;
    assert!(metadata.is_err());
}
