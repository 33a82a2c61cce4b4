use super::without_trailing_space;

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
