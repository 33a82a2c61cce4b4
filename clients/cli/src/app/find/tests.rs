use super::{NameArgs, Wanted, nearest};

fn read(name: &str) -> Option<(String, String, String)> {
    let args = NameArgs {
        name: name.to_owned(),
        runtime: None,
        namespace: None,
    };
    Wanted::read(&args)
        .ok()
        .map(|wanted| (wanted.runtime, wanted.namespace, wanted.name))
}

#[test]
fn a_name_may_carry_its_namespace_and_runtime() {
    let check = |text: &str, runtime: &str, namespace: &str, name: &str| {
        assert_eq!(
            read(text),
            Some((runtime.into(), namespace.into(), name.into()))
        );
    };
    check("web", "", "", "web");
    check("argocd/web", "", "argocd", "web");
    check("eu/argocd/web", "eu", "argocd", "web");
    assert_eq!(read("a/b/c/d"), None);
    assert_eq!(read(""), None);
    assert_eq!(read("argocd/"), None);
}

#[test]
fn the_nearest_names_come_first_and_strangers_not_at_all() {
    let known = ["guestbook", "guestbook-eu", "payments", "guest"];
    assert_eq!(nearest("guestbok", known.into_iter())[0], "guestbook");
    assert!(!nearest("guestbok", known.into_iter()).contains(&"payments"));
    assert!(nearest("zzz", known.into_iter()).is_empty());
}
