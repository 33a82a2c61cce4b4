use causeway_proto::proxy::v1 as pb;

use super::read_set_source;
use crate::scope::Requester;

fn requester() -> Requester {
    Requester {
        user: "ada".parse().unwrap(),
        scope: causeway_assertion::Scope::default(),
        asked_at: 0,
    }
}

fn request() -> pb::SetApplicationSourceRequest {
    pb::SetApplicationSourceRequest {
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        request_id: "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001".to_owned(),
        ..pb::SetApplicationSourceRequest::default()
    }
}

fn refused(change: impl FnOnce(&mut pb::SetApplicationSourceRequest)) -> String {
    let mut request = request();
    change(&mut request);
    read_set_source(request, &requester())
        .unwrap_err()
        .to_string()
}

#[test]
fn what_cannot_be_set_is_refused_with_the_name_of_its_field() {
    let parameter = |name: &str, value: &str| pb::HelmParameter {
        name: name.to_owned(),
        value: value.to_owned(),
        force_string: false,
    };
    let long = "x".repeat(9_000);
    for (told, said) in [
        (refused(|_| {}), "nothing is to be changed"),
        (
            refused(|it| it.target_revision = "a b".to_owned()),
            "revision",
        ),
        (
            refused(|it| it.helm_parameters = vec![parameter("", "a")]),
            "helm_parameters.name",
        ),
        (
            refused(|it| it.helm_parameters = vec![parameter("a", &long)]),
            "helm_parameters.value",
        ),
        (
            refused(|it| it.helm_parameters = vec![parameter("a", "b"); 101]),
            "has 101 entries",
        ),
        (
            refused(|it| it.kustomize_images = vec!["a b".to_owned()]),
            "kustomize_images",
        ),
        (
            refused(|it| it.removed_helm_parameters = vec![String::new()]),
            "removed_helm_parameters",
        ),
        (refused(|it| it.automated_sync = 9), "automated_sync"),
        (
            refused(|it| it.directory_include = Some("a\nb".to_owned())),
            "directory_include",
        ),
    ] {
        assert!(told.contains(said), "{told}");
        assert!(!told.contains('\n'), "{told}");
    }
    let cleared = pb::SetApplicationSourceRequest {
        directory_exclude: Some(String::new()),
        ..request()
    };
    assert!(read_set_source(cleared, &requester()).is_ok());
}
