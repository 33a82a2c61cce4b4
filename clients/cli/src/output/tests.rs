use super::*;

fn row(cells: [&str; 3]) -> [Cell; 3] {
    cells.map(Cell::new)
}

#[test]
fn columns_that_only_wide_shows_are_left_out_and_pages_keep_their_widths() {
    let mut table = Table::with_wide(&["NAME", "SYNC"], &["CLUSTER"]);
    table.row(row(["guestbook", "Synced", "spoke"]));
    assert_eq!(table.page(), "NAME        SYNC\nguestbook   Synced");
    table.row(row(["p\u{e4}y", "OutOfSync", "spoke"]));
    table.row(row(["\u{4e2d}", "", "spoke"]));
    assert_eq!(table.page(), "p\u{e4}y         OutOfSync\n\u{4e2d}");
    table.row(row(["\u{4e2d}", "-", "spoke"]));
    assert_eq!(table.page(), "\u{4e2d}          -");
    assert_eq!(table.page(), "");
}

#[test]
fn lines_of_a_text_stay_in_their_column() {
    let mut table = Table::new(&["NAME", "MESSAGE", "AGE"]);
    table.row(row(["web", "one\ntwo", "5s"]));
    let wanted = "NAME   MESSAGE   AGE\nweb    one       5s\n       two";
    assert_eq!(table.text(), wanted);
}

#[test]
fn states_are_coloured_without_their_padding() {
    let mut table = Table::new(&["NAME", "HEALTH", "X"]);
    for (name, state) in [("a", "Degraded"), ("b", "Healthy"), ("c", "Progressing")] {
        table.row([Cell::new(name), Cell::state(state), Cell::new("x")]);
    }
    let text = table.text();
    for cell in [
        "\u{1b}[38;5;9mDegraded\u{1b}[39m      x",
        "\u{1b}[38;5;10mHealthy\u{1b}[39m       x",
        "\u{1b}[38;5;11mProgressing\u{1b}[39m   x",
    ] {
        assert!(text.contains(cell), "{text}");
    }
}

#[test]
fn stale_states_are_never_green() {
    let mut table = Table::new(&["SYNC", "HEALTH"]);
    let cells = ["Synced (stale 12m)", "Degraded (stale 12m)"].map(Cell::state);
    table.row(cells);
    let text = table.text();
    for cell in [
        "\u{1b}[38;5;11mSynced (stale 12m)\u{1b}[39m",
        "\u{1b}[38;5;9mDegraded (stale 12m)\u{1b}[39m",
    ] {
        assert!(text.contains(cell), "{text}");
    }
}

#[test]
fn document_about_an_object_names_it() {
    use causeway_proto::{inventory::v1::Operation, proxy::v1::SyncApplicationResponse};
    let place = ("edge", "argocd", "web");
    let accepted = named(&SyncApplicationResponse::default(), place).unwrap();
    let operation = Operation {
        message: "successfully synced".to_owned(),
        ..Operation::default()
    };
    let operation = named(&operation, place).unwrap();
    for document in [&accepted, &operation] {
        let text = |field: &str| document[field].as_str().unwrap_or_default().to_owned();
        assert_eq!(
            ["runtime", "namespace", "name"].map(text),
            ["edge", "argocd", "web"]
        );
    }
    assert_eq!(operation["message"], "successfully synced");
}
