//! The parts behind the router, as far as its calls show them.

mod exec;
pub(crate) mod sign_in;

use std::{
    collections::HashSet,
    pin::Pin,
    sync::{Arc, Mutex},
};

use causeway_proto::{
    error::v1::Reason,
    inventory::v1::{self as inventory, application_service_server, report_service_server},
    platform::v1::{
        self as platform, authorization_service_server, key_service_server, session_service_server,
        sign_in_service_server,
    },
    proxy::v1::{self as proxy, application_action_service_server, exec_service_server},
    reason::DOMAIN,
};
use futures::Stream;
use tokio::sync::{mpsc, watch};
use tokio_stream::{StreamExt as _, wrappers::ReceiverStream};
use tonic::{Code, Request, Response, Status, Streaming, metadata::MetadataMap};
use tonic_types::{ErrorDetails, StatusExt as _};

type Streamed<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The way for a test to steer a call that a peer holds open: what it sends is answered, and it closes when the call is cancelled.
pub(crate) type Held<T> = mpsc::Sender<Result<T, Status>>;

/// One request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) metadata: MetadataMap,
    pub(crate) message: Vec<u8>,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.metadata.get(name)?.to_str().ok()
    }
}

/// Every peer at once: one server stands for all upstreams.
#[derive(Clone)]
pub(crate) struct Peers {
    seen: Arc<Mutex<Vec<Seen>>>,
    pub(crate) questions: Arc<Mutex<Vec<platform::AuthorizeRequest>>>,
    /// What the platform answers to questions; `None` lets everybody in.
    pub(crate) refusal: Arc<Mutex<Option<Status>>>,
    /// What the platform says of the scope of who asks.
    pub(crate) scope: Arc<Mutex<Vec<u8>>>,
    /// How often the platform says that something was revoked; `None` leaves it silent.
    pub(crate) revocations: Arc<watch::Sender<Option<u64>>>,
    /// How often it has said so.
    pub(crate) told: Arc<watch::Sender<usize>>,
    /// The states of sign-ins that have ended.
    spent: Arc<Mutex<HashSet<String>>>,
    outcomes: mpsc::UnboundedSender<platform::RecordOutcomeRequest>,
    watches: mpsc::UnboundedSender<Held<inventory::WatchApplicationsResponse>>,
    syncs: mpsc::UnboundedSender<Held<proxy::SyncApplicationResponse>>,
}

/// What a test gets from its peers.
pub(crate) struct Events {
    pub(crate) outcomes: mpsc::UnboundedReceiver<platform::RecordOutcomeRequest>,
    pub(crate) watches: mpsc::UnboundedReceiver<Held<inventory::WatchApplicationsResponse>>,
    pub(crate) syncs: mpsc::UnboundedReceiver<Held<proxy::SyncApplicationResponse>>,
}

impl Peers {
    pub(crate) fn new() -> (Self, Events) {
        let (outcomes, outcomes_rx) = mpsc::unbounded_channel();
        let (watches, watches_rx) = mpsc::unbounded_channel();
        let (syncs, syncs_rx) = mpsc::unbounded_channel();
        let peers = Self {
            seen: Arc::default(),
            questions: Arc::default(),
            refusal: Arc::default(),
            scope: Arc::default(),
            told: Arc::default(),
            spent: Arc::default(),
            revocations: Arc::new(watch::Sender::new(Some(0))),
            outcomes,
            watches,
            syncs,
        };
        let events = Events {
            outcomes: outcomes_rx,
            watches: watches_rx,
            syncs: syncs_rx,
        };
        (peers, events)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    pub(crate) fn last_seen(&self) -> Seen {
        self.seen().pop().expect("a peer was called")
    }

    fn note<M: prost::Message>(&self, request: &Request<M>) {
        self.seen.lock().unwrap().push(Seen {
            metadata: request.metadata().clone(),
            message: request.get_ref().encode_to_vec(),
        });
    }

    pub(crate) async fn serve(self, listener: tokio::net::TcpListener) {
        let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
        tonic::transport::Server::builder()
            .add_service(application_service_server::ApplicationServiceServer::new(
                self.clone(),
            ))
            .add_service(report_service_server::ReportServiceServer::new(
                self.clone(),
            ))
            .add_service(
                application_action_service_server::ApplicationActionServiceServer::new(
                    self.clone(),
                ),
            )
            .add_service(exec_service_server::ExecServiceServer::new(self.clone()))
            .add_service(key_service_server::KeyServiceServer::new(self.clone()))
            .add_service(sign_in_service_server::SignInServiceServer::new(
                self.clone(),
            ))
            .add_service(session_service_server::SessionServiceServer::new(
                self.clone(),
            ))
            .add_service(authorization_service_server::AuthorizationServiceServer::new(self))
            .serve_with_incoming(incoming)
            .await
            .unwrap();
    }
}

#[tonic::async_trait]
impl key_service_server::KeyService for Peers {
    type WatchRevocationsStream = Streamed<platform::WatchRevocationsResponse>;

    async fn get_verification_key(
        &self,
        _request: Request<platform::GetVerificationKeyRequest>,
    ) -> Result<Response<platform::GetVerificationKeyResponse>, Status> {
        Err(Status::unimplemented("routers ask for no keys"))
    }

    async fn watch_revocations(
        &self,
        _request: Request<platform::WatchRevocationsRequest>,
    ) -> Result<Response<Self::WatchRevocationsStream>, Status> {
        let (revocations, told) = (self.revocations.subscribe(), self.told.clone());
        let every = tokio::time::interval(std::time::Duration::from_millis(200));
        let words = tokio_stream::wrappers::IntervalStream::new(every).filter_map(move |_| {
            let epoch = (*revocations.borrow())?;
            told.send_modify(|told| *told += 1);
            let instance = "the platform".to_owned();
            Some(Ok(platform::WatchRevocationsResponse { instance, epoch }))
        });
        Ok(Response::new(Box::pin(words)))
    }

    async fn list_signing_keys(
        &self,
        _request: Request<platform::ListSigningKeysRequest>,
    ) -> Result<Response<platform::ListSigningKeysResponse>, Status> {
        Err(Status::unimplemented("routers ask for no keys"))
    }

    async fn rotate_sealing_key(
        &self,
        _request: Request<platform::RotateSealingKeyRequest>,
    ) -> Result<Response<platform::RotateSealingKeyResponse>, Status> {
        Err(Status::unimplemented("not here"))
    }

    async fn rotate_signing_key(
        &self,
        _request: Request<platform::RotateSigningKeyRequest>,
    ) -> Result<Response<platform::RotateSigningKeyResponse>, Status> {
        Err(Status::unimplemented("routers rotate no keys"))
    }
}

pub(crate) fn application(name: &str) -> inventory::Application {
    inventory::Application {
        runtime: "prod".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        resource_version: 9_007_199_254_740_993,
        ..Default::default()
    }
}

fn unknown_application() -> Status {
    let reason = Reason::ApplicationUnknown.code();
    let details = ErrorDetails::with_error_info(reason, DOMAIN, []);
    Status::with_error_details(Code::NotFound, "there is no such application", details)
}

#[tonic::async_trait]
impl application_service_server::ApplicationService for Peers {
    async fn batch_get_manifests(
        &self,
        _: Request<inventory::BatchGetManifestsRequest>,
    ) -> Result<Response<inventory::BatchGetManifestsResponse>, Status> {
        Err(Status::unimplemented("batch_get_manifests"))
    }

    async fn list_applications(
        &self,
        request: Request<inventory::ListApplicationsRequest>,
    ) -> Result<Response<inventory::ListApplicationsResponse>, Status> {
        self.note(&request);
        let applications = ["guestbook", "web"].map(application).to_vec();
        let next_page_token = request.into_inner().page_token;
        Ok(Response::new(inventory::ListApplicationsResponse {
            applications,
            next_page_token,
            ..Default::default()
        }))
    }

    async fn list_deployments(
        &self,
        request: Request<inventory::ListDeploymentsRequest>,
    ) -> Result<Response<inventory::ListDeploymentsResponse>, Status> {
        self.note(&request);
        Ok(Response::new(inventory::ListDeploymentsResponse::default()))
    }

    async fn list_application_facets(
        &self,
        request: Request<inventory::ListApplicationFacetsRequest>,
    ) -> Result<Response<inventory::ListApplicationFacetsResponse>, Status> {
        self.note(&request);
        Ok(Response::new(
            inventory::ListApplicationFacetsResponse::default(),
        ))
    }

    async fn list_application_states(
        &self,
        request: Request<inventory::ListApplicationStatesRequest>,
    ) -> Result<Response<inventory::ListApplicationStatesResponse>, Status> {
        self.note(&request);
        Ok(Response::new(
            inventory::ListApplicationStatesResponse::default(),
        ))
    }

    async fn diff_application(
        &self,
        request: Request<inventory::DiffApplicationRequest>,
    ) -> Result<Response<inventory::DiffApplicationResponse>, Status> {
        self.note(&request);
        Ok(Response::new(inventory::DiffApplicationResponse::default()))
    }

    async fn get_application(
        &self,
        request: Request<inventory::GetApplicationRequest>,
    ) -> Result<Response<inventory::GetApplicationResponse>, Status> {
        self.note(&request);
        match request.get_ref().name.as_str() {
            "missing" => Err(unknown_application()),
            "refused" => Err(Status::unauthenticated(
                "the assertion is not good any more",
            )),
            "never" => std::future::pending().await,
            name => Ok(Response::new(inventory::GetApplicationResponse {
                application: Some(application(name)),
            })),
        }
    }

    type WatchApplicationsStream = Streamed<inventory::WatchApplicationsResponse>;

    async fn watch_applications(
        &self,
        request: Request<inventory::WatchApplicationsRequest>,
    ) -> Result<Response<Self::WatchApplicationsStream>, Status> {
        self.note(&request);
        let (held, answers) = mpsc::channel(8);
        self.watches.send(held).unwrap();
        Ok(Response::new(Box::pin(ReceiverStream::new(answers))))
    }

    async fn get_manifest(
        &self,
        request: Request<inventory::GetManifestRequest>,
    ) -> Result<Response<inventory::GetManifestResponse>, Status> {
        self.note(&request);
        let size = match request.get_ref().digest_hex.as_str() {
            "01" => 5 << 20,
            "02" => 9 << 20,
            _ => 3 << 20,
        };
        let content = vec![b'x'; size].into();
        Ok(Response::new(inventory::GetManifestResponse { content }))
    }
}

#[tonic::async_trait]
impl report_service_server::ReportService for Peers {
    type ReportStream = Streamed<inventory::ReportResponse>;

    async fn report(
        &self,
        request: Request<Streaming<inventory::ReportRequest>>,
    ) -> Result<Response<Self::ReportStream>, Status> {
        self.seen.lock().unwrap().push(Seen {
            metadata: request.metadata().clone(),
            message: Vec::new(),
        });
        let answers = request.into_inner().map(|request| {
            use inventory::{report_request, report_response};
            let sequence = match request?.message {
                Some(report_request::Message::Report(report)) => report.sequence,
                _ => return Err(Status::aborted("only reports are taken here")),
            };
            let acknowledged = inventory::Acknowledged {
                sequences: vec![sequence],
            };
            Ok(inventory::ReportResponse {
                message: Some(report_response::Message::Acknowledged(acknowledged)),
            })
        });
        Ok(Response::new(Box::pin(answers)))
    }
}

#[tonic::async_trait]
impl application_action_service_server::ApplicationActionService for Peers {
    async fn sync_application(
        &self,
        request: Request<proxy::SyncApplicationRequest>,
    ) -> Result<Response<proxy::SyncApplicationResponse>, Status> {
        self.note(&request);
        let (held, mut answers) = mpsc::channel(1);
        self.syncs.send(held).unwrap();
        let answer = answers.recv().await;
        answer
            .unwrap_or_else(|| Err(Status::internal("the test let go")))
            .map(Response::new)
    }

    async fn refresh_application(
        &self,
        _: Request<proxy::RefreshApplicationRequest>,
    ) -> Result<Response<proxy::RefreshApplicationResponse>, Status> {
        Err(Status::unimplemented("not in these tests"))
    }

    async fn terminate_operation(
        &self,
        _: Request<proxy::TerminateOperationRequest>,
    ) -> Result<Response<proxy::TerminateOperationResponse>, Status> {
        Err(Status::unimplemented("not in these tests"))
    }

    async fn rollback_application(
        &self,
        _: Request<proxy::RollbackApplicationRequest>,
    ) -> Result<Response<proxy::RollbackApplicationResponse>, Status> {
        Err(Status::unimplemented("not in these tests"))
    }

    async fn delete_application(
        &self,
        _: Request<proxy::DeleteApplicationRequest>,
    ) -> Result<Response<proxy::DeleteApplicationResponse>, Status> {
        Err(Status::unimplemented("not in these tests"))
    }

    async fn set_application_source(
        &self,
        _: Request<proxy::SetApplicationSourceRequest>,
    ) -> Result<Response<proxy::SetApplicationSourceResponse>, Status> {
        Err(Status::unimplemented("not in these tests"))
    }

    async fn get_live_application(
        &self,
        request: Request<proxy::GetLiveApplicationRequest>,
    ) -> Result<Response<proxy::GetLiveApplicationResponse>, Status> {
        self.note(&request);
        let manifest = b"{}".as_slice().into();
        Ok(Response::new(proxy::GetLiveApplicationResponse {
            manifest,
            resource_version: 1,
        }))
    }
}

#[tonic::async_trait]
impl authorization_service_server::AuthorizationService for Peers {
    async fn authorize(
        &self,
        request: Request<platform::AuthorizeRequest>,
    ) -> Result<Response<platform::AuthorizeResponse>, Status> {
        let question = request.into_inner();
        self.questions.lock().unwrap().push(question.clone());
        if let Some(refusal) = self.refusal.lock().unwrap().clone() {
            return Err(refusal);
        }
        let once = !question.request_id.is_empty();
        let expires = std::time::SystemTime::now() + std::time::Duration::from_secs(60);
        Ok(Response::new(platform::AuthorizeResponse {
            assertion: format!("signed.for.{}", question.method.rsplit('/').next().unwrap()),
            expires_at: Some(expires.into()),
            audit_id: if once {
                "audit-1".to_owned()
            } else {
                String::new()
            },
            account: "default".to_owned(),
            runtime_id: if question.runtime.is_empty() {
                String::new()
            } else {
                "rt-1".to_owned()
            },
            subject: format!("user:{}", question.credential.trim_start_matches("cwk_")),
            scope_digest: self.scope.lock().unwrap().clone().into(),
        }))
    }

    async fn issue_assertion(
        &self,
        _: Request<platform::IssueAssertionRequest>,
    ) -> Result<Response<platform::IssueAssertionResponse>, Status> {
        Err(Status::unimplemented("not in these tests"))
    }

    async fn record_outcome(
        &self,
        request: Request<platform::RecordOutcomeRequest>,
    ) -> Result<Response<platform::RecordOutcomeResponse>, Status> {
        self.outcomes.send(request.into_inner()).unwrap();
        Ok(Response::new(platform::RecordOutcomeResponse {}))
    }
}
