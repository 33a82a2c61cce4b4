use super::{Meaning, WatchActivity};

#[test]
fn watches_that_are_heard_when_they_are_opened_again_are_no_loss_however_often_they_fall_mute() {
    let mut voice = WatchActivity::default();
    assert!(!voice.heard());
    assert_eq!(voice.mute(), Meaning::Unusual);
    for _ in 0..100 {
        assert!(!voice.heard());
        assert_eq!(voice.mute(), Meaning::Nothing);
    }
}

#[test]
fn a_watch_that_stays_mute_is_told_of_once_and_so_is_its_end() {
    let mut voice = WatchActivity::default();
    assert_eq!(voice.mute(), Meaning::Unusual);
    assert_eq!(voice.mute(), Meaning::Loss);
    for _ in 0..100 {
        assert_eq!(voice.mute(), Meaning::Nothing);
    }
    assert!(voice.heard());
    assert_eq!(voice.mute(), Meaning::Nothing);
    assert_eq!(voice.mute(), Meaning::Loss);
}
