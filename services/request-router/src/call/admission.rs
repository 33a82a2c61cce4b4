//! The turn of a call among those of its caller and its runtime.

use http::HeaderValue;
use tonic::Status;

use super::{Call, Claims, Exchange};
use crate::{
    authorize::Grant,
    limits::{CallShape, Caller, Turn},
    table::Shape,
};

impl Exchange {
    /// Before the platform is asked, and before the body is read, if the credential was accepted before.
    pub(super) async fn enter_known(
        &self,
        call: &Call<'_>,
        credential: &str,
    ) -> Result<Option<Turn>, Status> {
        let Some(limits) = &self.limits else {
            return Ok(None);
        };
        let Some(caller) = limits.known(credential).await else {
            return Ok(None);
        };
        let turn = call.within(limits.enter(caller, shape(call))).await??;
        Ok(Some(turn))
    }

    /// The turns of an authorized call: its caller's, unless it has it already, and its runtime's.
    pub(super) async fn enter_granted(
        &self,
        call: &Call<'_>,
        turn: Option<Turn>,
        credential: &str,
        grant: &Grant,
    ) -> Result<Vec<Turn>, Status> {
        let Some(limits) = &self.limits else {
            return Ok(Vec::new());
        };
        let turn = match turn {
            Some(turn) => turn,
            None => {
                let caller = limits.learn(credential, &grant.caller).await;
                call.within(limits.enter(caller, shape(call))).await??
            }
        };
        let mut turns = vec![turn];
        if let Ok(runtime) = grant.runtime.to_str()
            && call.method.is_inside_runtime()
        {
            let entered = limits.enter_runtime(runtime, shape(call));
            turns.push(call.within(entered).await??);
        }
        Ok(turns)
    }

    /// The turn of a user who shows an assertion. It is not verified here, so that its claims could blame another user: it counts
    /// for its source. Parts and runtimes cannot pass as users, nor users as them: the part that is called verifies it.
    pub(super) async fn enter_by_address(
        &self,
        call: &Call<'_>,
        assertion: &HeaderValue,
    ) -> Result<Option<Turn>, Status> {
        let (Some(limits), Some(source)) = (&self.limits, call.source) else {
            return Ok(None);
        };
        if !Claims::of(assertion).is_some_and(|claims| claims.sub.starts_with("user:")) {
            return Ok(None);
        }
        let caller = Caller::at(source.address());
        let turn = call.within(limits.enter(caller, shape(call))).await??;
        Ok(Some(turn))
    }
}

fn shape(call: &Call<'_>) -> CallShape {
    match call.method.shape {
        Shape::Unary => CallShape::Unary,
        Shape::ServerStream | Shape::RequestStream => CallShape::Stream,
    }
}
