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
fn a_row_is_printed_when_it_is_another_one_and_what_went_is_told() {
    let mut changes = Changes::new::<States>();
    changes.see::<States>("web", &"online");
    changes.see::<States>("web", &"online");
    assert_eq!(page(&mut changes), ["NAME STATE", "web online"]);
    changes.see::<States>("web", &"online");
    assert_eq!(page(&mut changes), [""; 0]);
    changes.see::<States>("web", &"offline");
    assert_eq!(page(&mut changes), ["web offline"]);
    assert_eq!(changes.without(&["web"]), [""; 0]);
    assert_eq!(changes.without(&[]), ["web"]);
    changes.gone("web");
    changes.gone("web");
    assert_eq!(page(&mut changes), ["web gone"]);
    changes.see::<States>("web", &"offline");
    assert_eq!(page(&mut changes), ["web offline"]);
}
