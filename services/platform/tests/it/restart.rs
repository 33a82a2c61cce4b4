use causeway_proto::platform::v1::{self as pb, part_service_client::PartServiceClient};
use causeway_shell::Shell;
use tokio::net::TcpListener;

use crate::stage::{CallStage, args, new_id};

#[tokio::test]
async fn a_restart_keeps_keys_runtimes_tokens_and_the_audit() {
    let stage = CallStage::start().await;
    let (admin, runtime) = (stage.admin_key(), stage.join("edge").await);
    let token = stage
        .create_join_token("second", &new_id())
        .await
        .unwrap()
        .token;
    let rows = stage.audit(100, "").await.unwrap().records;
    let stage = stage.restart().await;
    assert_eq!(stage.admin_key(), admin);
    assert_eq!(stage.audit(100, "").await.unwrap().records, rows);
    assert_eq!(stage.list_api_keys(&admin).await.unwrap().len(), 1);
    assert_eq!(
        stage.get_runtime("edge").await.unwrap().runtime_id,
        runtime.runtime_id.as_str()
    );
    assert!(
        stage
            .verification_key(runtime.identity_key.id().as_str())
            .await
            .is_some()
    );
    let second = stage.use_token("second", &token).await.unwrap();
    assert_eq!(second.root_key, runtime.root_key);
}

#[tokio::test]
async fn what_was_heard_of_a_runtime_outlives_an_orderly_end() {
    let stage = CallStage::start().await;
    let runtime = stage.join("edge").await;
    let mut parts = PartServiceClient::new(runtime.platform());
    let announcement = pb::AnnounceRequest {
        part: "app-proxy".to_owned(),
        instance: "one".to_owned(),
        version: "9.9.9".to_owned(),
        ..Default::default()
    };
    parts.announce(announcement).await.unwrap();
    let before = stage.get_runtime("edge").await.unwrap();
    let stage = stage.restart().await;
    let after = stage.get_runtime("edge").await.unwrap();
    assert!(before.last_seen_at.is_some());
    assert_eq!(
        (after.last_seen_at, after.version.as_str()),
        (before.last_seen_at, "9.9.9")
    );
}

#[tokio::test]
async fn a_folder_that_is_held_is_refused_in_one_line() {
    let stage = CallStage::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (shell, _stop) = Shell::for_test("platform");
    let refused = causeway_platform::serve(args(stage.folder.path()), listener, shell).await;
    let error = format!("{:#}", refused.unwrap_err());
    assert!(
        error.contains("another causeway process holds this folder"),
        "{error}"
    );
}

#[tokio::test]
async fn keys_can_be_made_before_the_platform_starts() {
    let folder = tempfile::tempdir().unwrap();
    let args = args(folder.path());
    args.make_keys().unwrap();
    let made = std::fs::read_to_string(args.part_issuer_key_file()).unwrap();
    let stage = CallStage::start_in(folder).await;
    assert_eq!(
        std::fs::read_to_string(args.part_issuer_key_file()).unwrap(),
        made
    );
    assert_eq!(
        stage.list_api_keys(&stage.admin_key()).await.unwrap().len(),
        1
    );
}
