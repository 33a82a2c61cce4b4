use std::future;

use super::in_time;
use crate::{app::Late, failure::exit_code};

#[tokio::test]
async fn what_is_not_at_its_end_in_time_is_late_and_what_fails_is_not() {
    let time = "1ns".parse().unwrap();
    let late = in_time(time, "web", future::pending::<anyhow::Result<()>>());
    let late = late.await.unwrap_err();
    assert!(late.is::<Late>() && late.to_string().contains("web"));
    let code = format!("{:?}", exit_code(&late));
    assert_eq!(code, format!("{:?}", std::process::ExitCode::from(5)));
    let failed = in_time(
        time,
        "web",
        future::ready(Err::<(), _>(anyhow::anyhow!("broken"))),
    );
    assert!(!failed.await.unwrap_err().is::<Late>());
}
