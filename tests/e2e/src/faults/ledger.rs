//! What the platform has written down, read where all is quiet: operations that ended, parts of what is shown, and each state that
//! was accepted.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use causeway_client::Peer;
use causeway_proto::inventory::v1::{
    self as pb, application_service_client::ApplicationServiceClient,
};
use causeway_testkit::{
    Mesh,
    history::{Event, History, Moment},
};
use tonic::{Code, Status};

const RUNTIME: &str = "east";
const NAMESPACE: &str = "argocd";
const PAGE: u32 = 1_000;

/// What a resource version says of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// All of it: one version is accepted once.
    Whole,
    /// All but what is learned later, such as manifests.
    Object,
}

/// Whoever reads it.
pub(crate) struct Ledger {
    client: ApplicationServiceClient<Peer>,
    version: Version,
}

impl Ledger {
    pub(crate) fn new(mesh: &Mesh, version: Version) -> Self {
        let client = mesh.applications();
        Self { client, version }
    }

    /// Notes what there is.
    pub(crate) async fn read(&self, history: &mut History) -> Result<(), Status> {
        self.operations(history).await?;
        for application in self.listed().await? {
            self.parts(&application, history).await?;
        }
        match self.version {
            Version::Whole => self.states(history).await,
            Version::Object => Ok(()),
        }
    }

    /// Resource versions by uid, as a list tells them.
    pub(crate) async fn versions(&self) -> Result<BTreeMap<String, u64>, Status> {
        let listed = self.listed().await?.into_iter();
        Ok(listed.map(|it| (it.uid, it.resource_version)).collect())
    }

    async fn listed(&self) -> Result<Vec<pb::Application>, Status> {
        let mut request = pb::ListApplicationsRequest {
            filter: Some(of_runtime()),
            view: pb::ApplicationView::Full.into(),
            ..pb::ListApplicationsRequest::default()
        };
        let mut listed = Vec::new();
        loop {
            let asked = self.client.clone().list_applications(request.clone()).await;
            let page = asked?.into_inner();
            listed.extend(page.applications);
            if page.next_page_token.is_empty() {
                return Ok(listed);
            }
            request.page_token = page.next_page_token;
        }
    }

    async fn operations(&self, history: &mut History) -> Result<(), Status> {
        let mut request = pb::ListDeploymentsRequest {
            filter: Some(of_runtime()),
            page_size: PAGE,
            ..pb::ListDeploymentsRequest::default()
        };
        loop {
            let asked = self.client.clone().list_deployments(request.clone()).await;
            let page = asked?.into_inner();
            for deployment in page.deployments {
                let operation = deployment.operation.unwrap_or_default();
                let began = operation.started_at.unwrap_or_default().seconds;
                history.note(Event::OperationKept {
                    uid: deployment.uid,
                    operation: began.to_string(),
                });
            }
            if page.next_page_token.is_empty() {
                return Ok(());
            }
            request.page_token = page.next_page_token;
        }
    }

    async fn parts(
        &self,
        application: &pb::Application,
        history: &mut History,
    ) -> Result<(), Status> {
        let status = application.status.as_ref();
        let resources = status.map_or(&[][..], |status| &status.resources);
        let digests = resources
            .iter()
            .flat_map(|it| [&it.live_digest, &it.desired_digest]);
        let known: HashSet<_> = digests.filter(|digest| !digest.is_empty()).collect();
        for digest in known {
            let request = pb::GetManifestRequest {
                digest_hex: digest.iter().map(|byte| format!("{byte:02x}")).collect(),
                runtime: RUNTIME.to_owned(),
                namespace: NAMESPACE.to_owned(),
                name: application.name.clone(),
                ..pb::GetManifestRequest::default()
            };
            let part = format!("the manifest {}", request.digest_hex);
            match self.client.clone().get_manifest(request).await {
                Ok(_) => {}
                Err(status) if status.code() == Code::NotFound => {
                    let uid = application.uid.clone();
                    history.note(Event::PartMissing { uid, part });
                }
                Err(status) => return Err(status),
            }
        }
        Ok(())
    }

    async fn states(&self, history: &mut History) -> Result<(), Status> {
        let applied: BTreeMap<_, _> = history
            .events()
            .iter()
            .filter_map(Event::applied)
            .map(|it| ((it.name.clone(), it.version), it.clone()))
            .collect();
        let names: BTreeSet<_> = applied.keys().map(|(name, _)| name.clone()).collect();
        for name in names {
            for version in self.accepted(&name).await? {
                let known = applied.get(&(name.clone(), version));
                let moment = known.cloned().unwrap_or_else(|| unknown(&name, version));
                history.note(Event::Recorded { moment });
            }
        }
        Ok(())
    }

    async fn accepted(&self, name: &str) -> Result<Vec<u64>, Status> {
        let mut request = pb::ListApplicationStatesRequest {
            runtime: RUNTIME.to_owned(),
            namespace: NAMESPACE.to_owned(),
            name: name.to_owned(),
            page_size: PAGE,
            ..pb::ListApplicationStatesRequest::default()
        };
        let mut versions = Vec::new();
        loop {
            let mut client = self.client.clone();
            let page = match client.list_application_states(request.clone()).await {
                Ok(page) => page.into_inner(),
                // Of this one nothing was ever kept, which others say.
                Err(status) if status.code() == Code::NotFound => return Ok(versions),
                Err(status) => return Err(status),
            };
            let states = page.states.iter().filter(|state| !state.gone);
            versions.extend(states.map(|state| state.resource_version));
            if page.next_page_token.is_empty() {
                return Ok(versions);
            }
            request.page_token = page.next_page_token;
        }
    }
}

fn of_runtime() -> pb::ApplicationFilter {
    pb::ApplicationFilter {
        runtime: RUNTIME.to_owned(),
        ..pb::ApplicationFilter::default()
    }
}

fn unknown(name: &str, version: u64) -> Moment {
    Moment {
        uid: String::new(),
        name: name.to_owned(),
        version,
        content: "of nobody".to_owned(),
    }
}
