//! Watches that resume after a lost connection without gaps or repeats.

use std::time::Duration;

use anyhow::Error;
use causeway_client::{Backoff, is_transient, reason};
use causeway_proto::error::v1::Reason;
use tokio::time::{Instant, sleep};
use tonic::{Code, Status, Streaming};

use crate::output;

/// Tells a watch to continue or to stop.
pub(crate) enum Next {
    Continue,
    Stop,
}

/// A watch whose handler returns nothing never stops.
impl From<()> for Next {
    fn from((): ()) -> Self {
        Self::Continue
    }
}

/// Passes each response of a watch to `on_response` until it stops. `open` starts after a cursor, which is `cursor` of a
/// response, and is called again with the last one after each cut.
pub(crate) async fn follow<R, N: Into<Next>>(
    open: impl AsyncFn(String) -> Result<Streaming<R>, Status>,
    cursor: fn(&R) -> &String,
    on_response: impl FnMut(&R) -> anyhow::Result<N>,
) -> anyhow::Result<()> {
    follow_with_reconnects(open, cursor, note_reconnect, on_response).await
}

/// Like [`follow`], with a callback for each reconnect.
pub(crate) async fn follow_with_reconnects<R, N: Into<Next>>(
    open: impl AsyncFn(String) -> Result<Streaming<R>, Status>,
    cursor: fn(&R) -> &String,
    cut: impl FnMut(ResumeFrom),
    on_response: impl FnMut(&R) -> anyhow::Result<N>,
) -> anyhow::Result<()> {
    let mut backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(10));
    follow_with_backoff(&mut backoff, open, cursor, cut, on_response).await
}

/// Notes on stderr that a watch was cut.
pub(crate) fn note_reconnect(_: ResumeFrom) {
    output::note("the watch was cut; connecting again");
}

/// Where an interrupted watch resumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResumeFrom {
    /// Behind the last response.
    Cursor,
    /// From the complete state.
    Nothing,
}

async fn follow_with_backoff<R, N: Into<Next>>(
    backoff: &mut Backoff,
    open: impl AsyncFn(String) -> Result<Streaming<R>, Status>,
    cursor: fn(&R) -> &String,
    mut on_cut: impl FnMut(ResumeFrom),
    mut on_response: impl FnMut(&R) -> anyhow::Result<N>,
) -> anyhow::Result<()> {
    let (mut from, mut connected) = (String::new(), false);
    loop {
        let cut = match open(from.clone()).await {
            Ok(stream) => {
                connected = true;
                let note = |it: &R| {
                    from.clone_from(cursor(it));
                    // A watch that is cut once an hour for days must not wait longer each time.
                    backoff.reset();
                };
                match read(stream, note, &mut on_response).await? {
                    End::Enough => return Ok(()),
                    End::Cut(cut) => cut,
                }
            }
            Err(status) => Err(status),
        };
        if let Err(status) = cut
            && !(connected && can_resume(&status, &mut from))
        {
            return Err(status.into());
        }
        on_cut(match from.as_str() {
            "" => ResumeFrom::Nothing,
            _ => ResumeFrom::Cursor,
        });
        sleep(backoff.next_delay()).await;
    }
}

/// End of one stream of a watch.
enum End {
    Enough,
    Cut(Result<(), Status>),
}

async fn read<R, N: Into<Next>>(
    mut stream: Streaming<R>,
    mut note: impl FnMut(&R),
    on_response: &mut impl FnMut(&R) -> anyhow::Result<N>,
) -> anyhow::Result<End> {
    loop {
        let response = match stream.message().await {
            Ok(Some(response)) => response,
            Ok(None) => return Ok(End::Cut(Ok(()))),
            Err(status) => return Ok(End::Cut(Err(status))),
        };
        note(&response);
        if let Next::Stop = on_response(&response)?.into() {
            return Ok(End::Enough);
        }
    }
}

/// True if a watch can resume after this status; clears an expired cursor.
fn can_resume(status: &Status, cursor: &mut String) -> bool {
    if reason(status) == Some(Reason::CursorExpired) {
        cursor.clear();
        return true;
    }
    let passes = [Code::Unknown, Code::Cancelled, Code::Internal];
    is_transient(status) || passes.contains(&status.code())
}

/// Interval of polling.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// At most one in this many parts of the time is spent on requests.
const POLL_SHARE: u32 = 5;

/// Polls what no stream reports and passes each result to `on_result`. Retries transient errors after the first result.
pub(crate) async fn poll<S, R>(
    mut state: S,
    fetch: impl AsyncFn(&S) -> anyhow::Result<R>,
    mut on_result: impl FnMut(&mut S, R) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut backoff = Backoff::new(POLL_INTERVAL, Duration::from_secs(30));
    let mut succeeded = false;
    loop {
        let started = Instant::now();
        let wait = match fetch(&state).await {
            Ok(result) => {
                succeeded = true;
                backoff.reset();
                on_result(&mut state, result)?;
                POLL_INTERVAL.max(started.elapsed() * (POLL_SHARE - 1))
            }
            Err(error) if succeeded && is_retryable(&error) => {
                output::note("no answer; asking again");
                backoff.next_delay()
            }
            Err(error) => return Err(error),
        };
        sleep(wait).await;
    }
}

/// True for transient errors.
pub(crate) fn is_retryable(error: &Error) -> bool {
    error.downcast_ref::<Status>().is_some_and(is_transient)
}

#[cfg(test)]
mod tests;
