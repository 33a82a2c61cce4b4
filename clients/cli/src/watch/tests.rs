use http::StatusCode;
use tonic::codec::{DecodeBuf, Decoder};

use super::*;

/// Reads each message as an empty text.
struct Empty;

impl Decoder for Empty {
    type Item = String;
    type Error = Status;

    fn decode(&mut self, _: &mut DecodeBuf<'_>) -> Result<Option<String>, Status> {
        Ok(Some(String::new()))
    }
}

/// A stream of one message, which is cut after it.
fn cut() -> Streaming<String> {
    let message = "\0".repeat(5);
    Streaming::new_response(Empty, message, StatusCode::OK, None, None)
}

#[tokio::test]
async fn a_response_between_cuts_resets_the_backoff() {
    let first = Duration::from_millis(1);
    let (mut backoff, mut heard) = (Backoff::new(first, Duration::from_secs(10)), 0);
    let see = |_: &String| {
        heard += 1;
        Ok(match heard {
            12 => Next::Stop,
            _ => Next::Continue,
        })
    };
    let followed = follow_with_backoff(&mut backoff, async |_| Ok(cut()), |it| it, |_| {}, see);
    followed.await.unwrap();
    assert!(backoff.next_delay() <= first);
}
