use super::*;

#[test]
fn references_are_taken_apart() {
    let digest = format!("sha256:{}", "a".repeat(64));
    for (reference, expected) in [
        ("nginx", Some(("nginx", "", ""))),
        ("nginx:1.25", Some(("nginx", "1.25", ""))),
        ("localhost:5000/web", Some(("localhost:5000/web", "", ""))),
        (
            "quay.io:443/team/web:v1",
            Some(("quay.io:443/team/web", "v1", "")),
        ),
        ("web@sha256:1", Some(("web", "", "sha256:1"))),
        ("web:v1@sha256:1", Some(("web", "v1", "sha256:1"))),
        ("", None),
        (":v1", None),
        ("team/:v1", None),
        ("two words", None),
        ("new\nline", None),
    ] {
        let told = ImageName::parse(reference);
        let told = told
            .as_ref()
            .map(|it| (&*it.repository, &*it.tag, &*it.digest));
        assert_eq!(told, expected, "{reference}");
    }
    let told = ImageName::parse(&format!("web:v1@{digest}")).unwrap();
    assert_eq!(told.digest, digest);
    assert_eq!(ImageName::parse(&"a".repeat(513)), None);
}

#[test]
fn each_image_is_told_once() {
    let told = ImageName::all(["b:1", "a:1", "b:1", "no image"].into_iter());
    let names: Vec<&str> = told.iter().map(|it| &*it.repository).collect();
    assert_eq!(names, ["a", "b"]);
}

#[test]
fn a_stamp_is_another_one_for_other_images_and_elsewhere() {
    let at = |name: &str| ApplicationName {
        cluster: "in-cluster".into(),
        namespace: "argocd".into(),
        name: name.into(),
    };
    let (one, two) = (
        ImageName::all(["nginx:1"].into_iter()),
        ImageName::all(["nginx:2"].into_iter()),
    );
    let stamp = ImageName::stamp(&one, Some(&at("web")));
    assert_eq!(ImageName::stamp(&one, Some(&at("web"))), stamp);
    assert_ne!(ImageName::stamp(&two, Some(&at("web"))), stamp);
    assert_ne!(ImageName::stamp(&one, Some(&at("api"))), stamp);
    assert_ne!(stamp, 0);
    assert_eq!(ImageName::stamp(&[], Some(&at("web"))), 0);
    assert_eq!(ImageName::stamp(&one, None), 0);
}
