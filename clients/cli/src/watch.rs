//! Watches that resume after a lost connection without gaps or repeats.

use std::time::Duration;

use anyhow::Error;
use causeway_client::{Backoff, is_transient, reason};
use causeway_proto::error::v1::Reason;
use tokio::time::{Instant, sleep};
use tonic::{Code, Status, Streaming};

use crate::output;

/// Whether a watch has seen enough.
pub(crate) enum Next {
    Continue,
    Stop,
}

/// Hands each response of a watch to `see` until it has seen enough. `open` begins after a cursor, which is `cursor` of a
/// response; it is called again from the last one for as long as it takes.
pub(crate) async fn follow<R>(
    open: impl AsyncFn(String) -> Result<Streaming<R>, Status>,
    cursor: fn(&R) -> &String,
    see: impl FnMut(&R) -> anyhow::Result<Next>,
) -> anyhow::Result<()> {
    follow_with_reconnects(open, cursor, note_reconnect, see).await
}

/// Like [`follow`], with a callback for each reconnect.
pub(crate) async fn follow_with_reconnects<R>(
    open: impl AsyncFn(String) -> Result<Streaming<R>, Status>,
    cursor: fn(&R) -> &String,
    cut: impl FnMut(ResumeFrom),
    see: impl FnMut(&R) -> anyhow::Result<Next>,
) -> anyhow::Result<()> {
    let mut backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(10));
    follow_with_backoff(&mut backoff, open, cursor, cut, see).await
}

/// That a watch was cut, for whoever has no other place for it.
pub(crate) fn note_reconnect(_: ResumeFrom) {
    output::note("the watch was cut; connecting again");
}

/// Where an interrupted watch resumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResumeFrom {
    /// Behind what was seen last.
    Cursor,
    /// From all that there is.
    Nothing,
}

async fn follow_with_backoff<R>(
    backoff: &mut Backoff,
    open: impl AsyncFn(String) -> Result<Streaming<R>, Status>,
    cursor: fn(&R) -> &String,
    mut cut_at: impl FnMut(ResumeFrom),
    mut see: impl FnMut(&R) -> anyhow::Result<Next>,
) -> anyhow::Result<()> {
    let (mut from, mut connected) = (String::new(), false);
    loop {
        let cut = match open(from.clone()).await {
            Ok(stream) => {
                connected = true;
                let note = |it: &R| {
                    from.clone_from(cursor(it));
                    // What is cut once an hour for days is not kept waiting for it.
                    backoff.reset();
                };
                match read(stream, note, &mut see).await? {
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
        cut_at(match from.as_str() {
            "" => ResumeFrom::Nothing,
            _ => ResumeFrom::Cursor,
        });
        sleep(backoff.next_delay()).await;
    }
}

/// How one stream of a watch ended.
enum End {
    Enough,
    Cut(Result<(), Status>),
}

async fn read<R>(
    mut stream: Streaming<R>,
    mut note: impl FnMut(&R),
    see: &mut impl FnMut(&R) -> anyhow::Result<Next>,
) -> anyhow::Result<End> {
    loop {
        let response = match stream.message().await {
            Ok(Some(response)) => response,
            Ok(None) => return Ok(End::Cut(Ok(()))),
            Err(status) => return Ok(End::Cut(Err(status))),
        };
        note(&response);
        if let Next::Stop = see(&response)? {
            return Ok(End::Enough);
        }
    }
}

/// Whether a watch that ended so is to be opened again, from a cursor that still counts.
fn can_resume(status: &Status, cursor: &mut String) -> bool {
    if reason(status) == Some(Reason::CursorExpired) {
        cursor.clear();
        return true;
    }
    let passes = [Code::Unknown, Code::Cancelled, Code::Internal];
    is_transient(status) || passes.contains(&status.code())
}

/// How often is asked for what no stream tells of.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// At most this part of the time is spent on asking.
const POLL_SHARE: u32 = 5;

/// Asks again and again for what no stream tells of, and hands each answer to `see`. What passes is asked again, once there was an answer.
pub(crate) async fn poll<S, R>(
    mut state: S,
    ask: impl AsyncFn(&S) -> anyhow::Result<R>,
    mut see: impl FnMut(&mut S, R) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut backoff = Backoff::new(POLL_INTERVAL, Duration::from_secs(30));
    let mut answered = false;
    loop {
        let begun = Instant::now();
        let wait = match ask(&state).await {
            Ok(answer) => {
                answered = true;
                backoff.reset();
                see(&mut state, answer)?;
                POLL_INTERVAL.max(begun.elapsed() * (POLL_SHARE - 1))
            }
            Err(error) if answered && is_retryable(&error) => {
                output::note("no answer; asking again");
                backoff.next_delay()
            }
            Err(error) => return Err(error),
        };
        sleep(wait).await;
    }
}

/// Whether it may be asked again for.
pub(crate) fn is_retryable(error: &Error) -> bool {
    error.downcast_ref::<Status>().is_some_and(is_transient)
}

#[cfg(test)]
mod tests;
