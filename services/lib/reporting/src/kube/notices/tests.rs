use super::{SilenceNotice, WatchActivity};

#[test]
fn watches_that_are_heard_when_they_are_opened_again_are_no_loss_however_often_they_fall_mute() {
    let mut activity = WatchActivity::default();
    assert!(!activity.on_activity());
    assert_eq!(activity.on_silence(), SilenceNotice::Unusual);
    for _ in 0..100 {
        assert!(!activity.on_activity());
        assert_eq!(activity.on_silence(), SilenceNotice::Nothing);
    }
}

#[test]
fn a_watch_that_stays_mute_is_told_of_once_and_so_is_its_end() {
    let mut activity = WatchActivity::default();
    assert_eq!(activity.on_silence(), SilenceNotice::Unusual);
    assert_eq!(activity.on_silence(), SilenceNotice::Loss);
    for _ in 0..100 {
        assert_eq!(activity.on_silence(), SilenceNotice::Nothing);
    }
    assert!(activity.on_activity());
    assert_eq!(activity.on_silence(), SilenceNotice::Nothing);
    assert_eq!(activity.on_silence(), SilenceNotice::Loss);
}
