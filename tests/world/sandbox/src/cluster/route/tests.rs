use super::{Format, Include, ObjectPath, Route};

fn object(path: &str) -> ObjectPath {
    match Route::parse(path) {
        Some(Route::Object(object)) => object,
        other => panic!("{path} is {other:?}"),
    }
}

#[test]
fn paths_name_objects_lists_and_parts() {
    let pods = object("/api/v1/namespaces/shop/pods");
    assert_eq!(
        (
            pods.namespace.as_str(),
            pods.plural.as_str(),
            pods.name.as_str()
        ),
        ("shop", "pods", "")
    );
    let status = object("/apis/apps/v1/namespaces/shop/deployments/web/status");
    assert_eq!(
        (
            status.group.as_str(),
            status.name.as_str(),
            status.subresource.as_str()
        ),
        ("apps", "web", "status")
    );
    let namespace = object("/api/v1/namespaces/shop");
    assert_eq!(
        (namespace.plural.as_str(), namespace.name.as_str()),
        ("namespaces", "shop")
    );
    let finalize = object("/api/v1/namespaces/shop/finalize");
    assert_eq!(
        (finalize.plural.as_str(), finalize.subresource.as_str()),
        ("namespaces", "finalize")
    );
    assert_eq!(object("/apis/g/v1/things/a%3Ab").name, "a:b");
    assert_eq!(Route::parse("/nothing"), None);
}

#[test]
fn the_first_format_that_can_be_written_wins() {
    let kubectl = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    assert_eq!(
        Format::negotiate(kubectl, "").unwrap(),
        Format::Table(Include::Metadata)
    );
    assert_eq!(
        Format::negotiate("application/vnd.kubernetes.protobuf,application/json", "").unwrap(),
        Format::Json
    );
    let metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    assert_eq!(Format::negotiate(metadata, "").unwrap(), Format::Metadata);
    assert_eq!(Format::negotiate("", "").unwrap(), Format::Json);
    assert!(Format::negotiate("application/vnd.kubernetes.protobuf", "").is_err());
}
