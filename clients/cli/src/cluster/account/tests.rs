use super::*;

fn objects() -> Vec<Value> {
    let account = AccountArgs {
        kubeconfig: None,
        kube_context: None,
        namespace: "kube-system".to_owned(),
        account: "causeway-reader".to_owned(),
    };
    account.objects(&[])
}

fn labels(all: &[(&str, &str)]) -> BTreeMap<String, String> {
    let all = all.iter();
    all.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[test]
fn all_that_is_made_is_known_as_made_here() {
    for object in objects() {
        let found: DynamicObject = serde_json::from_value(object.clone()).unwrap();
        check_made_here(&object, found.labels()).unwrap();
    }
}

#[test]
fn what_others_made_is_named_and_left_alone() {
    let others = [
        labels(&[]),
        labels(&[(LABEL, "Helm")]),
        labels(&[("managed-by", "causeway")]),
    ];
    let names = [
        "ServiceAccount kube-system/causeway-reader",
        "ClusterRole causeway-reader",
        "ClusterRoleBinding causeway-reader",
        "Secret kube-system/causeway-reader-token",
    ];
    for (object, name) in objects().iter().zip(names) {
        for labels in &others {
            let said = check_made_here(object, labels).unwrap_err().to_string();
            assert!(said.starts_with(&format!("the {name} is there")), "{said}");
        }
    }
}
