use anstream::adapter::strip_str;

use super::*;

fn page(changes: &mut Changes) -> Vec<String> {
    let text = changes.table.page();
    let lines = text.lines().map(|it| strip_str(it).to_string());
    // Without the time of day.
    lines
        .map(|it| it.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
        .collect()
}

struct States;

impl Columns for States {
    type Item = &'static str;
    const HEADINGS: &'static [&'static str] = &["NAME", "STATE", "AGE"];
    const WATCHED: usize = 2;

    fn cells(state: &&'static str) -> Vec<Cell> {
        vec![Cell::new("web"), Cell::state(state), Cell::new("5s")]
    }
}

#[test]
fn changed_and_removed_rows_are_printed() {
    let mut changes = Changes::new::<States>();
    changes.update::<States>("web", &"online");
    changes.update::<States>("web", &"online");
    assert_eq!(page(&mut changes), ["NAME STATE", "web online"]);
    changes.update::<States>("web", &"online");
    assert_eq!(page(&mut changes), [""; 0]);
    changes.update::<States>("web", &"offline");
    assert_eq!(page(&mut changes), ["web offline"]);
    assert_eq!(changes.missing(&["web"]), [""; 0]);
    assert_eq!(changes.missing(&[]), ["web"]);
    changes.remove("web");
    changes.remove("web");
    assert_eq!(page(&mut changes), ["web gone"]);
    changes.update::<States>("web", &"offline");
    assert_eq!(page(&mut changes), ["web offline"]);
}
