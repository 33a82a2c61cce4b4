//! The tunnel's side of a connection: the head of the upgrade, and the frames after it.

use causeway_websocket::{Admission, Refusal, UpgradeRequest, accept};
use http::HeaderMap;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex, sink};

const UPGRADE: &[u8] = b"GET /connect HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: h2.tunnel.v1\r\n\r\n";
const BUFFER: usize = 1 << 20;

/// Reads the head of an upgrade.
pub fn head(data: &[u8]) {
    serve(data);
}

/// Reads the frames of a connection that was upgraded.
pub fn frames(data: &[u8]) {
    serve(&[UPGRADE, data].concat());
}

fn serve(data: &[u8]) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    if let Ok(runtime) = runtime {
        runtime.block_on(async {
            let (client, server) = duplex(BUFFER);
            tokio::join!(send(client, data), read(server));
        });
    }
}

/// Sends it all, closes, and takes every answer.
async fn send(client: DuplexStream, data: &[u8]) {
    let (mut answers, mut requests) = tokio::io::split(client);
    // The other side may close before it has read all.
    let sent = async {
        let _ = requests.write_all(data).await;
        let _ = requests.shutdown().await;
    };
    let mut nowhere = sink();
    let _ = tokio::join!(sent, tokio::io::copy(&mut answers, &mut nowhere));
}

async fn read(server: DuplexStream) {
    let admit = async |_: UpgradeRequest| {
        let headers = HeaderMap::new();
        Ok::<_, Refusal>(Admission {
            identity: (),
            headers,
        })
    };
    let peer = ([127, 0, 0, 1], 1).into();
    if let Ok((mut stream, ())) = accept(server, peer, admit).await {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes).await;
    }
}
