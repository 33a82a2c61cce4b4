//! A stolen platform database: what its reader learns, and what its writer becomes.

use std::{fs, path::Path};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_assertion::{PublicKey, SigningKey};
use causeway_client::{AuditVerifier, ChainError, ChainStart, Credential, Peer};
use causeway_proto::{
    inventory::v1::application_service_client::ApplicationServiceClient,
    platform::v1::{
        AuditRecord, CreateApiKeyRequest, CreateJoinTokenRequest, CreateRejoinTokenRequest,
        ExportAuditEntriesRequest, ListApiKeysRequest, ListAuditRecordsRequest,
    },
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, new_id};
use sha2::{Digest as _, Sha256};
use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Row as _, SqliteConnection, sqlite::SqliteConnectOptions,
};

use super::{SYNC, Thief, refused, sync};
use crate::{
    action::order,
    isolation::report_at,
    world::{application, create, list_by, until_told},
};

const EVES_KEY: &str = "cwk_ZXZlIG1hZGUgdGhpcyBrZXkgYW5kIG5vYm9keSBlbHNlIQ";

/// The platform's database as a thief opens it.
pub(crate) async fn stolen(mesh: &Mesh) -> SqliteConnection {
    let file = mesh.folder().join("platform/platform.db");
    let options = SqliteConnectOptions::new().filename(file);
    options.connect().await.unwrap()
}

pub(crate) async fn run(database: &mut SqliteConnection, sql: &str) -> u64 {
    let done = sqlx::query(AssertSqlSafe(sql.to_owned()));
    done.execute(database).await.unwrap().rows_affected()
}

async fn texts(database: &mut SqliteConnection, sql: &str) -> Vec<String> {
    let rows = sqlx::query(AssertSqlSafe(sql.to_owned()));
    let rows = rows.fetch_all(database).await.unwrap();
    rows.iter().filter_map(|row| row.get(0)).collect()
}

/// Every value of every table, as bytes.
pub(crate) async fn every_value(database: &mut SqliteConnection) -> Vec<(String, Vec<u8>)> {
    let tables = "SELECT name FROM sqlite_master WHERE type = 'table'";
    let mut values = Vec::new();
    for table in texts(database, tables).await {
        let columns = format!("SELECT name FROM pragma_table_info('{table}')");
        for column in texts(database, &columns).await {
            let all = format!("SELECT CAST(\"{column}\" AS BLOB) FROM \"{table}\"");
            let rows = sqlx::query(AssertSqlSafe(all));
            for row in rows.fetch_all(&mut *database).await.unwrap() {
                let value: Option<Vec<u8>> = row.get(0);
                values.extend(value.map(|value| (format!("{table}.{column}"), value)));
            }
        }
    }
    values
}

/// A secret in each form in which it could be written down.
fn forms(secret: &[u8]) -> Vec<Vec<u8>> {
    let hex: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
    vec![
        secret.to_vec(),
        hex.clone().into_bytes(),
        hex.to_uppercase().into_bytes(),
        BASE64_STANDARD.encode(secret).into_bytes(),
    ]
}

/// The number in the PKCS #8 document of a P-256 key, which is all there is to it.
fn private_half(pem: &str) -> Vec<u8> {
    let lines = pem.lines().filter(|line| !line.starts_with("-----"));
    let document = BASE64_STANDARD.decode(lines.collect::<String>()).unwrap();
    let opens = [2, 1, 1, 4, 32];
    let at = document.windows(5).position(|five| five == opens).unwrap();
    document[at + 5..at + 37].to_vec()
}

/// What an API key or a token is behind its prefix: the text, and the bits that it stands for.
fn bearer(text: &str) -> Vec<Vec<u8>> {
    // The text itself may hold an underscore too.
    let (_, body) = text.trim().split_once('_').unwrap();
    vec![body.as_bytes().to_vec()]
}

/// All that opens something, by its name.
async fn secrets(mesh: &Mesh) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for folder in ["platform/keys", "east", "tunnel-server"] {
        for file in fs::read_dir(mesh.folder().join(folder)).unwrap() {
            let file = file.unwrap().path();
            let Ok(text) = fs::read_to_string(&file) else {
                continue;
            };
            let name = file.display().to_string();
            if text.contains("PRIVATE KEY") {
                found.push((name, private_half(&text)));
            } else if name.ends_with(".token") || name.ends_with(".key") {
                found.push((name, text.trim().as_bytes().to_vec()));
            }
        }
    }
    assert!(found.len() >= 8, "{}", found.len());
    let made = CreateApiKeyRequest {
        display_name: "guest".to_owned(),
        request_id: new_id(),
        ..CreateApiKeyRequest::default()
    };
    let made = mesh.api_keys().create_api_key(made).await.unwrap();
    let join = CreateJoinTokenRequest {
        runtime: "west".to_owned(),
        request_id: new_id(),
    };
    let join = mesh.runtimes().create_join_token(join).await.unwrap();
    let rejoin = CreateRejoinTokenRequest {
        name: "east".to_owned(),
        request_id: new_id(),
    };
    let rejoin = mesh.runtimes().create_rejoin_token(rejoin).await.unwrap();
    for (name, text) in [
        ("the admin's key", mesh.admin_key()),
        ("a user's key", made.into_inner().secret),
        ("a join token", join.into_inner().token),
        ("a token to join again", rejoin.into_inner().token),
    ] {
        found.extend(bearer(&text).into_iter().map(|it| (name.to_owned(), it)));
    }
    found
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_database_tells_its_reader_no_credential_key_or_token() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    let secrets = secrets(&mesh).await;
    let mut places = every_value(&mut stolen(&mesh).await).await;
    assert!(places.iter().any(|(place, _)| place == "api_keys.digest"));
    for file in ["platform.db", "platform.db-wal"] {
        let bytes = fs::read(mesh.folder().join("platform").join(file)).unwrap();
        places.push((file.to_owned(), bytes));
    }
    // A scan that finds what is there, so that it means something where it finds nothing.
    let there = mesh.runtime.identity.identity_key;
    let found = places
        .iter()
        .filter(|(_, it)| contains(it, there.as_bytes()));
    assert!(found.count() >= 2);
    for (name, secret) in &secrets {
        for form in forms(secret) {
            let found = places.iter().find(|(_, bytes)| contains(bytes, &form));
            assert_eq!(found.map(|(place, _)| place), None, "{name}");
        }
    }
    mesh.stop().await;
}

pub(crate) async fn verify(mesh: &Mesh) -> Result<(), ChainError> {
    let root = fs::read_to_string(mesh.folder().join("platform/keys/root.pub")).unwrap();
    let root = BASE64_STANDARD.decode(root.trim()).unwrap();
    let root = PublicKey::from_bytes(&root).unwrap();
    let mut verifier = AuditVerifier::new("default", root, ChainStart::Whole);
    let entries = ExportAuditEntriesRequest::default();
    let entries = mesh.audit().export_audit_entries(entries).await.unwrap();
    let mut entries = entries.into_inner();
    while let Some(batch) = entries.message().await.unwrap() {
        for entry in &batch.entries {
            verifier.add(entry)?;
        }
    }
    verifier.end().map(drop)
}

async fn records(mesh: &Mesh) -> Vec<AuditRecord> {
    let request = ListAuditRecordsRequest {
        page_size: 100,
        ..ListAuditRecordsRequest::default()
    };
    let listed = mesh.audit().list_audit_records(request).await.unwrap();
    listed.into_inner().records
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_databases_writer_becomes_any_user_and_is_seen() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let west = mesh
        .join_allowing("west", SandboxOptions::in_memory(), "read")
        .await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    verify(&mesh).await.unwrap();
    let mut database = stolen(&mesh).await;
    let digest = hex(&Sha256::digest(EVES_KEY));
    let insert = format!(
        "INSERT INTO api_keys (account, key_id, digest, display_name, user_id, role, created_at) \
         VALUES ('default', 'key-eve', x'{digest}', 'eve', 'admin', 'admin', 1)"
    );
    run(&mut database, &insert).await;
    let eve: Peer = mesh.peer(&mesh.router, Credential::api_key(EVES_KEY));
    let mut reads = ApplicationServiceClient::new(eve.clone());
    assert_eq!(list_by(&mut reads, "east").await.unwrap().len(), 1);
    let keys = ListApiKeysRequest::default();
    let keys = mesh.api_keys().list_api_keys(keys).await;
    let keys = keys.unwrap().into_inner().api_keys;
    assert!(keys.iter().any(|key| key.key_id == "key-eve"), "{keys:?}");
    // What she does is bounded where it is done, and written down with the key that she gave herself.
    let west_order = causeway_proto::proxy::v1::SyncApplicationRequest {
        runtime: "west".to_owned(),
        ..order("a")
    };
    let mut actions = causeway_proto::proxy::v1::application_action_service_client::ApplicationActionServiceClient::new(eve);
    refused(
        "beyond west's own list",
        actions.sync_application(west_order).await,
    );
    let told = records(&mesh).await;
    let by_eve = told.iter().filter(|it| it.credential.contains("key-eve"));
    assert!(by_eve.count() > 0, "{told:?}");
    // She cannot take it out again.
    let sql = "DELETE FROM audit WHERE credential LIKE '%key-eve%'";
    assert!(run(&mut database, sql).await > 0);
    verify(&mesh).await.unwrap_err();
    west.stop().await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stolen_databases_writer_signs_nothing_that_a_runtime_believes() {
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    let mut database = stolen(&mesh).await;
    let own = SigningKey::generate().unwrap();
    let (kid, point) = (own.kid(), hex(own.public_key().as_bytes()));
    // She registers her key as the runtime's: then the platform takes her for that runtime, and no longer the runtime itself.
    let sql = format!(
        "UPDATE runtimes SET key_id = '{kid}', identity_key = x'{point}', sealing_key = x'{point}' \
         WHERE account = 'default' AND name = 'east'"
    );
    assert_eq!(run(&mut database, &sql).await, 1);
    let east = &mesh.runtime.identity;
    let as_east = Credential::runtime(
        SigningKey::from_pem(&own.to_pem()).unwrap().into(),
        east.account.clone(),
        east.runtime_id.clone(),
    );
    report_at(&mesh, &mesh.inventory, as_east).await.unwrap();
    // The runtime itself still believes nobody but who its pinned root key vouches for.
    let order = order("a");
    let shown = Thief::of_key(&own).shows("user:admin", Some(&mesh.runtime), SYNC, &order);
    refused(
        "a user by her own key",
        sync(&mesh, &mesh.runtime.app_proxy, shown, &order).await,
    );
    // Another root key in the database puts the platform out of work, and takes nobody in.
    let sql = format!("UPDATE notes SET value = '{kid}' WHERE name = 'root key'");
    assert_eq!(run(&mut database, &sql).await, 1);
    drop(database);
    mesh.platform.stop().await;
    let data = mesh.folder().join("platform");
    let refusal = mesh.refused_platform("platform", &[]).await;
    assert!(refusal.contains("root.pem"), "{refusal}");
    assert!(is_folder_of(&data, &refusal), "{refusal}");
    mesh.stop().await;
}

fn is_folder_of(data: &Path, refusal: &str) -> bool {
    refusal.contains(&data.join("keys").display().to_string())
}
