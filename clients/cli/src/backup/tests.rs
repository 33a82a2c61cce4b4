use std::{fs, io::Read as _, path::Path};

use causeway_assertion::SigningKey;
use causeway_database::{ColumnKind, CopySource, Database, Value, query};
use clap::Parser as _;
use sha2::{Digest as _, Sha256};

use super::{
    archive::{Pack, VerifiedBackup},
    keys,
    manifest::{FORMAT, Manifest},
    *,
};

fn manifest() -> Manifest {
    Manifest {
        format: FORMAT,
        version: "1.2.3".to_owned(),
        as_of: "2026-01-01T00:00:00Z".to_owned(),
        root_key: None,
        with_keys: false,
        parts: Vec::new(),
        files: Vec::new(),
    }
}

fn backup(folder: &Path) -> std::path::PathBuf {
    let file = folder.join("backup.tar");
    let mut pack = Pack::begin(&file).unwrap();
    pack.add("keys/root.pub".to_owned(), b"a key").unwrap();
    pack.add_packed("things/owners/000001.jsonl.zst".to_owned(), b"[1]\n[2]\n")
        .unwrap();
    pack.finish(manifest(), None).unwrap();
    file
}

fn refusal(file: &Path) -> String {
    let opened = VerifiedBackup::open(file).map(drop);
    format!("{:#}", opened.unwrap_err())
}

#[test]
fn a_backup_is_read_back_and_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = backup(folder.path());
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    let mut whole = VerifiedBackup::open(&file).unwrap();
    assert_eq!(whole.content(0).unwrap(), b"a key");
    let rows = archive::unpacked(&whole.content(1).unwrap()).unwrap();
    assert_eq!(rows, "[1]\n[2]\n");
    let again = Pack::begin(&file).map(drop);
    assert!(again.unwrap_err().to_string().contains("already"));
}

#[test]
fn a_backup_with_any_byte_changed_or_cut_off_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = fs::read(backup(folder.path())).unwrap();
    let file = folder.path().join("damaged.tar");
    let ends = bytes.len() - 1024;
    for length in (0..ends).step_by(97) {
        fs::write(&file, &bytes[..length]).unwrap();
        refusal(&file);
    }
    let mut survived = Vec::new();
    for place in (0..ends).step_by(7) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        fs::write(&file, &damaged).unwrap();
        if VerifiedBackup::open(&file).is_ok() {
            survived.push(place);
        }
    }
    // What a tar pads its members with says nothing.
    let padding = |place: &usize| bytes[*place] == 0;
    assert!(survived.iter().all(padding), "{survived:?}");
}

#[test]
fn a_backup_of_a_later_format_is_refused_with_what_made_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("later.tar");
    let later = Manifest {
        format: FORMAT + 1,
        ..manifest()
    };
    Pack::begin(&file).unwrap().finish(later, None).unwrap();
    let told = refusal(&file);
    assert!(
        told.contains("made by causeway 1.2.3 in the format 3"),
        "{told}"
    );
}

/// A backup of a part without rows, by a platform with a key.
fn signed_backup(folder: &Path, root: &SigningKey) -> std::path::PathBuf {
    let file = folder.join("signed.tar");
    let named = Manifest {
        root_key: Some(root.kid().to_string()),
        ..manifest()
    };
    let mut pack = Pack::begin(&file).unwrap();
    pack.add("keys/root.pub".to_owned(), b"a key").unwrap();
    pack.finish(named, Some(root)).unwrap();
    file
}

fn folder_of(root: &SigningKey) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("root.pem"), root.to_pem().as_bytes()).unwrap();
    folder
}

async fn check(file: &Path, flags: &[&str]) -> Result<(), String> {
    #[derive(clap::Parser)]
    struct Restore {
        #[command(flatten)]
        args: RestoreArgs,
    }
    let fixed = ["restore", "--check", file.to_str().unwrap()];
    let restore = Restore::parse_from(fixed.iter().chain(flags));
    let checked = restore.args.run().await;
    checked.map_err(|error| format!("{error:#}"))
}

#[tokio::test]
async fn a_backup_without_a_signature_is_refused_without_a_flag() {
    let folder = tempfile::tempdir().unwrap();
    let file = backup(folder.path());
    let told = check(&file, &[]).await.unwrap_err();
    assert!(told.contains("--allow-unsigned"), "{told}");
    check(&file, &["--allow-unsigned"]).await.unwrap();
}

#[tokio::test]
async fn a_backup_is_restored_by_the_platform_whose_root_key_signed_it() {
    let folder = tempfile::tempdir().unwrap();
    let (root, other) = (
        SigningKey::generate().unwrap(),
        SigningKey::generate().unwrap(),
    );
    let file = signed_backup(folder.path(), &root);
    let (own, foreign) = (folder_of(&root), folder_of(&other));
    let keys = |folder: &tempfile::TempDir| folder.path().display().to_string();
    check(&file, &["--keys", &keys(&own)]).await.unwrap();
    let told = check(&file, &["--keys", &keys(&foreign)])
        .await
        .unwrap_err();
    assert!(told.contains("signed by the root key"), "{told}");
    // The flag is for backups without a signature, and not for those of others.
    let foreign = keys(&foreign);
    let flags = ["--allow-unsigned", "--keys", &foreign];
    check(&file, &flags).await.unwrap_err();
    check(&file, &["--root-key", root.kid().as_str()])
        .await
        .unwrap();
    check(&file, &["--root-key", other.kid().as_str()])
        .await
        .unwrap_err();
}

#[test]
fn a_manifest_that_was_written_again_under_its_signature_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = SigningKey::generate().unwrap();
    let bytes = fs::read(signed_backup(folder.path(), &root)).unwrap();
    let file = folder.path().join("changed.tar");
    fs::write(&file, written_again(&bytes, "1.2.3", "1.2.4")).unwrap();
    let told = refusal(&file);
    assert!(told.contains("its signature does not hold"), "{told}");
}

/// A backup with other words in its manifest and the digest of that, as somebody without the key would make it.
fn written_again(bytes: &[u8], word: &str, other: &str) -> Vec<u8> {
    let mut archive = tar::Archive::new(bytes);
    let mut made = tar::Builder::new(Vec::new());
    let mut manifest = String::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().display().to_string();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        if name == "manifest.json" {
            manifest = String::from_utf8(content).unwrap().replace(word, other);
            content = manifest.clone().into_bytes();
        } else if name == "manifest.sha256" {
            let digest = manifest::hex(&Sha256::digest(&manifest));
            content = format!("{digest}  manifest.json\n").into_bytes();
        }
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        made.append_data(&mut header, name, &content[..]).unwrap();
    }
    made.into_inner().unwrap()
}

#[test]
fn rows_are_read_back_as_they_were() {
    let columns = [
        ColumnKind::Text,
        ColumnKind::Integer,
        ColumnKind::Blob,
        ColumnKind::Boolean,
    ];
    let columns = columns.map(|kind| (format!("{kind:?}"), kind));
    for row in [
        vec![
            Value::Text(Some("a \"word\"\n\u{1f600}".to_owned())),
            Value::Integer(Some(i64::MIN)),
            Value::Blob(Some(vec![0, 255])),
            Value::Boolean(Some(false)),
        ],
        vec![
            Value::Text(None),
            Value::Integer(None),
            Value::Blob(None),
            Value::Boolean(None),
        ],
    ] {
        let line = rows::to_line(&row).unwrap();
        assert_eq!(rows::from_line(&line, &columns).unwrap(), row);
    }
    for wrong in [
        "[]",
        "{}",
        "[1,1,null,true]",
        "[null,1.5,null,null]",
        "[null,null,\"x\",null]",
    ] {
        rows::from_line(wrong, &columns).unwrap_err();
    }
}

#[test]
fn the_root_key_of_a_folder_is_known_by_either_half() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(keys::root(folder.path()).unwrap(), None);
    let key = SigningKey::generate().unwrap();
    fs::write(folder.path().join("root.pem"), key.to_pem().as_bytes()).unwrap();
    assert_eq!(
        keys::root(folder.path()).unwrap().unwrap(),
        key.kid().to_string()
    );
}

#[tokio::test]
async fn every_table_of_every_part_is_kept_or_passing() {
    for kept in PARTS {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(kept.file);
        let database = Database::open_file(&file, kept.migrations).await.unwrap();
        let there = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_sqlx%' ESCAPE '\\'
            AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
        let rows = query(there).fetch_all(&database).await.unwrap();
        let mut there: Vec<String> = rows.iter().map(|row| row.try_get(0).unwrap()).collect();
        let schema = CopySource::open_file(&file)
            .await
            .unwrap()
            .schema(&kept)
            .await
            .unwrap();
        let tables = schema.tables.into_iter().map(|table| table.name);
        let mut known: Vec<String> = tables.collect();
        known.extend(kept.transient.iter().map(|&name| name.to_owned()));
        there.sort();
        known.sort();
        assert_eq!(known, there, "{}", kept.part);
    }
}
