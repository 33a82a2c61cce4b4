use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures::stream;
use http_body::Frame;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use tokio::io::duplex;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;

use super::*;
use crate::client::Http2Client;

const KEEP_ALIVE: KeepAlive = KeepAlive {
    every: Duration::from_secs(15),
    wait: Duration::from_secs(10),
};

type Sent = BoxBody<Bytes, Infallible>;

/// The asking end, and both connections.
async fn open<C, F, B>(call: C, shutdown: Arc<Notify>) -> (Http2Client, JoinSet<()>)
where
    C: Fn(Request<IncomingBody>) -> F + Send + 'static,
    F: Future<Output = Response<B>> + Send + 'static,
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (near, far) = duplex(1 << 16);
    let mut connections = JoinSet::new();
    connections.spawn(async move {
        let builder = Builder::new();
        let served = serve(far, &builder, KEEP_ALIVE, call, shutdown.notified());
        let _ = served.await;
    });
    let asking = h2::client::Builder::new();
    let (requests, connection) = Http2Client::open(near, &asking, None).await.unwrap();
    connections.spawn(async move {
        // It ends with its test.
        let _ = connection.await;
    });
    (requests, connections)
}

fn request(body: impl Into<Bytes>) -> Request<Sent> {
    let body = Full::new(body.into()).boxed();
    Request::post("http://there/path").body(body).unwrap()
}

#[tokio::test]
async fn a_request_is_answered_with_what_the_call_gives() {
    let echo = async |request: Request<IncomingBody>| {
        let trailers = [("grpc-status".parse().unwrap(), "0".parse().unwrap())];
        let sent = request.into_body().collect().await.unwrap().to_bytes();
        let body = Full::new(sent)
            .with_trailers(std::future::ready(Some(Ok(trailers.into_iter().collect()))));
        Response::new(body.boxed())
    };
    let (requests, _connections) =
        open(move |request| Box::pin(echo(request)), Arc::default()).await;
    for length in [0, 1, 1_000_000] {
        let answer = requests.send(request(vec![7; length])).unwrap();
        let body = answer.await.unwrap().into_body().collect().await.unwrap();
        assert_eq!(body.trailers().unwrap()["grpc-status"], "0");
        assert_eq!(body.to_bytes(), vec![7; length]);
    }
}

/// Tells when it is dropped.
struct Watched(watch::Sender<u32>);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.send_modify(|dropped| *dropped += 1);
    }
}

#[tokio::test]
async fn a_call_whose_caller_is_gone_is_dropped_before_and_in_its_answer() {
    let (dropped, mut seen) = watch::channel(0);
    let call = move |request: Request<IncomingBody>| {
        let watched = Watched(dropped.clone());
        async move {
            if !request.headers().contains_key("answered") {
                std::future::pending::<()>().await;
            }
            let hanging = stream::pending::<Result<Frame<Bytes>, Infallible>>();
            Response::new(StreamBody::new(hanging.inspect(move |_frame| {
                let _held = &watched;
            })))
        }
    };
    let (requests, _connections) = open(call, Arc::default()).await;
    let mut answered = request("x");
    answered
        .headers_mut()
        .insert("answered", "1".parse().unwrap());
    let answer = requests.send(answered).unwrap().await.unwrap();
    drop(answer);
    seen.wait_for(|dropped| *dropped == 1).await.unwrap();
    let mut exchange = requests.send(request("x")).unwrap();
    assert!(futures::poll!(&mut exchange).is_pending());
    drop(exchange);
    seen.wait_for(|dropped| *dropped == 2).await.unwrap();
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_reset() {
    let call = async |_request: Request<IncomingBody>| {
        let broken = [Ok(Frame::data(Bytes::from_static(b"x"))), Err("broken")];
        Response::new(StreamBody::new(stream::iter(broken)))
    };
    let (requests, _connections) =
        open(move |request| Box::pin(call(request)), Arc::default()).await;
    let asked = async {
        let answer = requests.send(request("x")).unwrap().await?;
        answer.into_body().collect().await
    };
    // The reset may overtake the head.
    let error = asked.await.err().unwrap();
    assert_eq!(error.reason(), Some(Reason::INTERNAL_ERROR));
}

#[tokio::test]
async fn what_is_under_way_ends_before_the_connection_is_left() {
    let (shutdown, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (began, mut started) = watch::channel(false);
    let call = {
        let go_on = Arc::clone(&go_on);
        move |_request: Request<IncomingBody>| {
            let go_on = Arc::clone(&go_on);
            began.send_replace(true);
            async move {
                go_on.notified().await;
                Response::new(Full::new(Bytes::from_static(b"done")))
            }
        }
    };
    let (requests, mut connections) = open(call, Arc::clone(&shutdown)).await;
    let answer = requests.send(request("x")).unwrap();
    let finished = async {
        started.wait_for(|started| *started).await.unwrap();
        shutdown.notify_one();
        go_on.notify_one();
    };
    let (answer, ()) = futures::join!(answer, finished);
    let body = answer.unwrap().into_body().collect().await.unwrap();
    assert_eq!(body.to_bytes(), "done");
    while let Some(ended) = connections.join_next().await {
        ended.unwrap();
    }
    assert!(requests.is_closed());
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_never_speaks_is_given_up() {
    let (_near, far) = duplex(1 << 16);
    let call = |_request: Request<IncomingBody>| std::future::pending::<Response<Sent>>();
    let (builder, shutdown) = (Builder::new(), std::future::pending());
    let served = serve(far, &builder, KEEP_ALIVE, call, shutdown);
    let error = served.await.unwrap_err();
    assert!(matches!(error, ConnectionError::Silent), "{error}");
}

#[tokio::test]
async fn a_call_that_panics_ends_alone() {
    let go_on = Arc::new(Notify::new());
    let call = {
        let go_on = Arc::clone(&go_on);
        move |request: Request<IncomingBody>| {
            let go_on = Arc::clone(&go_on);
            async move {
                assert!(!request.headers().contains_key("broken"), "as asked for");
                go_on.notified().await;
                Response::new(Full::new(Bytes::from_static(b"done")))
            }
        }
    };
    let (requests, _connections) = open(call, Arc::default()).await;
    let other = requests.send(request("x")).unwrap();
    let mut broken = request("x");
    broken.headers_mut().insert("broken", "1".parse().unwrap());
    let error = requests.send(broken).unwrap().await.err().unwrap();
    assert_eq!(error.reason(), Some(Reason::INTERNAL_ERROR));
    go_on.notify_one();
    let body = other.await.unwrap().into_body().collect().await.unwrap();
    assert_eq!(body.to_bytes(), "done");
}

/// Panics when it is dropped.
struct Explosive;

impl Drop for Explosive {
    fn drop(&mut self) {
        panic!("as asked for");
    }
}

#[tokio::test]
async fn a_call_that_panics_before_or_after_its_answer_ends_alone() {
    let call = |request: Request<IncomingBody>| {
        assert!(!request.headers().contains_key("before"), "as asked for");
        let after = request.headers().contains_key("after").then(|| Explosive);
        async move {
            let body = StreamBody::new(stream::iter([Ok::<_, Infallible>(Frame::data(
                Bytes::from_static(b"done"),
            ))]));
            Response::new(BodyExt::map_frame(body, move |frame| {
                let _held = &after;
                frame
            }))
        }
    };
    let (requests, _connections) = open(call, Arc::default()).await;
    let marked = |name: &'static str| {
        let mut marked = request("x");
        marked.headers_mut().insert(name, "1".parse().unwrap());
        marked
    };
    let error = requests
        .send(marked("before"))
        .unwrap()
        .await
        .err()
        .unwrap();
    assert_eq!(error.reason(), Some(Reason::INTERNAL_ERROR));
    for asked in [marked("after"), request("x")] {
        let answer = requests.send(asked).unwrap().await.unwrap();
        let body = answer.into_body().collect().await.unwrap();
        assert_eq!(body.to_bytes(), "done");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_reads_ends_in_time() {
    let (dropped, mut seen) = watch::channel(0);
    let call = move |_request: Request<IncomingBody>| {
        let watched = Watched(dropped.clone());
        let chunk = Bytes::from(vec![7; 16 * 1024]);
        let endless = stream::repeat_with(move || {
            let _held = &watched;
            Ok::<_, Infallible>(Frame::data(chunk.clone()))
        });
        let mut answer = Response::new(StreamBody::new(endless));
        let until = Instant::now() + Duration::from_secs(5);
        answer.extensions_mut().insert(ResponseDeadline(until));
        std::future::ready(answer)
    };
    let (requests, _connections) = open(call, Arc::default()).await;
    let unread = requests.send(request("x")).unwrap().await.unwrap();
    seen.wait_for(|dropped| *dropped == 1).await.unwrap();
    let error = unread.into_body().collect().await.err().unwrap();
    assert_eq!(error.reason(), Some(Reason::CANCEL));
}

#[tokio::test]
async fn many_calls_are_begun_in_steps_with_room_for_others_between() {
    const CALLS: usize = 3 * BATCH_CALLS;
    let (near, far) = duplex(1 << 16);
    let (began, started) = watch::channel(0);
    let call = move |_request: Request<IncomingBody>| {
        began.send_modify(|started| *started += 1);
        std::future::pending::<Response<Sent>>()
    };
    let builder = Builder::new();
    let mut serving = std::pin::pin!(serve(
        far,
        &builder,
        KEEP_ALIVE,
        call,
        std::future::pending()
    ));
    let asking = h2::client::Builder::new();
    let opened = Http2Client::open(near, &asking, None);
    let (requests, mut connection) = tokio::select! {
        opened = opened => {
            let (requests, connection) = opened.unwrap();
            (requests, Box::pin(connection))
        }
        _ended = &mut serving => unreachable!("it has a peer"),
    };
    let mut calls: Vec<_> = (0..CALLS).map(|_| requests.send(request("x"))).collect();
    for call in &mut calls {
        assert!(futures::poll!(call.as_mut().unwrap()).is_pending());
    }
    // The requests are on their way, all of them in one go.
    assert!(futures::poll!(&mut connection).is_pending());
    let mut before = 0;
    while before < CALLS {
        assert!(futures::poll!(&mut serving).is_pending());
        assert!(futures::poll!(&mut connection).is_pending());
        let now = *started.borrow();
        assert!(now <= before + BATCH_CALLS, "{before} then {now}");
        before = now;
        tokio::task::yield_now().await;
    }
}
