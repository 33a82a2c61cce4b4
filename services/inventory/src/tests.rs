use std::time::Duration;

use causeway_assertion::SigningKey;
use causeway_client::PlatformPeerArgs;
use causeway_database::DatabaseArgs;
use causeway_shell::Health;
use tokio::task::JoinSet;
use tonic::{Code, transport::Channel};

use super::*;
use crate::fixture::soon;

/// Settings of a part in a folder; nobody answers at the platform's address.
fn args(folder: &std::path::Path) -> Args {
    let part_key = folder.join("parts.pem");
    std::fs::write(&part_key, SigningKey::generate().unwrap().to_pem()).unwrap();
    Args {
        data: folder.join("data"),
        database: DatabaseArgs::default(),
        history_retention: Duration::from_secs(90 * 24 * 3600).into(),
        history_full: Duration::from_secs(7 * 24 * 3600).into(),
        quotas: quota::Quotas::DEFAULT,
        platform: PlatformPeerArgs {
            platform_url: "http://127.0.0.1:9".to_owned(),
            part_key: None,
            part_issuer_key: Some(part_key),
        },
    }
}

async fn open(folder: &std::path::Path) -> SqlStore {
    let opened = SqlStore::open(&DatabaseArgs::default(), folder, Metrics::unread()).await;
    opened.unwrap().0
}

async fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

#[tokio::test]
async fn the_part_gets_ready_refuses_strangers_and_drains() {
    use causeway_proto::inventory::v1 as pb;
    use pb::application_service_client::ApplicationServiceClient;
    let folder = tempfile::tempdir().unwrap();
    let (shell, stop) = Shell::for_test("inventory");
    let listener = listener().await;
    let address = listener.local_addr().unwrap();
    let mut serving = JoinSet::new();
    serving.spawn(serve(args(folder.path()), listener, shell.clone()));
    let mut health = shell.health();
    soon(health.wait_for(|health| *health == Health::Ready))
        .await
        .unwrap();

    let channel = Channel::from_shared(format!("http://{address}")).unwrap();
    let mut client = ApplicationServiceClient::new(channel.connect_lazy());
    let list = pb::ListApplicationsRequest::default();
    let refused = soon(client.list_applications(list)).await.unwrap_err();
    assert_eq!(refused.code(), Code::Unauthenticated);

    stop.request();
    soon(serving.join_next()).await.unwrap().unwrap().unwrap();
    soon(stop.stop()).await.unwrap();
    drop(open(&folder.path().join("data")).await);
}

#[tokio::test]
async fn a_data_folder_in_use_ends_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let args = args(folder.path());
    let held = open(&args.data).await;
    let (shell, _stop) = Shell::for_test("inventory");
    let refused = soon(serve(args, listener().await, shell))
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("in use by another process"));
    drop(held);
}
