use super::*;
use crate::application::Key;

#[test]
fn fixed_columns_are_not_compared_with_the_cursor() {
    let place = Place {
        rank: 0,
        text: "shop".to_owned(),
        key: Key {
            runtime_name: "east".to_owned(),
            namespace: "team".to_owned(),
            name: "web".to_owned(),
            cluster: "one".to_owned(),
            runtime: "id".to_owned(),
        },
    };
    let (equal, behind, before) = (Ordering::Equal, Ordering::Greater, Ordering::Less);
    let rest = "namespace name cluster runtime";
    for (sort, fixed, columns, rows) in [
        (Sort::Runtime, &[][..], &*KEY.join(" "), equal),
        (Sort::Runtime, &[("runtime_name", "east")], rest, equal),
        (Sort::Runtime, &[("runtime_name", "west")], "", behind),
        (Sort::Runtime, &[("runtime_name", "a")], "", before),
        (
            Sort::Runtime,
            &[("namespace", "team"), ("project", "any")],
            "runtime_name name cluster runtime",
            equal,
        ),
        (Sort::Health, &[("namespace", "x")], "runtime_name", behind),
        (Sort::Sync, &[("namespace", "a")], "runtime_name", before),
        (
            Sort::Project,
            &[("runtime_name", "east"), ("project", "shop")],
            rest,
            equal,
        ),
    ] {
        let (compared, to_place) = ScanOrder::By(sort).compared(&place, fixed);
        assert_eq!(compared.join(" "), columns, "{sort:?} {fixed:?}");
        assert_eq!(to_place, rows, "{sort:?} {fixed:?}");
    }
}
