use super::*;

#[test]
fn a_restart_is_dialled_again_soon_and_a_loss_with_growing_delays() {
    assert_eq!(after_close(Some(CloseCode::Restart)), Next::Soon);
    assert_eq!(after_close(Some(CloseCode::GoingAway)), Next::Soon);
    assert_eq!(after_close(None), Next::After(Duration::ZERO));
    assert_eq!(
        after_close(Some(CloseCode::Internal)),
        Next::After(Duration::ZERO)
    );
    assert_eq!(
        after_close(Some(CloseCode::TryLater)),
        Next::After(Duration::from_secs(1))
    );
}

#[test]
fn a_client_that_was_superseded_or_put_out_does_not_fight_back() {
    assert_eq!(
        after_close(Some(CloseCode::Superseded)),
        Next::After(REFUSED)
    );
    for code in [
        CloseCode::Unauthenticated,
        CloseCode::Forbidden,
        CloseCode::Policy,
    ] {
        assert_eq!(after_close(Some(code)), Next::Refused(REFUSED));
    }
}

#[test]
fn a_refused_upgrade_waits_as_asked_and_slowly_without_a_credential() {
    assert_eq!(
        after_refusal(&Refusal::unauthenticated("no")),
        Next::Refused(REFUSED)
    );
    assert_eq!(
        after_refusal(&Refusal::forbidden("no")),
        Next::Refused(REFUSED)
    );
    let busy = Refusal::unavailable("busy", Duration::from_secs(7));
    assert_eq!(after_refusal(&busy), Next::After(Duration::from_secs(7)));
    let many = Refusal::too_many("many", Duration::from_secs(90));
    assert_eq!(after_refusal(&many), Next::After(Duration::from_secs(90)));
}
