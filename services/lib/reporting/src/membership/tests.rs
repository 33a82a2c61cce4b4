use super::*;

fn names(count: usize) -> Vec<String> {
    (0..count)
        .map(|number| format!("reporter-{number}"))
        .collect()
}

fn share(instance: &str, members: &[String]) -> Share {
    Share {
        instance: instance.to_owned(),
        cluster: "in-cluster".to_owned(),
        kind: "applications.argoproj.io".to_owned(),
        members: members.to_vec(),
    }
}

fn key(number: usize) -> ObjectKey {
    ObjectKey {
        namespace: "argocd".to_owned(),
        name: format!("app-{number}"),
        uid: format!("uid-{number}"),
    }
}

#[test]
fn each_object_has_one_owner_whatever_its_uid_is() {
    let members = names(5);
    for number in 0..200 {
        let object = key(number);
        let again = ObjectKey {
            uid: "another".to_owned(),
            ..object.clone()
        };
        let owners = |object: &ObjectKey| -> Vec<usize> {
            let has = |at: &usize| share(&members[*at], &members).has(object);
            (0..members.len()).filter(has).collect()
        };
        assert_eq!(owners(&object).len(), 1, "{object:?}");
        assert_eq!(owners(&object), owners(&again));
    }
}

#[test]
fn a_reporter_that_is_not_counted_reports_everything() {
    assert!(share("stranger", &names(3)).has(&key(1)));
    assert!(share("stranger", &[]).has(&key(1)));
}
