//! Source-server with configurable responses per application.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::source::v1::{
    self as pb,
    source_service_server::{SourceService, SourceServiceServer},
};
use tokio::{net::TcpListener, task::JoinSet};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, transport::Server};

/// Configured responses for an application.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) nodes: Vec<pb::ResourceNode>,
    pub(crate) resources: Vec<pb::ManagedResource>,
    pub(crate) refusal: Option<Status>,
    pub(crate) hangs: bool,
}

#[derive(Clone, Default)]
pub(crate) struct Source {
    answers: Arc<Mutex<HashMap<String, Answer>>>,
}

pub(crate) struct Served {
    pub(crate) source: Source,
    pub(crate) peer: Peer,
    _serving: JoinSet<()>,
}

impl Source {
    pub(crate) async fn start() -> Served {
        let source = Self::default();
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let service = SourceServiceServer::new(source.clone());
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let incoming = TcpListenerStream::new(listener);
            let server = Server::builder().add_service(service);
            server.serve_with_incoming(incoming).await.unwrap();
        });
        let url = PeerUrl::parse(&url, None).unwrap();
        Served {
            source,
            peer: Peer::new(&url, Credential::None),
            _serving: serving,
        }
    }

    pub(crate) fn answer(&self, name: &str, answer: Answer) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.insert(name.to_owned(), answer);
    }

    async fn about(&self, key: Option<pb::ApplicationKey>) -> Result<Answer, Status> {
        let name = key.unwrap().name;
        let answer = {
            let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
            answers.get(&name).cloned().unwrap_or_default()
        };
        if answer.hangs {
            std::future::pending::<()>().await;
        }
        match answer.refusal {
            Some(refusal) => Err(refusal),
            None => Ok(answer),
        }
    }
}

#[tonic::async_trait]
impl SourceService for Source {
    async fn get_managed_resources(
        &self,
        request: Request<pb::GetManagedResourcesRequest>,
    ) -> Result<Response<pb::GetManagedResourcesResponse>, Status> {
        let resources = self
            .about(request.into_inner().application)
            .await?
            .resources;
        Ok(Response::new(pb::GetManagedResourcesResponse { resources }))
    }

    async fn get_resource_tree(
        &self,
        request: Request<pb::GetResourceTreeRequest>,
    ) -> Result<Response<pb::GetResourceTreeResponse>, Status> {
        let nodes = self.about(request.into_inner().application).await?.nodes;
        Ok(Response::new(pb::GetResourceTreeResponse { nodes }))
    }

    async fn get_revision_metadata(
        &self,
        request: Request<pb::GetRevisionMetadataRequest>,
    ) -> Result<Response<pb::GetRevisionMetadataResponse>, Status> {
        let revision = request.get_ref().revision.clone();
        self.about(request.into_inner().application).await?;
        Ok(Response::new(pb::GetRevisionMetadataResponse {
            author: "Ada <ada@example.com>".to_owned(),
            message: format!("the message of {revision}"),
            ..pb::GetRevisionMetadataResponse::default()
        }))
    }
}
