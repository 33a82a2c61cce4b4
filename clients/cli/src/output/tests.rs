use super::columns::without_trailing_space;
use super::*;

#[test]
fn padding_goes_and_colours_stay() {
    assert_eq!(without_trailing_space("a  b   "), "a  b");
    assert_eq!(
        without_trailing_space("a \u{1b}[38;5;10mSynced   \u{1b}[39m"),
        "a \u{1b}[38;5;10mSynced\u{1b}[39m"
    );
    assert_eq!(
        without_trailing_space("\u{1b}[1mred   \u{1b}[0m\u{1b}[39m  "),
        "\u{1b}[1mred\u{1b}[0m\u{1b}[39m"
    );
}

#[test]
fn columns_that_only_wide_shows_are_left_out_and_pages_keep_their_widths() {
    let mut columns = Columns::with_wide(&["NAME", "SYNC"], &["CLUSTER"]);
    columns.row(vec!["guestbook".into(), "Synced".into(), "spoke".into()]);
    assert_eq!(columns.text(), "NAME        SYNC\nguestbook   Synced");
    let mut lines = Lines::new(&["NAME", "SYNC"], &["CLUSTER"]);
    let row = |name: &str, sync: &str| [name, sync, "spoke"].map(Text::new).into();
    lines.row(row("guestbook", "Synced"));
    assert_eq!(lines.page(), "NAME        SYNC\nguestbook   Synced");
    lines.row(row("p\u{e4}y", "OutOfSync"));
    lines.row(row("\u{4e2d}", ""));
    assert_eq!(lines.page(), "p\u{e4}y         OutOfSync\n\u{4e2d}");
    lines.row(row("\u{4e2d}", "-"));
    assert_eq!(lines.page(), "\u{4e2d}          -");
    assert_eq!(lines.page(), "");
}

#[test]
fn both_kinds_of_tables_have_the_same_colours_and_columns() {
    let mut columns = Columns::new(&["NAME", "HEALTH", "X"]);
    let mut lines = Lines::new(&["NAME", "HEALTH", "X"], &[]);
    for (name, state) in [
        ("guestbook", "Degraded"),
        ("pay", "Healthy"),
        ("a", "Progressing"),
    ] {
        columns.row(vec![name.into(), state_cell(state), "x".into()]);
        lines.row(vec![Text::new(name), Text::state(state), Text::new("x")]);
    }
    let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
    let (columns, lines) = (columns.text(), lines.page());
    assert_eq!(plain(&columns), plain(&lines));
    for code in [
        "[38;5;9mDegraded",
        "[38;5;10mHealthy",
        "[38;5;11mProgressing",
    ] {
        assert!(columns.contains(code) && lines.contains(code), "{columns}");
    }
}
