//! Serves one request with `git http-backend`: CGI variables in, parsed head and streamed body out.

use std::{path::Path, process::Stdio};

use async_stream::try_stream;
use axum::{body::Body, http::StatusCode, response::Response};
use bytes::{Bytes, BytesMut};
use futures::StreamExt;
use http::{HeaderMap, Method, header};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::{Instant, timeout_at},
};

use super::{GitError, program};

/// The most bytes of one request.
const REQUEST: u64 = 64 << 20;
const HEAD: usize = 16 << 10;
const CHUNK: usize = 64 << 10;

/// Repository and service of a request.
#[derive(Debug)]
pub(super) struct Service<'a> {
    pub(super) root: &'a Path,
    /// `<name>.git`, from the table
    pub(super) repository: String,
    /// `info/refs`, `git-upload-pack` or `git-receive-pack`
    pub(super) path: &'static str,
    pub(super) query: &'static str,
}

/// The child and what ends with it: its turn, and the word that a push may have landed.
pub(super) struct Running<G> {
    child: Child,
    output: ChildStdout,
    deadline: Instant,
    guard: G,
}

pub(super) fn start<G>(
    service: &Service<'_>,
    method: &Method,
    headers: &HeaderMap,
    guard: G,
) -> Result<(Running<G>, ChildStdin), GitError> {
    let mut child = program::spawn(command(service, method, headers), "http-backend")?;
    let input = child.stdin.take().expect("standard input is piped");
    let output = child.stdout.take().expect("standard output is piped");
    let deadline = Instant::now() + program::LIFETIME;
    Ok((
        Running {
            child,
            output,
            deadline,
            guard,
        },
        input,
    ))
}

fn command(service: &Service<'_>, method: &Method, headers: &HeaderMap) -> Command {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("")
    };
    let mut command = program::command();
    command
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", service.root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env(
            "PATH_INFO",
            format!("/{}/{}", service.repository, service.path),
        )
        .env("QUERY_STRING", service.query)
        .env("REQUEST_METHOD", method.as_str())
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("CONTENT_TYPE", text("content-type"))
        .env("CONTENT_LENGTH", text("content-length"))
        .stderr(Stdio::null());
    if matches!(text("content-encoding"), "gzip" | "x-gzip") {
        command.env("HTTP_CONTENT_ENCODING", "gzip");
    }
    if matches!(text("git-protocol"), "version=1" | "version=2") {
        command.env("GIT_PROTOCOL", text("git-protocol"));
    }
    command
}

/// Writes the request's body to the child; stops at the limit, at the deadline, or when the child has read enough.
pub(super) async fn feed(mut input: ChildStdin, body: Body) {
    let deadline = Instant::now() + program::LIFETIME;
    let mut stream = body.into_data_stream();
    let mut left = REQUEST;
    while let Ok(Some(Ok(bytes))) = timeout_at(deadline, stream.next()).await {
        let Some(remaining) = left.checked_sub(bytes.len() as u64) else {
            return;
        };
        left = remaining;
        if !matches!(
            timeout_at(deadline, input.write_all(&bytes)).await,
            Ok(Ok(()))
        ) {
            return;
        }
    }
}

impl<G: Send + 'static> Running<G> {
    /// Reads the head of the answer, then streams the rest of it.
    pub(super) async fn answer(mut self) -> Result<Response, GitError> {
        let mut buffer = BytesMut::new();
        let end = self.read_head(&mut buffer).await?;
        let head = buffer.split_to(end);
        let mut response = Response::new(Body::empty());
        parse_head(&head, &mut response);
        *response.body_mut() = Body::from_stream(self.body(buffer.freeze()));
        Ok(response)
    }

    async fn read_head(&mut self, buffer: &mut BytesMut) -> Result<usize, GitError> {
        let failed = |message: &str| GitError::Failed {
            command: "http-backend".to_owned(),
            message: message.to_owned(),
        };
        loop {
            if let Some(end) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
                return Ok(end + 4);
            }
            if buffer.len() > HEAD {
                return Err(failed("its answer has no head"));
            }
            match timeout_at(self.deadline, self.output.read_buf(buffer)).await {
                Err(_) => return Err(Self::slow()),
                Ok(Ok(0) | Err(_)) => return Err(failed("it ended without an answer")),
                Ok(Ok(_)) => {}
            }
        }
    }

    fn body(
        self,
        first: Bytes,
    ) -> impl futures::Stream<Item = Result<Bytes, GitError>> + Send + 'static {
        try_stream! {
            // the whole of it, or the guard would not come along
            let mut running = self;
            if !first.is_empty() {
                yield first;
            }
            loop {
                let mut buffer = BytesMut::with_capacity(CHUNK);
                match timeout_at(running.deadline, running.output.read_buf(&mut buffer)).await {
                    Err(_) => Err(Self::slow())?,
                    Ok(Ok(0) | Err(_)) => break,
                    Ok(Ok(_)) => yield buffer.freeze(),
                }
            }
            // the hooks and the reference update are over only when the child is
            let _ = timeout_at(running.deadline, running.child.wait()).await;
            drop(running.guard);
        }
    }

    fn slow() -> GitError {
        GitError::Slow {
            command: "http-backend".to_owned(),
            seconds: program::LIFETIME.as_secs(),
        }
    }
}

fn parse_head(head: &[u8], response: &mut Response) {
    for line in String::from_utf8_lossy(head).lines() {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        let (name, value) = (name.trim(), value.trim());
        if name.eq_ignore_ascii_case("status") {
            let code = value.split(' ').next().and_then(|code| code.parse().ok());
            *response.status_mut() = code.unwrap_or(StatusCode::BAD_GATEWAY);
        } else if let (Ok(name), Ok(value)) = (header::HeaderName::try_from(name), value.parse()) {
            response.headers_mut().insert(name, value);
        }
    }
}
