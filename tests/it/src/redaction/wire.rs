//! What passes between a runtime and the platform: a TCP proxy that keeps every byte, and the reading of HTTP/2 and gRPC in it.

use std::{
    collections::BTreeMap,
    io::Read as _,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use causeway_proto::inventory::v1::{
    Report, ReportRequest, report::Change, report_request::Message,
};
use prost::{Message as _, bytes::Bytes};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA: u8 = 0;
const PADDED: u8 = 8;
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The bytes of one direction of a connection.
type Kept = Arc<Mutex<Vec<u8>>>;

/// A proxy that keeps what passes.
pub(super) struct Wire {
    address: SocketAddr,
    kept: Arc<Mutex<Vec<Kept>>>,
    _serving: JoinSet<()>,
}

impl Wire {
    /// In front of an address.
    pub(super) async fn before(upstream: String) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let kept: Arc<Mutex<Vec<Kept>>> = Arc::default();
        let all = Arc::clone(&kept);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((near, _)) = listener.accept().await {
                let (outward, inward) = (Kept::default(), Kept::default());
                let both = [Arc::clone(&outward), Arc::clone(&inward)];
                all.lock().unwrap().extend(both);
                let upstream = upstream.clone();
                connections.spawn(async move {
                    let Ok(far) = TcpStream::connect(upstream).await else {
                        return;
                    };
                    let ((near_in, near_out), (far_in, far_out)) =
                        (near.into_split(), far.into_split());
                    tokio::join!(
                        copy(near_in, far_out, outward),
                        copy(far_in, near_out, inward)
                    );
                });
            }
        });
        Self {
            address,
            kept,
            _serving: serving,
        }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every byte as it passed, every message in them, what is compressed in those, and each state that came as a delta.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let (mut all, mut bases) = (Vec::new(), BTreeMap::new());
        for kept in self.kept.lock().unwrap().iter() {
            let bytes = kept.lock().unwrap();
            all.extend_from_slice(&bytes);
            for message in messages(&bytes) {
                all.extend_from_slice(&message);
                all.extend(decompressed(&message));
                all.extend(whole(&message, &mut bases));
            }
        }
        all
    }

    /// How many messages have passed.
    pub(super) fn messages(&self) -> usize {
        let kept = self.kept.lock().unwrap();
        kept.iter()
            .map(|bytes| messages(&bytes.lock().unwrap()).len())
            .sum()
    }
}

async fn copy(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, kept: Kept) {
    let mut chunk = vec![0; 64 << 10];
    while let Ok(length @ 1..) = from.read(&mut chunk).await {
        kept.lock().unwrap().extend_from_slice(&chunk[..length]);
        if to.write_all(&chunk[..length]).await.is_err() {
            return;
        }
    }
    let _ = to.shutdown().await;
}

/// The gRPC messages of one direction; their frames may be split anywhere.
fn messages(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = bytes.strip_prefix(PREFACE).unwrap_or(bytes);
    let mut streams: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    while rest.len() >= 9 {
        let length = u32::from_be_bytes([0, rest[0], rest[1], rest[2]]) as usize;
        let (kind, flags) = (rest[3], rest[4]);
        let stream = u32::from_be_bytes([rest[5], rest[6], rest[7], rest[8]]);
        let Some(payload) = rest.get(9..9 + length) else {
            break;
        };
        if kind == DATA {
            assert_eq!(flags & PADDED, 0, "nobody pads");
            streams
                .entry(stream)
                .or_default()
                .extend_from_slice(payload);
        }
        rest = &rest[9 + length..];
    }
    streams.values().flat_map(|bytes| unframed(bytes)).collect()
}

fn unframed(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    while bytes.len() >= 5 {
        let length = u32::from_be_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]) as usize;
        let Some(message) = bytes.get(5..5 + length) else {
            break;
        };
        assert_eq!(
            bytes[0], 0,
            "no message is compressed whole: this search could not read it"
        );
        messages.push(message.to_vec());
        bytes = &bytes[5 + length..];
    }
    messages
}

/// The state that a message tells as what its base has not; nothing of other messages. States are bases by their digests.
fn whole(message: &[u8], bases: &mut BTreeMap<Bytes, Bytes>) -> Bytes {
    let request = ReportRequest::decode(message).unwrap_or_default();
    let Some(Message::Report(Report {
        change: Some(Change::Delta(delta)),
        ..
    })) = request.message
    else {
        return Bytes::new();
    };
    let base = bases.get(&delta.base_root_digest);
    let base = base.cloned().unwrap_or_default();
    let state = causeway_proto::delta::apply(&base, &delta.patch, 8 << 20).unwrap();
    bases.insert(delta.root_digest, state.clone());
    state
}

/// What is in the zstd frames of some bytes.
pub(super) fn decompressed(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    let starts = bytes
        .windows(4)
        .enumerate()
        .filter(|(_, four)| *four == ZSTD);
    for (at, _) in starts {
        let Ok(decoder) = zstd::stream::read::Decoder::new(&bytes[at..]) else {
            continue;
        };
        // What is no frame, or needs a base, ends with an error and leaves nothing.
        let mut inner = Vec::new();
        if decoder.single_frame().read_to_end(&mut inner).is_ok() {
            all.extend(inner);
        }
    }
    all
}
