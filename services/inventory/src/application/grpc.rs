//! Calls of users.

mod wire;

use causeway_proto::{ids::AccountId, inventory::v1 as pb};
use causeway_shell::Caller;
use futures::{StreamExt as _, stream::BoxStream};
use pb::application_service_server::ApplicationService;
use prost::Message as _;
use tonic::{Request, Response, Status};

use crate::{
    application::Visible,
    convert::{self, Count, Diff, ListEnded, ListOfApplications, ListStates, WatchFrom},
    digest::Digest,
    grpc::{Handler, status},
    inventory::ApplicationRequest,
    watch::{Event, PATIENCE, Watch, handed},
};

pub use wire::Applications;
use wire::Listed;

/// Whose applications are asked for, and which of them the caller may see.
pub(crate) fn asked_by<T>(request: &Request<T>) -> Result<(AccountId, Visible), Status> {
    let caller = Caller::from_request(request)?;
    Ok((caller.account.clone(), Visible::new(&caller.scope)))
}

impl Handler {
    async fn listed(
        &self,
        mut request: Request<pb::ListApplicationsRequest>,
    ) -> Result<Response<Listed>, Status> {
        let (account, visible) = asked_by(&request)?;
        // Tokens go on after any page, one at an offset included.
        let offset = std::mem::take(&mut request.get_mut().offset);
        let cursors = self.cursors(&request)?;
        let (mut request, question) = self.opened(request)?;
        request.offset = offset;
        let list = ListOfApplications::read(request, visible)?;
        let view = list.view();
        let listed = self.inventory.list(&account, list.list()).await?;
        let next = listed.next.as_ref();
        let next = next.map(convert::page_token).unwrap_or_default();
        let applications = listed.page.items.into_iter();
        let applications = applications.map(|record| {
            let stale_since = self.inventory.stale_since(&account, &record);
            convert::to_encoded(record, view, stale_since)
        });
        Ok(Response::new(Listed {
            applications: applications
                .collect::<Result<_, _>>()
                .map_err(status::corrupt)?,
            next_page_token: question.sealed(next),
            total: listed.total,
            cursor: cursors.seal(listed.cursor),
        }))
    }

    /// Those of some manifests that a caller may read, now or as an application was.
    async fn readable(
        &self,
        (account, visible): (&AccountId, Visible),
        digests: Vec<Digest>,
        of: Option<ApplicationRequest>,
        at: Option<i64>,
    ) -> Result<Vec<Digest>, Status> {
        let inventory = &self.inventory;
        Ok(match (at, of) {
            (Some(at), Some(of)) => {
                let (of, read) = ((&of, at), convert::read_state);
                inventory
                    .manifests_then(account, &visible, digests, of, read)
                    .await?
            }
            (_, of) => {
                let named = convert::named_manifests;
                inventory
                    .readable_manifests(account, visible, digests, of, named)
                    .await?
            }
        })
    }
}

#[tonic::async_trait]
impl ApplicationService for Handler {
    async fn batch_get_manifests(
        &self,
        request: Request<pb::BatchGetManifestsRequest>,
    ) -> Result<Response<pb::BatchGetManifestsResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let request = request.into_inner();
        let digests = convert::digests(&request)?;
        let at = convert::time("at", request.at.as_ref())?;
        let of = [
            request.runtime,
            request.namespace,
            request.name,
            request.cluster,
        ];
        let of = convert::manifest_of(of)?;
        let readable = self.readable((&account, visible), digests, of, at);
        let found = self.inventory.manifest_contents(&account, readable.await?);
        Ok(Response::new(convert::to_manifests(found.await?)))
    }

    type WatchApplicationsStream =
        BoxStream<'static, Result<pb::WatchApplicationsResponse, Status>>;

    async fn list_applications(
        &self,
        request: Request<pb::ListApplicationsRequest>,
    ) -> Result<Response<pb::ListApplicationsResponse>, Status> {
        let listed = self.listed(request).await?;
        let encoded = listed.into_inner().encode_to_vec();
        let response = pb::ListApplicationsResponse::decode(&encoded[..]);
        response.map(Response::new).map_err(status::corrupt)
    }

    async fn list_application_facets(
        &self,
        request: Request<pb::ListApplicationFacetsRequest>,
    ) -> Result<Response<pb::ListApplicationFacetsResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let count = Count::read(request.into_inner(), visible)?;
        let asked = self.inventory.counts(&account, &count.filter, &count.query);
        Ok(Response::new(convert::to_facets(asked.await?)))
    }

    async fn get_application(
        &self,
        request: Request<pb::GetApplicationRequest>,
    ) -> Result<Response<pb::GetApplicationResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let request = request.into_inner();
        let at = convert::time("at", request.at.as_ref())?;
        let wanted = ApplicationRequest::try_from(request)?;
        let application = match at {
            Some(at) => {
                let read = convert::read_state;
                let asked = self.inventory.as_of(&account, &visible, &wanted, at, read);
                convert::to_application_then(asked.await?)
            }
            None => {
                let record = self.inventory.get(&account, visible, wanted).await?;
                let stale_since = self.inventory.stale_since(&account, &record);
                let application = convert::to_application(record);
                application.map(|it| convert::with_staleness(it, stale_since))
            }
        };
        let application = application.map_err(status::corrupt)?;
        Ok(Response::new(pb::GetApplicationResponse {
            application: Some(application),
        }))
    }

    async fn list_application_states(
        &self,
        request: Request<pb::ListApplicationStatesRequest>,
    ) -> Result<Response<pb::ListApplicationStatesResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let (request, question) = self.opened(request)?;
        let list = ListStates::try_from(request)?;
        let (wanted, read) = (&list.wanted, convert::read_state);
        let asked =
            self.inventory
                .states(&account, &visible, wanted, (list.from, list.limit), read);
        let mut states = convert::to_states(asked.await?);
        states.next_page_token = question.sealed(states.next_page_token);
        Ok(Response::new(states))
    }

    async fn diff_application(
        &self,
        request: Request<pb::DiffApplicationRequest>,
    ) -> Result<Response<pb::DiffApplicationResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let Diff { wanted, from, to } = Diff::try_from(request.into_inner())?;
        let read = convert::read_state;
        let then = |at| self.inventory.as_of(&account, &visible, &wanted, at, read);
        let diff = convert::to_diff(then(from).await?, then(to).await?);
        Ok(Response::new(diff.map_err(status::corrupt)?))
    }

    async fn watch_applications(
        &self,
        request: Request<pb::WatchApplicationsRequest>,
    ) -> Result<Response<Self::WatchApplicationsStream>, Status> {
        let (account, visible) = asked_by(&request)?;
        let cursors = self.cursors(&request)?;
        let cursor = cursors.open(&request.get_ref().cursor)?;
        let from = WatchFrom::read(request.into_inner(), visible)?;
        let (view, inventory) = (from.view, self.inventory.clone());
        let steps = self.inventory.watch(Watch {
            account: account.clone(),
            filter: from.filter,
            view,
            cursor,
        });
        let responses = handed(steps, PATIENCE).map(move |step| {
            let step = step?;
            let stale_since = match &step.event {
                Event::Updated(record) => inventory.stale_since(&account, record),
                Event::Gone(_) | Event::CaughtUp | Event::Bookmark => None,
            };
            convert::to_watch_response(step, (view, stale_since), &cursors).map_err(status::corrupt)
        });
        Ok(Response::new(responses.boxed()))
    }

    async fn list_deployments(
        &self,
        request: Request<pb::ListDeploymentsRequest>,
    ) -> Result<Response<pb::ListDeploymentsResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let (request, question) = self.opened(request)?;
        let list = ListEnded::read(request, visible)?;
        let asked =
            self.inventory
                .deployments(&account, &list.sought, list.from.as_ref(), list.limit);
        let (found, next) = asked.await?;
        let next = next.as_ref().map(convert::page_token).unwrap_or_default();
        let deployments = found.into_iter().map(convert::to_deployment);
        Ok(Response::new(pb::ListDeploymentsResponse {
            deployments: deployments
                .collect::<Result<_, _>>()
                .map_err(status::corrupt)?,
            next_page_token: question.sealed(next),
        }))
    }

    async fn get_manifest(
        &self,
        request: Request<pb::GetManifestRequest>,
    ) -> Result<Response<pb::GetManifestResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let request = request.into_inner();
        let digest = convert::digest(&request)?;
        let at = convert::time("at", request.at.as_ref())?;
        let of = [
            request.runtime,
            request.namespace,
            request.name,
            request.cluster,
        ];
        let of = convert::manifest_of(of)?;
        let readable = self.readable((&account, visible), vec![digest], of, at);
        let found = self.inventory.manifest_contents(&account, readable.await?);
        let content = found.await?.0.pop().map(|(_, content)| content);
        let content = content.ok_or_else(|| {
            Status::not_found(format!(
                "there is no manifest {digest}: read the application again, and name it here (runtime, namespace, name)"
            ))
        })?;
        Ok(Response::new(pb::GetManifestResponse { content }))
    }
}
