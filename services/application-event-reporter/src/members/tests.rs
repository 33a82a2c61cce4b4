use super::owns;

fn names(count: usize) -> Vec<String> {
    (0..count)
        .map(|number| format!("reporter-{number}"))
        .collect()
}

fn owner(members: &[String], object: &str) -> usize {
    let owners: Vec<usize> = (0..members.len())
        .filter(|at| owns(&members[*at], members, &["cluster", "argocd", object]))
        .collect();
    assert_eq!(owners.len(), 1, "{object} has the owners {owners:?}");
    owners[0]
}

#[test]
fn each_object_has_one_owner_and_few_move_when_one_comes() {
    let objects: Vec<String> = (0..2_000).map(|number| format!("app-{number}")).collect();
    let (five, six) = (names(5), names(6));
    let moved = objects
        .iter()
        .filter(|object| owner(&five, object) != owner(&six, object));
    let moved = moved.count();
    assert!((250..450).contains(&moved), "{moved} of 2000 moved");
}

#[test]
fn a_reporter_that_is_not_counted_reports_everything() {
    assert!(owns("stranger", &names(3), &["a"]));
    assert!(owns("stranger", &[], &["a"]));
}
