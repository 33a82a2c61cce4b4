//! The names of runtimes, as the part `platform` knows them.

use std::{sync::Arc, time::Duration};

use causeway_client::Peer;
use causeway_proto::{
    ids::{AccountId, RuntimeId, RuntimeName},
    platform::v1::{self as pb, runtime_service_client::RuntimeServiceClient},
};
use futures::{FutureExt as _, future::BoxFuture};
use moka::future::Cache;
use tonic::Code;

use crate::inventory::{NameError, RuntimeNames};

const REMEMBERED: u64 = 10_000;
/// Short, as this is also how a revocation is learned of.
const KNOWN_FOR: Duration = Duration::from_secs(3);

/// Asks the part `platform`, at most once in three seconds for each runtime.
pub(crate) struct PlatformNames {
    client: RuntimeServiceClient<Peer>,
    known: Cache<(AccountId, RuntimeId), RuntimeName>,
}

impl PlatformNames {
    pub(crate) fn new(platform: Peer) -> Self {
        let known = Cache::builder()
            .max_capacity(REMEMBERED)
            .time_to_live(KNOWN_FOR)
            .build();
        Self {
            client: RuntimeServiceClient::new(platform),
            known,
        }
    }

    async fn ask(
        &self,
        account: &AccountId,
        runtime: &RuntimeId,
    ) -> Result<RuntimeName, NameError> {
        let request = pb::ResolveRuntimeRequest {
            account: account.to_string(),
            runtime_id: runtime.to_string(),
        };
        let response = self.client.clone().resolve_runtime(request).await;
        let response = response.map_err(|status| {
            if status.code() == Code::NotFound {
                NameError::Unknown
            } else {
                NameError::Unavailable(status.message().to_owned())
            }
        })?;
        let name = response.into_inner().name.parse();
        name.map_err(|_| NameError::Unavailable("the answer is no name".to_owned()))
    }
}

impl RuntimeNames for PlatformNames {
    fn name<'a>(
        &'a self,
        account: &'a AccountId,
        runtime: &'a RuntimeId,
    ) -> BoxFuture<'a, Result<RuntimeName, NameError>> {
        async move {
            let key = (account.clone(), runtime.clone());
            let asked = self.known.try_get_with(key, self.ask(account, runtime));
            asked.await.map_err(Arc::unwrap_or_clone)
        }
        .boxed()
    }
}
