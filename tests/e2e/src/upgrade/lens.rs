//! A proxy that knows an older contract: what that does not have is taken out of every message on its way, and calls that it does not
//! have are answered as by a server that never heard of them.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use bytes::Bytes;
use futures::{StreamExt as _, future::ready};
use http::{HeaderValue, Request, Response, Uri, header};
use http_body_util::{BodyExt as _, BodyStream, StreamBody};
use hyper::body::Frame;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use prost::Message as _;
use prost_reflect::{
    DescriptorPool, DynamicMessage, MessageDescriptor, MethodDescriptor, ReflectMessage as _, Value,
};
use prost_types::FileDescriptorSet;
use tokio::{net::TcpListener, task::JoinSet};
use tonic::{body::Body, transport::Channel};
use tower::ServiceExt as _;

/// Flag and length in front of a message.
const HEAD: usize = 5;
/// A digest covers all that these are, and whoever does not know a field of theirs keeps it as it came.
const COVERED: [&str; 2] = [
    "causeway.inventory.v1.ApplicationState",
    "causeway.inventory.v1.ResourceState",
];

/// The proxy; it ends with this.
pub(crate) struct Lens {
    url: String,
    sight: Sight,
    _serving: JoinSet<()>,
}

#[derive(Clone)]
struct Sight {
    pool: DescriptorPool,
    upstream: Channel,
    taken: Arc<AtomicUsize>,
}

impl Lens {
    pub(crate) async fn before(upstream: &str, pool: DescriptorPool) -> Self {
        let upstream = Channel::from_shared(upstream.to_owned()).unwrap();
        let sight = Sight {
            pool,
            upstream: upstream.connect_lazy(),
            taken: Arc::default(),
        };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut serving = JoinSet::new();
        serving.spawn(serve(listener, sight.clone()));
        Self {
            url,
            sight,
            _serving: serving,
        }
    }

    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    /// How many fields were taken out so far.
    pub(crate) fn taken(&self) -> usize {
        self.sight.taken.load(Ordering::Relaxed)
    }
}

async fn serve(listener: TcpListener, sight: Sight) {
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let sight = sight.clone();
        let service = hyper::service::service_fn(move |request| {
            let sight = sight.clone();
            async move { Ok::<_, Infallible>(pass(sight, request).await) }
        });
        connections.spawn(async move {
            let builder = Builder::new(TokioExecutor::new());
            // Who goes away is no failure here.
            let _ = builder
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn pass(sight: Sight, request: Request<hyper::body::Incoming>) -> Response<Body> {
    let Some(method) = sight.method(request.uri().path()) else {
        return grpc_status("12");
    };
    let (mut head, body) = request.into_parts();
    let path = head.uri.path_and_query().unwrap().clone();
    head.uri = Uri::builder().path_and_query(path).build().unwrap();
    // What is packed could not be read here.
    head.headers.remove("grpc-accept-encoding");
    let body = sight.seen(method.input(), Body::new(body));
    let request = Request::from_parts(head, body);
    match sight.upstream.clone().oneshot(request).await {
        Ok(answer) => answer.map(|body| sight.seen(method.output(), body)),
        Err(_) => grpc_status("14"),
    }
}

fn grpc_status(code: &'static str) -> Response<Body> {
    let mut answer = Response::new(Body::empty());
    let headers = answer.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/grpc"),
    );
    headers.insert("grpc-status", HeaderValue::from_static(code));
    answer
}

impl Sight {
    fn method(&self, path: &str) -> Option<MethodDescriptor> {
        let (service, method) = path.strip_prefix('/')?.split_once('/')?;
        let service = self.pool.get_service_by_name(service)?;
        service.methods().find(|known| known.name() == method)
    }

    /// A body as it is to whoever knows the older contract alone.
    fn seen(&self, kind: MessageDescriptor, body: Body) -> Body {
        let (sight, mut waiting) = (self.clone(), Vec::new());
        let frames = BodyStream::new(body).filter_map(move |frame| {
            let frame = frame.map(|frame| match frame.into_data() {
                Ok(data) => {
                    waiting.extend_from_slice(&data);
                    let out = sight.whole_messages(&kind, &mut waiting);
                    (!out.is_empty()).then(|| Frame::data(Bytes::from(out)))
                }
                Err(trailers) => Some(trailers),
            });
            ready(frame.transpose())
        });
        Body::new(StreamBody::new(frames).boxed_unsync())
    }

    fn whole_messages(&self, kind: &MessageDescriptor, waiting: &mut Vec<u8>) -> Vec<u8> {
        let mut out = Vec::new();
        while let Some(length) = waiting.get(1..HEAD) {
            let length = u32::from_be_bytes(length.try_into().unwrap()) as usize;
            if waiting.len() < HEAD + length {
                break;
            }
            let rest = waiting.split_off(HEAD + length);
            assert_eq!(waiting[0], 0, "a message is packed");
            out.extend(self.seen_message(kind, &waiting[HEAD..]));
            *waiting = rest;
        }
        out
    }

    fn seen_message(&self, kind: &MessageDescriptor, bytes: &[u8]) -> Vec<u8> {
        let mut message = DynamicMessage::decode(kind.clone(), bytes).unwrap();
        let taken = take_unknown(&mut message);
        self.taken.fetch_add(taken, Ordering::Relaxed);
        let bytes = match taken {
            0 => bytes.to_vec(),
            _ => message.encode_to_vec(),
        };
        let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
        [&[0], &length[..], &bytes].concat()
    }
}

fn take_unknown(message: &mut DynamicMessage) -> usize {
    if COVERED.contains(&message.descriptor().full_name()) {
        return 0;
    }
    let taken = message.take_unknown_fields().count();
    let within = message.fields_mut().map(|(_, value)| take_from(value));
    taken + within.sum::<usize>()
}

fn take_from(value: &mut Value) -> usize {
    match value {
        Value::Message(message) => take_unknown(message),
        Value::List(items) => items.iter_mut().map(take_from).sum(),
        Value::Map(items) => items.values_mut().map(take_from).sum(),
        Value::Bool(_)
        | Value::I32(_)
        | Value::I64(_)
        | Value::U32(_)
        | Value::U64(_)
        | Value::F32(_)
        | Value::F64(_)
        | Value::String(_)
        | Value::Bytes(_)
        | Value::EnumNumber(_) => 0,
    }
}

/// A contract that can be made smaller.
pub(crate) struct Contract(FileDescriptorSet);

impl Contract {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self(FileDescriptorSet::decode(bytes).unwrap())
    }

    pub(crate) fn take_method(&mut self, service: &str, method: &str) {
        let (package, name) = service.rsplit_once('.').unwrap();
        let files = self
            .0
            .file
            .iter_mut()
            .filter(|file| file.package() == package);
        let services = files.flat_map(|file| &mut file.service);
        for service in services.filter(|service| service.name() == name) {
            service.method.retain(|known| known.name() != method);
        }
    }

    pub(crate) fn take_field(&mut self, message: &str, field: &str) {
        let (package, name) = message.rsplit_once('.').unwrap();
        let files = self
            .0
            .file
            .iter_mut()
            .filter(|file| file.package() == package);
        let messages = files.flat_map(|file| &mut file.message_type);
        for message in messages.filter(|message| message.name() == name) {
            message.field.retain(|known| known.name() != field);
        }
    }

    pub(crate) fn pool(self) -> DescriptorPool {
        DescriptorPool::from_file_descriptor_set(self.0).unwrap()
    }
}
