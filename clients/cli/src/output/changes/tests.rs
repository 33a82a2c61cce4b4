use anstream::adapter::strip_str;

use super::*;

fn page(changes: &mut Changes) -> Vec<String> {
    let text = changes.lines.page();
    let lines = text.lines().map(|it| strip_str(it).to_string());
    // Without the time of day.
    lines
        .map(|it| it.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn a_row_is_printed_when_it_is_another_one_and_what_went_is_told() {
    let row = |state: &str| vec![Text::new("web"), Text::state(state)];
    let mut changes = Changes::new(&["NAME", "STATE"]);
    changes.see("web", row("online"));
    changes.see("web", row("online"));
    assert_eq!(page(&mut changes), ["NAME STATE", "web online"]);
    changes.see("web", row("online"));
    assert_eq!(page(&mut changes), [""; 0]);
    changes.see("web", row("offline"));
    assert_eq!(page(&mut changes), ["web offline"]);
    assert_eq!(changes.without(&["web"]), [""; 0]);
    assert_eq!(changes.without(&[]), ["web"]);
    changes.gone("web");
    changes.gone("web");
    assert_eq!(page(&mut changes), ["web gone"]);
    changes.see("web", row("offline"));
    assert_eq!(page(&mut changes), ["web offline"]);
}
