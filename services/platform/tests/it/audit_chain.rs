//! Whoever may write to the database can change anything in it, and whoever verifies finds it.

use std::{fs, path::Path};

use causeway_assertion::PublicKey;
use causeway_client::{AuditVerifier, ChainError, ChainStart, ExpectedEntry, VerifiedChain};
use causeway_proto::platform::v1::{self as pb, audit_service_client::AuditServiceClient};
use sqlx::{ConnectOptions as _, Executor as _, sqlite::SqliteConnectOptions};
use tempfile::TempDir;

use crate::stage::{CallStage, args, question};

const REVOKE: &str = "/causeway.platform.v1.RuntimeService/RevokeRuntime";
const NOBODYS: &str = "/causeway.platform.v1.AuthorizationService/Authorize";

impl CallStage {
    async fn head(&self) -> pb::GetAuditHeadResponse {
        let request = pb::GetAuditHeadRequest::default();
        let path = "/causeway.platform.v1.AuditService/GetAuditHead";
        let peer = self.allowed(&self.admin_key(), path, &request).await;
        let mut audit = AuditServiceClient::new(peer.unwrap());
        audit.get_audit_head(request).await.unwrap().into_inner()
    }

    pub(crate) async fn entries(&self, platform: bool) -> Vec<pb::AuditEntry> {
        let request = pb::ExportAuditEntriesRequest {
            platform,
            ..Default::default()
        };
        let path = "/causeway.platform.v1.AuditService/ExportAuditEntries";
        let peer = self.allowed(&self.admin_key(), path, &request).await;
        let mut audit = AuditServiceClient::new(peer.unwrap());
        let batches = audit.export_audit_entries(request).await.unwrap();
        let (mut batches, mut entries) = (batches.into_inner(), Vec::new());
        while let Some(batch) = batches.message().await.unwrap() {
            entries.extend(batch.entries);
        }
        entries
    }

    async fn verify(&self, known: Option<ExpectedEntry>) -> Result<VerifiedChain, ChainError> {
        let head = self.head().await;
        let root = PublicKey::from_bytes(&head.root_key).unwrap();
        let mut verifier = AuditVerifier::new(&head.chain, root, ChainStart::Whole);
        if let Some(known) = known {
            verifier.expect(known);
        }
        verifier.expect_head(&head)?;
        for entry in self.entries(false).await {
            verifier.add(&entry)?;
        }
        verifier.end()
    }

    /// Five changes with their outcomes and two refusals.
    async fn act(&self) {
        let request = pb::RevokeRuntimeRequest::default();
        for _ in 0..5 {
            let question = question(&self.admin_key(), REVOKE, &request);
            let permit = self.authorize(question).await.unwrap();
            let outcome = pb::RecordOutcomeRequest {
                audit_id: permit.audit_id,
                outcome: pb::Outcome::Succeeded.into(),
                ..Default::default()
            };
            self.authorization().record_outcome(outcome).await.unwrap();
        }
        for _ in 0..2 {
            let question = question(&self.admin_key(), NOBODYS, &request);
            self.authorize(question).await.unwrap_err();
        }
    }
}

/// Changes the database behind the platform's back.
async fn tamper(folder: &Path, sql: &'static str) {
    let file = folder.join("data/platform.db");
    let mut database = SqliteConnectOptions::new()
        .filename(file)
        .connect()
        .await
        .unwrap();
    database.execute(sql).await.unwrap();
    sqlx::Connection::close(database).await.unwrap();
}

/// A platform that has acted and stopped: 12 entries and the checkpoint of its end; what was verified of it; its database.
async fn acted() -> (TempDir, ExpectedEntry, Vec<u8>) {
    let stage = CallStage::start().await;
    stage.act().await;
    let stage = stage.restart().await;
    let verified = stage.verify(None).await.unwrap();
    assert_eq!((verified.last, verified.sealed), (13, 13));
    let mark = ExpectedEntry {
        sequence: verified.last,
        hash: verified.hash,
        by: "the last verify",
    };
    let folder = stage.end().await;
    let database = fs::read(folder.path().join("data/platform.db")).unwrap();
    (folder, mark, database)
}

#[tokio::test]
async fn s_64_each_way_to_tamper_with_the_database_is_found_where_it_is() {
    let (mut folder, mark, database) = acted().await;
    let cases = [
        (
            "an edit",
            "UPDATE audit SET target = 'other' WHERE sequence = 3",
            3,
        ),
        (
            "an edit of an outcome",
            "UPDATE audit SET outcome = 2 WHERE sequence = 4",
            4,
        ),
        (
            "an edit of a time",
            "UPDATE audit SET written_at = written_at + 1 WHERE sequence = 5",
            5,
        ),
        (
            "a denial made an intent",
            "UPDATE audit SET kind = 1 WHERE sequence = 11",
            11,
        ),
        ("a deletion", "DELETE FROM audit WHERE sequence = 6", 6),
        ("a beginning cut", "DELETE FROM audit WHERE sequence < 4", 3),
        (
            "all but the checkpoint cut",
            "DELETE FROM audit WHERE sequence < 13; UPDATE audit_heads SET first_sequence = 13",
            1,
        ),
        (
            "a swap",
            "UPDATE audit SET sequence = 1003 WHERE sequence = 3; \
             UPDATE audit SET sequence = 3 WHERE sequence = 7; \
             UPDATE audit SET sequence = 7 WHERE sequence = 1003",
            3,
        ),
        ("a tail cut", "DELETE FROM audit WHERE sequence > 9", 10),
        (
            "an insertion",
            "INSERT INTO audit (account, sequence, kind, written_at, hash, seal) \
             SELECT account, 14, kind, written_at, hash, seal FROM audit WHERE sequence = 13",
            14,
        ),
        (
            "a tail cut and the head with it",
            "DELETE FROM audit WHERE sequence > 9; \
             UPDATE audit_heads SET sequence = 9, hash = (SELECT hash FROM audit WHERE sequence = 9)",
            10,
        ),
        ("all cut", "DELETE FROM audit; DELETE FROM audit_heads", 1),
    ];
    for (what, sql, place) in cases {
        tamper(folder.path(), sql).await;
        let stage = CallStage::start_in(folder).await;
        let found = stage.verify(Some(mark.clone())).await;
        let found = found.err().map(|flaw| flaw.sequence);
        assert_eq!(found, Some(place), "{what}");
        folder = stage.end().await;
        let file = args(folder.path()).data.join("platform.db");
        fs::write(&file, &database).unwrap();
        for more in ["platform.db-wal", "platform.db-shm"] {
            let _ = fs::remove_file(file.with_file_name(more));
        }
    }
    let stage = CallStage::start_in(folder).await;
    stage.verify(Some(mark)).await.unwrap();
}

#[tokio::test]
async fn strangers_are_told_in_the_platforms_chain_and_do_not_fill_it() {
    let stage = CallStage::start().await;
    let request = pb::RevokeRuntimeRequest::default();
    for number in 0..50 {
        let mut question = question("cwk_nonsense", REVOKE, &request);
        question.source_address = format!("192.0.2.{number}:1");
        stage.authorize(question).await.unwrap_err();
    }
    let entries = stage.entries(true).await.len();
    // A new minute may begin between two of them.
    assert!((10..=21).contains(&entries), "{entries}");
    assert_eq!(stage.head().await.sequence, 0);
}

#[tokio::test]
async fn a_row_says_on_whose_behalf_and_by_what_right() {
    let stage = CallStage::start().await;
    stage.act().await;
    let row = stage.audit(1, "").await.unwrap().records.remove(0);
    assert!(row.denied && row.credential.starts_with("key:"), "{row:?}");
    let rows = stage.audit(3, "").await.unwrap().records;
    assert_eq!(rows[2].permission, "runtime.revoke", "{:?}", rows[2]);
    assert_eq!(rows[2].outcome(), pb::Outcome::Succeeded);
}
