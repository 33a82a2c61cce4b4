use std::time::Duration;

use h2::RecvStream;
use h2::server::SendResponse;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use tokio::io::{AsyncReadExt, DuplexStream, duplex};
use tokio::time::Instant;

use super::*;

type Sent = BoxBody<Bytes, Infallible>;
type Server = h2::server::Connection<DuplexStream, Bytes>;

/// The handle, the connection as a task, and the accepting end.
async fn open() -> (Http2Client, JoinSet<Result<(), ConnectionError>>, Server) {
    let (near, far) = duplex(1 << 16);
    let builder = Builder::new();
    let (opened, server) = futures::join!(
        Http2Client::open(near, &builder, None),
        h2::server::handshake(far)
    );
    let (requests, connection) = opened.unwrap();
    (requests, JoinSet::from_iter([connection]), server.unwrap())
}

fn request(body: impl Into<Bytes>) -> Request<Sent> {
    let body = Full::new(body.into()).boxed();
    Request::post("http://there/path").body(body).unwrap()
}

/// Serves in the background; the first request that comes.
async fn accept(mut server: Server) -> (Request<RecvStream>, SendResponse<Bytes>, JoinSet<()>) {
    let (request, respond) = server.accept().await.unwrap().unwrap();
    let rest = JoinSet::from_iter([async move { while server.accept().await.is_some() {} }]);
    (request, respond, rest)
}

async fn received(stream: &mut RecvStream) -> Result<usize, h2::Error> {
    let mut length = 0;
    while let Some(data) = stream.data().await {
        let data = data?;
        stream.flow_control().release_capacity(data.len())?;
        length += data.len();
    }
    Ok(length)
}

#[tokio::test]
async fn a_request_and_its_answer_pass_with_trailers() {
    let (requests, _connection, server) = open().await;
    let exchange = requests.send(request("ping")).unwrap();
    let answering = async {
        let (request, mut respond, rest) = accept(server).await;
        assert_eq!(received(&mut request.into_body()).await.unwrap(), 4);
        let mut stream = respond.send_response(Response::new(()), false).unwrap();
        stream
            .send_data(Bytes::from_static(b"pong"), false)
            .unwrap();
        let trailers = [("grpc-status".parse().unwrap(), "0".parse().unwrap())];
        stream
            .send_trailers(trailers.into_iter().collect())
            .unwrap();
        rest
    };
    let (answer, _guard) = futures::join!(exchange, answering);
    let body = answer.unwrap().into_body().collect().await.unwrap();
    assert_eq!(body.trailers().unwrap()["grpc-status"], "0");
    assert_eq!(body.to_bytes(), "pong");
}

#[tokio::test]
async fn a_body_larger_than_every_window_goes_on_after_the_head_of_the_answer() {
    const LENGTH: usize = 1_000_000;
    let (requests, _connection, server) = open().await;
    let exchange = requests.send(request(vec![1; LENGTH])).unwrap();
    let answering = async {
        let (request, mut respond, rest) = accept(server).await;
        let stream = respond.send_response(Response::new(()), false).unwrap();
        (request.into_body(), stream, rest)
    };
    let (answer, (mut body, mut stream, _guard)) = futures::join!(exchange, answering);
    let answer = answer.unwrap();
    assert_eq!(received(&mut body).await.unwrap(), LENGTH);
    stream.send_data(Bytes::new(), true).unwrap();
    assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), "");
}

#[tokio::test]
async fn dropping_an_exchange_or_its_answer_cancels_the_request() {
    let hanging = || {
        let body = StreamBody::new(futures::stream::pending());
        Request::post("http://there/").body(body.boxed()).unwrap()
    };
    let (requests, _connection, server) = open().await;
    let exchange: PendingResponse<Sent> = requests.send(hanging()).unwrap();
    let (request, _respond, _guard) = accept(server).await;
    drop(exchange);
    let error = received(&mut request.into_body()).await.unwrap_err();
    assert_eq!(error.reason(), Some(Reason::CANCEL));

    let (requests, _connection, server) = open().await;
    let exchange: PendingResponse<Sent> = requests.send(hanging()).unwrap();
    let answering = async {
        let (request, mut respond, rest) = accept(server).await;
        let stream = respond.send_response(Response::new(()), false).unwrap();
        (request, stream, rest)
    };
    let (answer, (request, _stream, _guard)) = futures::join!(exchange, answering);
    drop(answer.unwrap());
    let error = received(&mut request.into_body()).await.unwrap_err();
    assert_eq!(error.reason(), Some(Reason::CANCEL));
}

#[tokio::test]
async fn a_reset_of_the_peer_is_the_error_of_the_exchange() {
    let (requests, _connection, server) = open().await;
    let exchange = requests.send(request("x")).unwrap();
    let resetting = async {
        let (_request, mut respond, rest) = accept(server).await;
        respond.send_reset(Reason::REFUSED_STREAM);
        rest
    };
    let (answer, _guard) = futures::join!(exchange, resetting);
    let error = answer.err().unwrap();
    assert_eq!(error.reason(), Some(Reason::REFUSED_STREAM));
}

#[tokio::test]
async fn a_closed_connection_gives_the_request_back() {
    let (requests, mut connection, server) = open().await;
    drop(server);
    let _ended = connection.join_next().await.unwrap();
    assert!(requests.is_closed());
    let Err(SendError::Closed(unsent)) = requests.send(request("kept")) else {
        panic!("it is closed");
    };
    assert_eq!(
        unsent.into_body().collect().await.unwrap().to_bytes(),
        "kept"
    );
}

#[tokio::test]
async fn a_connection_that_nobody_holds_ends() {
    let (requests, mut connection, mut server) = open().await;
    drop(requests);
    let (ended, accepted) = futures::join!(connection.join_next(), server.accept());
    ended.unwrap().unwrap().unwrap();
    assert!(!matches!(accepted, Some(Ok(_))));
}

const KEEP_ALIVE: KeepAlive = KeepAlive {
    every: Duration::from_secs(15),
    wait: Duration::from_secs(10),
};

#[tokio::test(start_paused = true)]
async fn a_silent_peer_is_given_up_after_a_ping() {
    let (near, _far) = duplex(1 << 16);
    let begin = Instant::now();
    let (_requests, connection) = Http2Client::open(near, &Builder::new(), Some(KEEP_ALIVE))
        .await
        .unwrap();
    let error = connection.await.unwrap_err();
    assert!(matches!(error, ConnectionError::Silent), "{error}");
    assert!(
        begin.elapsed() < Duration::from_secs(26),
        "{:?}",
        begin.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_answers_pings_is_kept() {
    let (near, far) = duplex(1 << 16);
    let builder = Builder::new();
    let (opened, server) = futures::join!(
        Http2Client::open(near, &builder, Some(KEEP_ALIVE)),
        h2::server::handshake::<DuplexStream>(far)
    );
    let ((_requests, connection), mut server) = (opened.unwrap(), server.unwrap());
    let serving = async { server.accept().await.is_some() };
    let both = futures::future::join(connection, serving);
    let kept = tokio::time::timeout(Duration::from_secs(3600), both).await;
    assert!(kept.is_err(), "it ended");
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_is_slow_to_answer_but_sends_is_kept() {
    let (near, mut far) = duplex(1 << 16);
    let (_requests, connection) = Http2Client::open(near, &Builder::new(), Some(KEEP_ALIVE))
        .await
        .unwrap();
    // A settings frame now and then, and never a pong.
    let talking = async {
        let mut sink = [0; 1024];
        for _ in 0..100 {
            tokio::io::AsyncWriteExt::write_all(&mut far, &[0, 0, 0, 4, 0, 0, 0, 0, 0])
                .await
                .unwrap();
            let read = tokio::time::timeout(Duration::from_secs(9), far.read(&mut sink));
            let _ = read.await;
        }
    };
    tokio::select! {
        _ended = connection => panic!("it is kept"),
        () = talking => {}
    }
}
