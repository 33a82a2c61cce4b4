use causeway_proto::reason::DOMAIN;
use tonic_types::{ErrorDetails, StatusExt as _};

use super::*;

#[test]
fn what_is_absent_has_the_exit_code_that_a_refusal_by_the_platform_has() {
    let absent: anyhow::Error = Absent("no application 'web'".to_owned()).into();
    assert_eq!(line(&absent, ""), "no application 'web'");
    let told: anyhow::Error = Status::not_found("no application 'web'").into();
    for error in [absent, told] {
        assert_eq!(exit_code(&error), ExitCode::from(4));
        assert_eq!(exit_code(&error.context("of two")), ExitCode::from(4));
    }
    assert_eq!(exit_code(&anyhow::anyhow!("no")), ExitCode::from(1));
}

#[test]
fn only_temporary_errors_exit_with_5() {
    let status = |code, reason: Option<Reason>| match reason {
        Some(reason) => {
            let details = ErrorDetails::with_error_info(reason.code(), DOMAIN, []);
            Status::with_error_details(code, "why", details)
        }
        None => Status::new(code, "why"),
    };
    for (code, reason, expected) in [
        (Code::Unavailable, None, 5),
        (Code::Unavailable, Some(Reason::ArgocdUnavailable), 5),
        (Code::DeadlineExceeded, None, 5),
        (Code::Aborted, Some(Reason::OperationInProgress), 5),
        (Code::ResourceExhausted, Some(Reason::Overloaded), 5),
        (Code::ResourceExhausted, Some(Reason::Throttled), 5),
        (Code::ResourceExhausted, Some(Reason::TooLarge), 1),
        (Code::ResourceExhausted, None, 1),
        (Code::InvalidArgument, Some(Reason::FieldInvalid), 1),
        (Code::PermissionDenied, Some(Reason::RuntimePolicy), 4),
    ] {
        let error: anyhow::Error = status(code, reason).into();
        assert_eq!(
            exit_code(&error),
            ExitCode::from(expected),
            "{code:?} {reason:?}"
        );
    }
}

#[test]
fn a_command_that_was_run_elsewhere_ends_with_its_own_code() {
    for (code, expected) in [(1, 1), (42, 42), (255, 255), (-1, 255), (256, 255), (0, 1)] {
        let error: anyhow::Error = Exited::with(code).into();
        assert_eq!(exit_code(&error), ExitCode::from(expected), "{code}");
        assert!(is_reported(&error));
    }
}

#[test]
fn what_was_waited_for_and_did_not_come_ends_as_with_argocd() {
    let late: anyhow::Error = WaitTimeout("guestbook is still Progressing".to_owned()).into();
    let no: anyhow::Error = Unsuccessful.into();
    let absent: anyhow::Error = Absent("no application 'web'".to_owned()).into();
    for error in [late, no, absent] {
        let told = is_reported(&error);
        let unmet = error.context(ConditionUnmet);
        assert_eq!(exit_code(&unmet), ExitCode::from(20));
        assert_eq!(is_reported(&unmet), told);
    }
}
