use causeway_patch::{
    DocumentSelector, Format, ImageReference, KustomizeImage, PatchError, Path,
    set_chart_dependency, set_image, set_kustomize_image,
};

const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn image(text: &str) -> ImageReference {
    ImageReference::parse(text).unwrap()
}

fn set(before: &str, path: &str, new: &str, expected: Option<&str>) -> Result<String, PatchError> {
    let (new, expected) = (image(new), expected.map(image));
    let path = Path::parse(path).unwrap();
    let only = &DocumentSelector::Only;
    let edited = set_image(
        Format::Yaml,
        before.as_bytes(),
        only,
        &path,
        (&new, expected.as_ref()),
    )?;
    Ok(String::from_utf8(edited).unwrap())
}

#[test]
fn image_references_are_parsed_by_the_grammar_of_registries() {
    let digest = format!("localhost:5000/a/b:1@{DIGEST}");
    for text in [
        "nginx",
        "nginx:1.2",
        "ghcr.io/a/b:v1",
        "host:5000/a",
        &digest,
    ] {
        assert_eq!(image(text).to_string(), text);
    }
    for text in [
        "",
        ":1",
        "a:b c:d",
        "a b",
        "a@sha256:1",
        "a:-x",
        "a\n:1",
        "../a:x/y@z",
    ] {
        assert!(ImageReference::parse(text).is_err(), "{text:?}");
    }
}

#[test]
fn an_image_in_one_text_is_replaced() {
    let text = "containers:\n- name: web # front\n  image: \"nginx:1.2\"\n- name: b\n  image: x\n";
    let path = "containers[name=web].image";
    assert_eq!(
        set(text, path, "nginx:1.3", Some("nginx:1.2")).unwrap(),
        text.replace("1.2", "1.3")
    );
    assert!(matches!(
        set(text, path, "nginx:1.3", Some("nginx:1.1")),
        Err(PatchError::Stale { .. })
    ));
}

#[test]
fn an_image_in_split_keys_is_replaced_key_by_key() {
    let text = "image:\n  repository: a/web # r\n  tag: \"1.2\"\n  pullPolicy: Always\n";
    let found = set(text, "image", "a/web:1.3", Some("a/web:1.2")).unwrap();
    assert_eq!(found, text.replace("1.2", "1.3"));
    let text = "image:\n  registry: ghcr.io\n  repository: a/web\n  tag: v1\n  digest: \"\"\n";
    let found = set(
        text,
        "image",
        &format!("ghcr.io/a/web:v2@{DIGEST}"),
        Some("ghcr.io/a/web:v1"),
    )
    .unwrap();
    assert_eq!(
        found,
        text.replace("v1", "v2")
            .replace("\"\"", &format!("\"{DIGEST}\""))
    );
    assert!(matches!(
        set(text, "image", "ghcr.io/a/web:v2", Some("ghcr.io/a/web:v0")),
        Err(PatchError::Stale { .. })
    ));
}

#[test]
fn the_images_of_a_kustomization_are_edited_and_created() {
    let new = |tag: Option<&str>, digest: Option<&str>| KustomizeImage {
        name: "web".to_owned(),
        new_name: None,
        new_tag: tag.map(str::to_owned),
        digest: digest.map(str::to_owned),
    };
    let set = |text: &str, image: &KustomizeImage, expected| {
        set_kustomize_image(text.as_bytes(), image, expected)
            .map(|it| String::from_utf8(it).unwrap())
    };
    let text =
        "resources: [a.yaml]\nimages:\n- name: web\n  newTag: v1 # now\n- name: b\n  newTag: v1\n";
    assert_eq!(
        set(text, &new(Some("v2"), None), Some("v1")).unwrap(),
        text.replacen("v1", "v2", 1)
    );
    let digest = "images:\n- name: web\n  newTag: v1\n";
    let expected = format!("images:\n- name: web\n  digest: {DIGEST}\n");
    assert_eq!(
        set(digest, &new(None, Some(DIGEST)), None).unwrap(),
        expected
    );
    let created = "resources: [a.yaml]\nimages:\n  - name: web\n    newTag: \"1.10\"\n";
    assert_eq!(
        set("resources: [a.yaml]\n", &new(Some("1.10"), None), None).unwrap(),
        created
    );
    assert!(matches!(
        set(text, &new(Some("v2"), None), Some("v0")),
        Err(PatchError::Stale { .. })
    ));
    assert!(set(text, &new(Some("v2"), Some(DIGEST)), None).is_err());
    assert!(set(text, &new(None, None), None).is_err());
}

#[test]
fn the_version_of_a_chart_dependency_is_set_by_alias_or_name() {
    let text = "name: x\ndependencies:\n  - name: redis\n    version: 1.2.3 # pin\n  - name: redis\n    alias: cache\n    version: ~1.0.0\n";
    let set = |name, expected| {
        let edited = set_chart_dependency(text.as_bytes(), name, "2.0.0", expected);
        edited.map(|it| String::from_utf8(it).unwrap())
    };
    assert_eq!(
        set("cache", Some("~1.0.0")).unwrap(),
        text.replace("~1.0.0", "2.0.0")
    );
    assert!(matches!(
        set("redis", None),
        Err(PatchError::AmbiguousItem { count: 2, .. })
    ));
    assert!(matches!(
        set("none", None),
        Err(PatchError::NotFound { .. })
    ));
}
