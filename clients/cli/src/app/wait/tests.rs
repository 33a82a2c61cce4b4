use super::*;

fn absent(name: &str) -> Absent {
    Absent(format!("no application '{name}'"))
}

fn web() -> pb::Application {
    pb::Application {
        name: "web".to_owned(),
        ..pb::Application::default()
    }
}

#[test]
fn a_wait_for_deletion_accepts_an_absent_application() {
    let delete = Conditions {
        delete: true,
        ..Conditions::default()
    };
    let left = |found: Vec<pb::Application>, absent: Vec<Absent>| {
        let left = targets_to_wait_for(delete, found, absent).unwrap();
        left.into_iter().map(|it| it.name).collect::<Vec<_>>()
    };
    assert_eq!(left(vec![web()], vec![absent("api")]), ["web"]);
    assert_eq!(left(Vec::new(), vec![absent("api")]), Vec::<String>::new());
    assert_eq!(left(Vec::new(), Vec::new()), Vec::<String>::new());
}

#[test]
fn an_absent_application_fails_a_wait() {
    let other = Conditions::default();
    let error = |found, absent| targets_to_wait_for(other, found, absent).unwrap_err();
    let missing = error(vec![web()], vec![absent("api")]);
    assert!(missing.to_string().contains("api") && missing.is::<Absent>());
    assert!(error(Vec::new(), Vec::new()).is::<Absent>());
    assert_eq!(
        targets_to_wait_for(other, vec![web()], Vec::new())
            .unwrap()
            .len(),
        1
    );
}
