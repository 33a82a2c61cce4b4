use std::{fs, path::Path, process::Command, sync::Arc};

use tempfile::TempDir;

use super::server::{Server, append, engine, git};
use crate::{GitError, Remote, SigningKey};

/// A key made by the real program.
fn keygen(folder: &Path, arguments: &[&str]) -> String {
    let file = folder.join("key");
    let made = Command::new("ssh-keygen")
        .args(["-q", "-C", "bot", "-f"])
        .arg(&file)
        .args(arguments)
        .status();
    assert!(made.unwrap().success());
    fs::read_to_string(file).unwrap()
}

fn verify(server: &Server, signer: &str) -> bool {
    let allowed = server.root.path().join("allowed");
    fs::write(&allowed, format!("causeway@example.com {signer}\n")).unwrap();
    let allowed = format!("gpg.ssh.allowedSignersFile={}", allowed.display());
    let verified = Command::new("git")
        .args(["-c", &allowed, "verify-commit", "main"])
        .current_dir(server.folder())
        .output()
        .unwrap();
    verified.status.success()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_commit_is_verified_by_the_real_program() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let key = SigningKey::parse(&keygen(folder.path(), &["-t", "ed25519", "-N", ""])).unwrap();
    let public = key.public_key();
    let remote = Remote {
        signing_key: Some(Arc::new(key)),
        ..server.remote()
    };
    let engine = engine(folder.path());
    for step in ["step-signed-1", "step-signed-2"] {
        engine.commit(&remote, "main", append(step)).await.unwrap();
        assert!(verify(&server, &public));
    }
    let other = TempDir::new().unwrap();
    let other = SigningKey::parse(&keygen(other.path(), &["-t", "ed25519", "-N", ""])).unwrap();
    assert!(!verify(&server, &other.public_key()));

    let unsigned = append("step-unsigned");
    engine
        .commit(&server.remote(), "main", unsigned)
        .await
        .unwrap();
    assert!(!verify(&server, &public));
    server.check();
    let raw = git(&server.folder(), &["cat-file", "commit", "main~1"], "");
    assert!(
        raw.contains("\ngpgsig -----BEGIN SSH SIGNATURE-----\n "),
        "{raw}"
    );
}

#[test]
fn a_key_that_cannot_sign_is_refused_without_being_shown() {
    let folder = TempDir::new().unwrap();
    let locked = keygen(folder.path(), &["-t", "ed25519", "-N", "secret"]);
    let refused = SigningKey::parse(&locked).unwrap_err();
    assert_eq!(refused, GitError::SigningKey("has a passphrase"));
    let folder = TempDir::new().unwrap();
    let ecdsa = keygen(folder.path(), &["-t", "ecdsa", "-N", ""]);
    let refused = SigningKey::parse(&ecdsa).unwrap_err();
    assert_eq!(refused, GitError::SigningKey("is no ed25519 key"));
    let folder = TempDir::new().unwrap();
    let good = keygen(folder.path(), &["-t", "ed25519", "-N", ""]);
    let body: String = good.lines().filter(|line| !line.starts_with('-')).collect();
    for length in 0..body.len() / 4 {
        let cut = &body[..length * 4];
        let text = format!(
            "-----BEGIN OPENSSH PRIVATE KEY-----\n{cut}\n-----END OPENSSH PRIVATE KEY-----\n"
        );
        if let Err(error) = SigningKey::parse(&text) {
            assert!(!error.to_string().contains(&body[..20]));
        }
    }
    let key = SigningKey::parse(&good).unwrap();
    assert!(format!("{key:?}").starts_with("ssh-ed25519 "));
}
