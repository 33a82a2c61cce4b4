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
