//! Facts about this platform that need no credential.

use causeway_proto::{platform::v1 as pb, time::millis_to_timestamp};
use tonic::{Request, Response, Status};

use crate::{grpc::Handler, platform::now, runtimes::service::TunnelSettings};

/// Facts that do not change while the process runs.
#[derive(Debug, Clone)]
pub(crate) struct PlatformInfo {
    pub version: &'static str,
    /// Empty if there is no tunnel server.
    pub tunnel_url: String,
}

impl PlatformInfo {
    pub(crate) fn new(version: &'static str, tunnel: &TunnelSettings) -> Self {
        let tunnel_url = tunnel.url.clone();
        Self {
            version,
            tunnel_url,
        }
    }
}

#[tonic::async_trait]
impl pb::info_service_server::InfoService for Handler<PlatformInfo> {
    async fn get_platform_info(
        &self,
        _: Request<pb::GetPlatformInfoRequest>,
    ) -> Result<Response<pb::GetPlatformInfoResponse>, Status> {
        Ok(Response::new(pb::GetPlatformInfoResponse {
            version: self.0.version.to_owned(),
            server_time: Some(millis_to_timestamp(now())),
            tunnel_url: self.0.tunnel_url.clone(),
        }))
    }
}
