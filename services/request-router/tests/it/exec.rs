//! A terminal of a browser: `Exec` over a WebSocket.

use causeway_proto::{
    platform::v1::Outcome,
    proxy::v1::{self as proxy, exec_response::Event},
};
use futures::{SinkExt as _, StreamExt as _};
use prost::Message as _;
use tokio::net::TcpStream;
use tokio_tungstenite::{
    WebSocketStream, client_async,
    tungstenite::{Error, Message, client::IntoClientRequest as _, http::HeaderName},
};
use tonic::Status;

use crate::{
    peers::sign_in::TOKEN,
    stack::{KEY, Stack, soon},
};

type Terminal = WebSocketStream<TcpStream>;

async fn open(stack: &Stack, headers: &[(&str, &str)]) -> Result<Terminal, u16> {
    let stream = TcpStream::connect(stack.router).await.unwrap();
    let url = format!("ws://{}/v1/exec", stack.router);
    let mut request = url.into_client_request().unwrap();
    for (name, value) in headers {
        let name: HeaderName = name.parse().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    match soon(client_async(request, stream)).await {
        Ok((terminal, _)) => Ok(terminal),
        Err(Error::Http(answer)) => Err(answer.status().as_u16()),
        Err(error) => panic!("{error}"),
    }
}

fn cookie() -> String {
    format!("causeway-session={TOKEN}")
}

fn origin(stack: &Stack) -> String {
    format!("http://{}", stack.router)
}

async fn of_a_page(stack: &Stack) -> Terminal {
    let (cookie, origin) = (cookie(), origin(stack));
    let headers = [("cookie", cookie.as_str()), ("origin", origin.as_str())];
    open(stack, &headers).await.unwrap()
}

fn first() -> proxy::ExecRequest {
    proxy::ExecRequest {
        runtime: "prod".to_owned(),
        application_namespace: "argocd".to_owned(),
        application: "web".to_owned(),
        request_id: "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001".to_owned(),
        command: vec!["sh".to_owned()],
        stdin: true,
        tty: true,
        ..proxy::ExecRequest::default()
    }
}

async fn say(terminal: &mut Terminal, request: &proxy::ExecRequest) {
    let message = Message::Binary(request.encode_to_vec().into());
    terminal.send(message).await.unwrap();
}

async fn hear(terminal: &mut Terminal) -> Event {
    match soon(terminal.next()).await.unwrap().unwrap() {
        Message::Binary(message) => proxy::ExecResponse::decode(message).unwrap().event.unwrap(),
        other @ (Message::Text(_)
        | Message::Ping(_)
        | Message::Pong(_)
        | Message::Close(_)
        | Message::Frame(_)) => panic!("{other:?}"),
    }
}

async fn end(terminal: &mut Terminal) -> (u16, String) {
    loop {
        match soon(terminal.next()).await.unwrap().unwrap() {
            Message::Close(Some(frame)) => return (frame.code.into(), frame.reason.to_string()),
            Message::Binary(_) | Message::Ping(_) => {}
            other @ (Message::Text(_)
            | Message::Pong(_)
            | Message::Close(None)
            | Message::Frame(_)) => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_terminal_carries_input_and_output_and_is_audited_as_a_call() {
    let mut stack = Stack::platform().await;
    let mut terminal = of_a_page(&stack).await;
    say(&mut terminal, &first()).await;
    assert!(matches!(hear(&mut terminal).await, Event::Begin(_)));
    let question = stack.peers.questions.lock().unwrap()[1].clone();
    assert_eq!(question.credential, TOKEN);
    assert_eq!(question.target, "applications/argocd/web/exec/sh");
    assert_eq!(question.request_id, first().request_id);
    assert_eq!(stack.peers.last_seen().header("cookie"), None);
    for text in ["one", "two"] {
        let input = proxy::ExecRequest {
            input: text.to_owned().into(),
            ..Default::default()
        };
        say(&mut terminal, &input).await;
        let output = Event::Stdout(text.to_owned().into());
        assert_eq!(hear(&mut terminal).await, output);
    }
    say(&mut terminal, &proxy::ExecRequest::default()).await;
    assert!(matches!(hear(&mut terminal).await, Event::End(_)));
    assert_eq!(end(&mut terminal).await.0, 1000);
    let recorded = soon(stack.events.outcomes.recv()).await.unwrap();
    assert_eq!(recorded.outcome(), Outcome::Succeeded);
}

#[tokio::test]
async fn a_program_opens_a_terminal_by_its_api_key() {
    let stack = Stack::platform().await;
    let mut terminal = open(&stack, &[("authorization", KEY)]).await.unwrap();
    say(&mut terminal, &first()).await;
    assert!(matches!(hear(&mut terminal).await, Event::Begin(_)));
    let question = stack.peers.questions.lock().unwrap()[1].clone();
    assert_eq!(
        Some(question.credential.as_str()),
        KEY.strip_prefix("Bearer ")
    );
}

#[tokio::test]
async fn only_a_page_of_this_host_opens_a_terminal_by_the_cookie() {
    let stack = Stack::platform().await;
    let (cookie, own) = (cookie(), origin(&stack));
    let cookie = ("cookie", cookie.as_str());
    let longer = format!("{own}.evil.example");
    for headers in [
        &[cookie][..],
        &[cookie, ("origin", "https://evil.example")],
        &[cookie, ("origin", "null")],
        &[cookie, ("origin", longer.as_str())],
        &[cookie, ("sec-fetch-site", "same-origin")],
        &[
            cookie,
            ("origin", own.as_str()),
            ("sec-fetch-site", "cross-site"),
        ],
        &[
            cookie,
            ("origin", own.as_str()),
            ("sec-fetch-site", "same-site"),
        ],
        &[("authorization", KEY), ("origin", "https://evil.example")],
        &[("origin", own.as_str()), ("host", "evil.example")],
        &[],
    ] {
        let refused = open(&stack, headers).await.map(drop);
        assert_eq!(refused, Err(403), "{headers:?}");
    }
    let own = [
        cookie,
        ("origin", own.as_str()),
        ("sec-fetch-site", "same-origin"),
    ];
    assert!(stack.peers.questions.lock().unwrap().is_empty());
    open(&stack, &own).await.unwrap();
    open(&stack, &[("authorization", KEY)]).await.unwrap();
}

#[tokio::test]
async fn a_terminal_without_a_session_is_told_to_sign_in() {
    let stack = Stack::platform().await;
    let origin = origin(&stack);
    let mut terminal = open(&stack, &[("origin", &origin)]).await.unwrap();
    let (code, reason) = end(&mut terminal).await;
    assert_eq!(code, 4016, "{reason}");
}

#[tokio::test]
async fn a_terminal_ends_when_its_session_ends() {
    let mut stack = Stack::platform().await;
    let mut terminal = of_a_page(&stack).await;
    say(&mut terminal, &first()).await;
    hear(&mut terminal).await;
    let ended = Status::unauthenticated("the API key of this session has ended");
    *stack.peers.refusal.lock().unwrap() = Some(ended);
    stack.peers.revocations.send_replace(Some(1));
    let told = end(&mut terminal).await;
    assert_eq!(
        told,
        (4016, "the API key of this session has ended".to_owned())
    );
    let recorded = soon(stack.events.outcomes.recv()).await.unwrap();
    assert_eq!(recorded.outcome(), Outcome::Unknown);
}

#[tokio::test]
async fn a_refused_terminal_tells_why_and_never_reaches_its_runtime() {
    let stack = Stack::platform().await;
    *stack.peers.refusal.lock().unwrap() = Some(Status::permission_denied("no rule allows it"));
    let mut terminal = of_a_page(&stack).await;
    say(&mut terminal, &first()).await;
    let told = end(&mut terminal).await;
    assert_eq!(told, (4007, "no rule allows it".to_owned()));
    assert!(stack.peers.seen().is_empty());
}

#[tokio::test]
async fn nothing_is_read_of_a_terminal_whose_credential_opens_nothing() {
    let stack = Stack::platform().await;
    *stack.peers.refusal.lock().unwrap() = Some(Status::unauthenticated("unknown"));
    let mut terminal = of_a_page(&stack).await;
    assert_eq!(end(&mut terminal).await, (4016, "unknown".to_owned()));
    let forged = ("authorization", "Bearer e30.e30.c2ln");
    let mut terminal = open(&stack, &[forged]).await.unwrap();
    assert_eq!(end(&mut terminal).await.0, 4008);
}

#[tokio::test]
async fn what_is_no_message_of_ours_ends_a_terminal() {
    let stack = Stack::platform().await;
    let huge = vec![0; (1 << 20) + (128 << 10)];
    for unfit in [Message::Text("ls".into()), Message::Binary(huge.into())] {
        let mut terminal = of_a_page(&stack).await;
        // A large one may be refused before all of it is sent.
        let _ = terminal.send(unfit).await;
        assert_eq!(end(&mut terminal).await.0, 4003);
    }
    let mut terminal = of_a_page(&stack).await;
    let message = Message::Binary(vec![0xff; 10].into());
    terminal.send(message).await.unwrap();
    assert_ne!(end(&mut terminal).await.0, 1000);
}

#[tokio::test]
async fn a_browser_that_leaves_ends_the_call() {
    let mut stack = Stack::platform().await;
    let mut terminal = of_a_page(&stack).await;
    say(&mut terminal, &first()).await;
    hear(&mut terminal).await;
    drop(terminal);
    let recorded = soon(stack.events.outcomes.recv()).await.unwrap();
    assert_eq!(recorded.outcome(), Outcome::Unknown);
}
