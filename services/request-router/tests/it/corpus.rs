//! Tables of hostile requests, each with what must come of it.

mod headers;
mod paths;
mod smuggling;
mod table;

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::stack::{Stack, soon};

/// Whether anything follows what is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum After {
    /// The router has all that it needs to end the connection by itself.
    Nothing,
    /// It may wait for more, which does not come: the sender leaves.
    Cut,
}

/// Sends bytes as they are and returns what comes back until the router hangs up.
async fn exchange(stack: &Stack, bytes: &[u8], after: After) -> String {
    let mut stream = TcpStream::connect(stack.router).await.unwrap();
    // The router may hang up before it has read all.
    let _ = stream.write_all(bytes).await;
    if after == After::Cut {
        let _ = stream.shutdown().await;
    }
    let mut answer = Vec::new();
    // A reset is an end, too.
    let _ = soon(stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

/// The statuses of all answers, in their order.
fn statuses(answers: &str) -> Vec<u16> {
    let lines = answers.match_indices("HTTP/1.1 ");
    lines
        .filter_map(|(at, found)| {
            answers
                .get(at + found.len()..at + found.len() + 3)?
                .parse()
                .ok()
        })
        .collect()
}
