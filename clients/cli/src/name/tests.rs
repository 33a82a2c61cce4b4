use super::{FullName, stated};

fn read(text: &str, runtime: Option<&str>, namespace: Option<&str>) -> Option<[String; 3]> {
    let name = FullName::read(text, runtime, namespace).ok()?;
    Some([name.runtime, name.namespace, name.name])
}

#[test]
fn a_name_may_carry_its_namespace_and_runtime() {
    let check = |text: &str, wanted: [&str; 3]| {
        assert_eq!(read(text, None, None), Some(wanted.map(str::to_owned)));
    };
    check("web", ["", "", "web"]);
    check("argocd/web", ["", "argocd", "web"]);
    check("eu/argocd/web", ["eu", "argocd", "web"]);
    check("eu//web", ["eu", "", "web"]);
    for wrong in ["a/b/c/d", "", "argocd/", "/web", "/argocd/web"] {
        assert_eq!(read(wrong, None, None), None);
    }
}

#[test]
fn an_empty_selection_is_rejected() {
    assert_eq!(stated(" team=a "), Ok("team=a".to_owned()));
    for empty in ["", " ", "\t\n"] {
        assert!(stated(empty).is_err(), "{empty:?}");
    }
}

#[test]
fn flags_take_precedence_over_the_name() {
    let name = read("eu/argocd/web", Some("us"), Some("other"));
    assert_eq!(name, Some(["us", "other", "web"].map(str::to_owned)));
}

#[test]
fn two_parts_may_also_be_a_runtime_and_a_name() {
    let other = |text: &str, runtime, namespace| {
        let name = FullName::in_runtime(text, runtime, namespace)?;
        Some([name.runtime, name.namespace, name.name])
    };
    let expected = Some(["eu", "", "web"].map(str::to_owned));
    assert_eq!(other("eu/web", None, None), expected);
    for text in ["web", "eu/shop/web", "/web", "eu/"] {
        assert_eq!(other(text, None, None), None, "{text}");
    }
    assert_eq!(other("shop/web", Some("eu"), None), None);
    assert_eq!(other("shop/web", None, Some("shop")), None);
}
