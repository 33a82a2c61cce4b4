//! A sign-in with a browser on another device.

use std::time::{Duration, SystemTime};

use anyhow::bail;
use causeway_oidc::RandomToken;
use causeway_proto::{
    platform::v1 as pb,
    time::{timestamp_to_millis, to_millis},
};
use tokio::time::{Instant, sleep, sleep_until};
use tonic::Code;

use super::{SignedIn, shown};
use crate::{connection::Connection, output};

/// No provider lets a person take longer.
const LONGEST: Duration = Duration::from_secs(30 * 60);

pub(super) async fn sign_in(
    connection: &Connection,
    account: String,
    provider: String,
) -> anyhow::Result<SignedIn> {
    let verifier = RandomToken::generate();
    let request = pb::StartDeviceSignInRequest {
        account,
        provider,
        challenge: verifier.challenge(),
    };
    let started = connection.sign_in().start_device_sign_in(request).await?;
    let started = started.into_inner();
    show(&started);
    let end = Instant::now() + left(&started);
    let request = pb::FinishDeviceSignInRequest {
        state: started.state,
        verifier: verifier.expose().to_owned(),
    };
    tokio::select! {
        done = poll(connection, request, started.interval_seconds) => done,
        () = sleep_until(end) => bail!("the code was not used in time: try again with 'causeway login --device'"),
    }
}

fn show(started: &pb::StartDeviceSignInResponse) {
    let page = shown(&started.verification_uri);
    let code = shown(&started.user_code);
    output::note(format!(
        "open {page} in any browser and type the code {code}"
    ));
    if !started.verification_uri_complete.is_empty() {
        let page = shown(&started.verification_uri_complete);
        output::note(format!("or open {page}"));
    }
}

fn left(started: &pb::StartDeviceSignInResponse) -> Duration {
    let end = started.expires_at.as_ref().map_or(0, timestamp_to_millis);
    let left = end.saturating_sub(to_millis(SystemTime::now()));
    Duration::from_millis(u64::try_from(left).unwrap_or(0)).min(LONGEST)
}

/// Asks until the person is done, no faster than the platform says.
async fn poll(
    connection: &Connection,
    request: pb::FinishDeviceSignInRequest,
    first: u32,
) -> anyhow::Result<SignedIn> {
    let mut seconds = first.max(1);
    let mut platform = connection.sign_in();
    loop {
        sleep(Duration::from_secs(seconds.into())).await;
        let answer = platform.finish_device_sign_in(request.clone());
        match answer.await.map(tonic::Response::into_inner) {
            Ok(answer) if answer.pending_interval_seconds == 0 => {
                return SignedIn::new(answer.session_token, answer.session);
            }
            Ok(answer) => seconds = answer.pending_interval_seconds,
            // The person goes on meanwhile, and so can this.
            Err(status) if matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded) => {}
            Err(status) => return Err(status.into()),
        }
    }
}
