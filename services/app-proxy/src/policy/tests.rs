use super::{Action, Policy};

#[test]
fn nothing_is_allowed_that_is_not_listed() {
    for action in [Action::Read, Action::Sync, Action::Refresh] {
        assert!(Policy::default().check(action).is_err());
        assert!(Policy::new([action]).check(action).is_ok());
    }
    let denied = Policy::new([Action::Read, Action::Refresh]).check(Action::Sync);
    let text = denied.unwrap_err().to_string();
    assert!(text.contains("--allow sync"), "{text}");
}
