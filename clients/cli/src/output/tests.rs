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
    assert_eq!(columns.page(), "NAME        SYNC\nguestbook   Synced");
    columns.row(vec!["pay".into(), "OutOfSync".into(), "spoke".into()]);
    assert_eq!(columns.page(), "pay         OutOfSync");
    assert_eq!(columns.page(), "");
}
