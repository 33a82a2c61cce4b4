//! gRPC handlers of `PartService`.

use causeway_assertion::Subject;
use causeway_proto::{error::v1::Reason, ids::RuntimeName, platform::v1 as pb};
use causeway_shell::{
    Caller,
    page::{Page, PageSizes},
    status::status,
};
use tonic::{Code, Request, Response, Status};

use crate::grpc::{Handler, sees_runtime, user_of};
use crate::{
    convert,
    parts::model::{INTERVAL_SECONDS, PartHome, TooMany},
    parts::service::PartService,
    platform::now,
};

/// As many as there may have been in an answer before lists of parts had pages.
const PAGES: PageSizes = PageSizes::fixed(10_000);

#[tonic::async_trait]
impl pb::part_service_server::PartService for Handler<PartService> {
    async fn announce(
        &self,
        request: Request<pb::AnnounceRequest>,
    ) -> Result<Response<pb::AnnounceResponse>, Status> {
        let caller = Caller::from_request(&request)?;
        check_own(caller, &request.get_ref().part)?;
        let home = home(caller);
        let (part, presence) = convert::announced(request.into_inner(), now())?;
        self.0.announce(home, part, presence)?;
        let interval_seconds = INTERVAL_SECONDS;
        Ok(Response::new(pb::AnnounceResponse { interval_seconds }))
    }

    async fn list_parts(
        &self,
        request: Request<pb::ListPartsRequest>,
    ) -> Result<Response<pb::ListPartsResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let page = Page::from_request(request.get_ref(), caller, PAGES)?;
        let homes = self.0.list_parts(&caller.account, now()).await?;
        let seen = homes.into_iter().filter(|(home, _)| {
            // Those of the platform are in no runtime.
            let runtime = home.as_ref().map_or("", RuntimeName::as_str);
            sees_runtime(caller, runtime)
        });
        let (parts, next_page_token) = page.paginate(seen, |(home, part)| {
            (home.clone(), part.name.clone(), part.instance.clone())
        });
        Ok(Response::new(pb::ListPartsResponse {
            parts: parts.into_iter().map(convert::part_status).collect(),
            next_page_token,
        }))
    }
}

/// Where the caller runs, by its key alone.
fn home(caller: &Caller) -> PartHome {
    let runtime = caller.runtime.clone()?;
    Some((caller.account.clone(), runtime))
}

/// A part tells of itself alone.
fn check_own(caller: &Caller, told: &str) -> Result<(), Status> {
    match &caller.subject {
        Subject::Part { part, .. } if part.as_str() != told => Err(status(
            Code::PermissionDenied,
            Reason::PermissionDenied,
            format!("part: {} tells of itself alone", caller.subject),
        )),
        Subject::User(_) | Subject::Runtime { .. } | Subject::Part { .. } => Ok(()),
    }
}

impl From<TooMany> for Status {
    fn from(error: TooMany) -> Self {
        status(
            Code::ResourceExhausted,
            Reason::Overloaded,
            error.to_string(),
        )
    }
}
