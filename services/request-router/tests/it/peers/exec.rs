//! Commands behind the router: each input comes back as output, until there is no more.

use causeway_proto::proxy::v1::{self as proxy, exec_response::Event, exec_service_server};
use futures::{Stream, StreamExt as _, stream};
use tonic::{Request, Response, Status, Streaming};

use super::{Peers, Seen, Streamed};

#[tonic::async_trait]
impl exec_service_server::ExecService for Peers {
    type ExecStream = Streamed<proxy::ExecResponse>;

    async fn exec(
        &self,
        request: Request<Streaming<proxy::ExecRequest>>,
    ) -> Result<Response<Self::ExecStream>, Status> {
        let metadata = request.metadata().clone();
        let mut requests = request.into_inner();
        let first = requests.message().await?.unwrap_or_default();
        let message = prost::Message::encode_to_vec(&first);
        self.seen.lock().unwrap().push(Seen { metadata, message });
        let begin = event(Event::Begin(proxy::ExecBegin::default()));
        let told = stream::iter([begin]).chain(echoed(requests));
        Ok(Response::new(Box::pin(told)))
    }
}

fn echoed(
    requests: Streaming<proxy::ExecRequest>,
) -> impl Stream<Item = Result<proxy::ExecResponse, Status>> + Send {
    let echoes = requests.map(|request| event(Event::Stdout(request?.input)));
    let end = event(Event::End(proxy::ExecEnd::default()));
    let status = Err(Status::new(tonic::Code::Ok, "exit code 0; as asked"));
    echoes.chain(stream::iter([end, status]))
}

#[expect(clippy::unnecessary_wraps, reason = "it is an item of a stream")]
fn event(event: Event) -> Result<proxy::ExecResponse, Status> {
    Ok(proxy::ExecResponse { event: Some(event) })
}
