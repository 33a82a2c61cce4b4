use super::*;

#[test]
fn the_last_three_lines_are_one_line() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "one\ntwo\n\nthree  \nfour\n\n").unwrap();
    assert_eq!(last_words(file.path()), "two | three | four");
}

#[test]
fn a_missing_log_is_empty() {
    assert_eq!(last_words(Path::new("/nonexistent/log")), "nothing");
}

#[test]
fn a_long_log_is_read_from_its_end() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{}\nend\n", "x".repeat(1 << 20))).unwrap();
    assert!(tail(file.path()).len() <= 16 << 10);
    assert!(last_words(file.path()).ends_with(" | end"));
}
