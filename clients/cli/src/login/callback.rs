//! Callback page of a browser sign-in, on a free loopback port, open for one valid answer or five minutes.
//!
//! Its path names account and provider, so that a code of another provider is not accepted.
//! Answers of other sign-ins change nothing.

mod page;

use std::{io, time::Duration};

use causeway_oidc::RandomToken;
use http::{Request, header};
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinSet,
    time::timeout,
};

use self::page::Page;

const PATIENCE: Duration = Duration::from_secs(300);
/// What a browser opens at once, and no more.
const CONNECTIONS: usize = 16;
const HEADER_TIME: Duration = Duration::from_secs(10);
const LARGEST_HEADERS: usize = 16 << 10;
/// How long the last page may take on its way.
const LAST_PAGE: Duration = Duration::from_secs(2);
const FOLDER: &str = "/callback";
/// As long as the platform takes.
const LONGEST_CODE: usize = 2048;
const LONGEST_ISSUER: usize = 512;

/// A page that waits.
pub(super) struct Callback {
    listener: TcpListener,
    place: PageAddress,
}

/// Host and path of the page.
#[derive(Debug, Clone)]
struct PageAddress {
    host: String,
    path: String,
}

/// Parameters of the callback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallbackParams {
    pub(super) code: String,
    /// Who gave the code, as the browser has it; empty where it says nothing.
    pub(super) issuer: String,
}

/// Why no code came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum CallbackError {
    #[error("no sign-in within 5 minutes: try again with 'causeway login'")]
    Late,
    #[error("the identity provider denied access: sign in as another user, or ask its admin")]
    Denied,
    #[error("the identity provider did not complete the sign-in: its own page or log says why")]
    Refused,
}

type Outcome = Result<CallbackParams, CallbackError>;

impl Callback {
    /// For a sign-in to an account by a provider.
    pub(super) async fn listen(account: &str, provider: &str) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let place = PageAddress {
            host: listener.local_addr()?.to_string(),
            path: format!("{FOLDER}/{account}/{provider}"),
        };
        Ok(Self { listener, place })
    }

    pub(super) fn redirect_uri(&self) -> String {
        format!("http://{}{}", self.place.host, self.place.path)
    }

    /// Waits for the browser that brings this state, and gives the code that it brings with it.
    pub(super) async fn brought(self, state: &str) -> Outcome {
        match timeout(PATIENCE, self.outcome(state)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(CallbackError::Late),
        }
    }

    async fn outcome(self, state: &str) -> Outcome {
        let (tell, mut told) = mpsc::channel(1);
        let mut open = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                Some(outcome) = told.recv() => {
                    drop(self.listener);
                    // The browser may as well be gone.
                    let _ = timeout(LAST_PAGE, open.join_all()).await;
                    return outcome;
                }
                Some(_) = open.join_next() => {}
                accepted = self.listener.accept(), if open.len() < CONNECTIONS => {
                    if let Ok((stream, _)) = accepted {
                        let expected = Expected::new(&self.place, state);
                        open.spawn(serve(stream, expected, tell.clone()));
                    }
                }
            }
        }
    }
}

/// What the right answer has.
struct Expected {
    place: PageAddress,
    state: RandomToken,
}

async fn serve(stream: TcpStream, expected: Expected, tell: mpsc::Sender<Outcome>) {
    let service = service_fn(|request| {
        let (page, outcome) = expected.read(&request);
        // Only the first outcome counts; there is room for one.
        let page = match outcome.map(|outcome| tell.try_send(outcome)) {
            Some(Err(_)) => Page::Over,
            None | Some(Ok(())) => page,
        };
        async move { Ok::<_, http::Error>(page.into_response()) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(LARGEST_HEADERS)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    // What breaks is the other side's; it may come again.
    let _ = connection.await;
}

impl Expected {
    fn new(place: &PageAddress, state: &str) -> Self {
        Self {
            place: place.clone(),
            state: RandomToken::from_text(state.to_owned()),
        }
    }

    /// What to show, and how the sign-in ended, if this request ends it.
    fn read<B>(&self, request: &Request<B>) -> (Page, Option<Outcome>) {
        let host = request.headers().get(header::HOST);
        let PageAddress { host: own, path } = &self.place;
        let here = host.is_some_and(|host| host.as_bytes() == own.as_bytes());
        if !here || request.method() != http::Method::GET || request.uri().path() != path {
            return (Page::Nothing, None);
        }
        let query = request.uri().query().unwrap_or_default();
        if field(query, "state").as_deref() != Some(self.state.expose()) {
            return (Page::Foreign, None);
        }
        if let Some(error) = field(query, "error") {
            let error = match error.as_str() {
                "access_denied" => CallbackError::Denied,
                _ => CallbackError::Refused,
            };
            return (Page::Refused, Some(Err(error)));
        }
        let code = field(query, "code").filter(|code| (1..=LONGEST_CODE).contains(&code.len()));
        match code.zip(issuer(query)) {
            Some((code, issuer)) => (Page::Done, Some(Ok(CallbackParams { code, issuer }))),
            None => (Page::Foreign, None),
        }
    }
}

/// Who gave the code: empty where the browser says nothing, none where it says what cannot be.
fn issuer(query: &str) -> Option<String> {
    let mut told = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == "iss");
    let Some((_, issuer)) = told.next() else {
        return Some(String::new());
    };
    let one = (1..=LONGEST_ISSUER).contains(&issuer.len()) && told.next().is_none();
    one.then(|| issuer.into_owned())
}

/// The value of a field that is there once.
fn field(query: &str, name: &str) -> Option<String> {
    let mut values = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == name);
    let (_, value) = values.next()?;
    values.next().is_none().then(|| value.into_owned())
}

#[cfg(test)]
mod tests;
