use super::*;

#[test]
fn what_git_has_is_where_its_kind_is_whatever_is_written_on_it() {
    let placed = |written: &str, namespaced: bool| {
        let object = serde_json::json!({
            "apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a", "namespace": written},
        });
        let mut of = ResourceName::of(&object);
        place(&mut of, namespaced, "shop");
        of.namespace
    };
    assert_eq!(placed("", true), "shop");
    assert_eq!(placed("bank", true), "bank");
    assert_eq!(placed("", false), "");
    assert_eq!(placed("bank", false), "");
}
