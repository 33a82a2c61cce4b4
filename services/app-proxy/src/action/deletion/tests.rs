use serde_json::json;

use super::{Cascade, finalizers};

#[test]
fn the_choice_takes_the_place_of_argo_cds_finalizers_and_leaves_those_of_others() {
    let ours = "resources-finalizer.argocd.argoproj.io";
    let object = json!({"metadata": {"finalizers": [
        "example.com/hold", ours, format!("{ours}/background"), format!("{ours}-not"),
    ]}});
    let others = ["example.com/hold".to_owned(), format!("{ours}-not")];
    for (cascade, own) in [
        (Cascade::Foreground, Some(format!("{ours}/foreground"))),
        (Cascade::Background, Some(format!("{ours}/background"))),
        (Cascade::Orphan, None),
    ] {
        let expected: Vec<_> = others.iter().cloned().chain(own).collect();
        assert_eq!(json!(finalizers(&object, cascade)), json!(expected));
    }
    assert!(finalizers(&json!({"metadata": {}}), Cascade::Orphan).is_empty());
}
