//! Verbs on rollouts.

use causeway_proto::{ids::RequestId, proxy::v1 as pb};

use super::{FieldError, check_name};
use crate::{
    kube::objects::ObjectName,
    outcome::Attempt,
    rollout::{
        Verb,
        act::{RolloutOrder, RolloutOutcome},
    },
};

const LONGEST_DELAY: u64 = 30 * 24 * 3600;
const LONGEST_CONTAINER: usize = 63;
const LONGEST_IMAGE: usize = 512;

macro_rules! orders {
    ($($name:ident: $request:ident = |$it:ident| $verb:expr;)*) => {$(
        pub(crate) fn $name($it: pb::$request) -> Result<RolloutOrder, FieldError> {
            let verb = $verb;
            Ok(RolloutOrder {
                request_id: $it.request_id.parse::<RequestId>()?,
                rollout: read_object($it.namespace, $it.name)?,
                verb,
            })
        }
    )*};
}

orders! {
    promote: PromoteRolloutRequest = |it| if it.full { Verb::PromoteFull } else { Verb::Promote };
    pause: PauseRolloutRequest = |it| Verb::Pause;
    resume: ResumeRolloutRequest = |it| Verb::Resume;
    abort: AbortRolloutRequest = |it| Verb::Abort;
    retry: RetryRolloutRequest = |it| Verb::Retry;
    restart: RestartRolloutRequest = |it| Verb::Restart { delay: read_delay(it.delay.as_ref())? };
    undo: UndoRolloutRequest = |it| Verb::Undo {
        revision: (it.revision > 0).then_some(it.revision),
    };
    set_image: SetRolloutImageRequest = |it| read_image(&it.container, &it.image)?;
}

pub(crate) fn read_object(namespace: String, name: String) -> Result<ObjectName, FieldError> {
    check_name("namespace", &namespace)?;
    check_name("name", &name)?;
    Ok(ObjectName { namespace, name })
}

fn read_delay(delay: Option<&prost_types::Duration>) -> Result<u64, FieldError> {
    let Some(delay) = delay else {
        return Ok(0);
    };
    let seconds = u64::try_from(delay.seconds).ok();
    let seconds = seconds.filter(|it| *it <= LONGEST_DELAY && delay.nanos >= 0);
    seconds.ok_or(FieldError::Delay)
}

fn read_image(container: &str, image: &str) -> Result<Verb, FieldError> {
    let odd = |character: char| character.is_whitespace() || character.is_control();
    if container.is_empty() || container.len() > LONGEST_CONTAINER || container.contains(odd) {
        return Err(FieldError::Container);
    }
    if image.is_empty() || image.len() > LONGEST_IMAGE || image.contains(odd) {
        return Err(FieldError::Image);
    }
    Ok(Verb::SetImage {
        container: container.to_owned(),
        image: image.to_owned(),
    })
}

impl From<RolloutOutcome> for pb::RolloutOutcome {
    fn from(outcome: RolloutOutcome) -> Self {
        Self {
            repeated_request: outcome.origin == Attempt::EarlierCall,
            resource_version: outcome.resource_version,
            unchanged: outcome.unchanged,
            note: outcome.note.to_owned(),
        }
    }
}
