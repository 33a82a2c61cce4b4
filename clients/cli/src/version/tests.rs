use super::*;

fn runtime(name: &str, version: &str) -> pb::Runtime {
    pb::Runtime {
        name: name.to_owned(),
        version: version.to_owned(),
        connection: pb::Connection::Online.into(),
        ..pb::Runtime::default()
    }
}

#[test]
fn versions_name_client_platform_and_each_runtime() {
    let versions = Versions {
        platform: Some(pb::GetPlatformInfoResponse {
            version: "2.0.0".to_owned(),
            ..Default::default()
        }),
        runtimes: Some(vec![runtime("eu", "1.9.0"), runtime("us", "")]),
    };
    let document = versions.document();
    assert_eq!(document["client"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(document["platform"]["version"], "2.0.0");
    assert_eq!(
        document["runtimes"][0],
        json!({"name": "eu", "version": "1.9.0", "state": "online"})
    );
    assert_eq!(described(&runtime("eu", "1.9.0")), "1.9.0 (online)");
    assert_eq!(described(&runtime("us", "")), "- (online)");
}

#[test]
fn without_a_platform_there_is_the_version_of_the_client() {
    let document = Versions::default().document();
    assert!(document["client"]["version"].is_string());
    assert_eq!(document.get("platform"), None);
    assert_eq!(document.get("runtimes"), None);
}
