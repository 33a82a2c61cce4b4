//! What is hidden takes as long to refuse as what is absent. Both are asked for in turn, in pairs of random order, and what is compared
//! is how often the one took longer than the other: whatever else the machine does befalls both alike.

use std::io::Write as _;

use causeway_client::Peer;
use causeway_proto::{
    inventory::v1::{GetApplicationRequest, application_service_client::ApplicationServiceClient},
    platform::v1::{GetUserRequest, Selector, user_service_client::UserServiceClient},
    proxy::v1::{
        GetLiveApplicationRequest,
        application_action_service_client::ApplicationActionServiceClient,
    },
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, new_id};
use tokio::time::Instant;
use tonic::{Code, Status};

use crate::{
    action::until_reached,
    tenants::{account, member},
    world::{application, create, until_told},
};

const PAIRS: usize = 400;
/// What asks a database or a cluster some times more takes longer in nine of ten pairs, and what reads some hundred bytes more in six.
const BAND: [f64; 2] = [0.22, 0.78];

/// The share of pairs in which the first one took longer.
async fn share_of_slower(
    mut one: impl AsyncFnMut() -> Result<(), Status>,
    mut other: impl AsyncFnMut() -> Result<(), Status>,
) -> f64 {
    let mut slower = 0_u32;
    for _ in 0..PAIRS {
        // The last digit of an id is random.
        let one_first = new_id()
            .bytes()
            .next_back()
            .is_some_and(|it| it.is_multiple_of(2));
        let (mut took, mut took_other) = (None, None);
        for turn in [one_first, !one_first] {
            let begun = Instant::now();
            let answer = if turn { one().await } else { other().await };
            let elapsed = Some(begun.elapsed());
            assert_eq!(answer.unwrap_err().code(), Code::NotFound);
            if turn {
                took = elapsed;
            } else {
                took_other = elapsed;
            }
        }
        slower += u32::from(took > took_other);
    }
    f64::from(slower) / PAIRS as f64
}

fn say(what: &str, share: f64) {
    // A figure for people; whoever runs the tests with --nocapture sees it.
    let _ = writeln!(
        std::io::stderr(),
        "{what}: the hidden one took longer in {:.0} % of {PAIRS} pairs",
        share * 100.0
    );
}

async fn got(by: &Peer, name: &str) -> Result<(), Status> {
    let request = GetApplicationRequest {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        ..GetApplicationRequest::default()
    };
    let mut client = ApplicationServiceClient::new(by.clone());
    client.get_application(request).await.map(drop)
}

async fn read_live(by: &Peer, name: &str) -> Result<(), Status> {
    let request = GetLiveApplicationRequest {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
    };
    let mut client = ApplicationActionServiceClient::new(by.clone());
    client.get_live_application(request).await.map(drop)
}

async fn user(by: &Peer, name: &str) -> Result<(), Status> {
    let request = GetUserRequest {
        user: name.to_owned(),
    };
    let mut client = UserServiceClient::new(by.clone());
    client.get_user(request).await.map(drop)
}

/// A mesh with the applications `mine` and `outs`, a user who may see the first one alone, and the admin of another account.
async fn stage() -> (Mesh, Peer, Peer) {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    for name in ["mine", "outs"] {
        create(mesh.sandbox(), &application(mesh.sandbox(), name)).await;
    }
    until_told(&mesh).await;
    until_reached(&mesh, "mine").await;
    let selector = Selector {
        names: vec!["mine".to_owned()],
        ..Selector::default()
    };
    let ada = member(&mesh, "ada", selector).await;
    let globex = account(&mesh, "globex").await;
    (mesh, ada, globex)
}

#[tokio::test(flavor = "multi_thread")]
async fn s_57_what_is_hidden_takes_as_long_to_refuse_as_what_is_absent() {
    let (mesh, ada, globex) = stage().await;
    let shares = [
        (
            "an application out of scope, in the inventory",
            share_of_slower(
                async || got(&ada, "outs").await,
                async || got(&ada, "outz").await,
            )
            .await,
        ),
        (
            "an application of another account, in the inventory",
            share_of_slower(
                async || got(&globex, "mine").await,
                async || got(&globex, "mime").await,
            )
            .await,
        ),
        (
            "an application out of scope, in the cluster",
            share_of_slower(
                async || read_live(&ada, "outs").await,
                async || read_live(&ada, "outz").await,
            )
            .await,
        ),
        (
            "a user of another account",
            share_of_slower(
                async || user(&globex, "ada").await,
                async || user(&globex, "adu").await,
            )
            .await,
        ),
    ];
    for (what, share) in shares {
        say(what, share);
    }
    for (what, share) in shares {
        assert!((BAND[0]..=BAND[1]).contains(&share), "{what}: {share}");
    }
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_queries_are_detected_by_their_time() {
    let (mesh, ada, _) = stage().await;
    // Four times, since on a busy machine it is by chance how long one takes.
    let leaking = async || {
        for _ in 0..3 {
            let _ = got(&ada, "outs").await;
        }
        got(&ada, "outs").await
    };
    let share = share_of_slower(leaking, async || got(&ada, "outz").await).await;
    say("one that is looked for four times", share);
    assert!(share > BAND[1], "{share}");
    mesh.stop().await;
}
