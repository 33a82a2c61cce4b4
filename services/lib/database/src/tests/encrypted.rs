//! A remote server with TLS and a password, accepted only with a trusted certificate.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use causeway_assertion::development_ca::DevelopmentCa;
use tempfile::TempDir;

use super::*;

const PASSWORD: &str = "correct-horse-battery-staple";
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(60);

/// A server with its own certificate authority.
struct Encrypted {
    server: Postgres,
    authority: PathBuf,
    folder: TempDir,
}

impl Encrypted {
    fn start() -> Option<Self> {
        causeway_shell::install_crypto();
        let folder = tempfile::tempdir().unwrap();
        let authority = DevelopmentCa::open_or_create(&folder.path().join("ca")).unwrap();
        let identity = authority.server_identity(&["localhost"]).unwrap();
        // The server runs as another user, which cannot read the folder.
        let handed = folder.path().join("handed");
        fs::create_dir(&handed).unwrap();
        for (name, text) in [
            ("server.crt", &identity.certificate_pem),
            ("server.key", &identity.key_pem),
        ] {
            fs::write(handed.join(name), text).unwrap();
        }
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(folder.path(), open).unwrap();
        Some(Self {
            server: Postgres::start_with_tls(&handed, PASSWORD)?,
            authority: authority.ca_file(),
            folder,
        })
    }

    fn args(&self, authority: &Path, mode: &str, password: &str) -> DatabaseArgs {
        let file = self.folder.path().join("password");
        fs::write(&file, format!("{password}\n")).unwrap();
        let url = self.server.database_by_port();
        let authority = authority.display();
        DatabaseArgs {
            database_password_file: Some(file),
            ..args(format!("{url}?sslmode={mode}&sslrootcert={authority}"))
        }
    }
}

/// Returns the error line of a rejected database.
async fn refusal(args: &DatabaseArgs) -> String {
    let opening = Database::open(args, "things", Path::new(""), &TABLES);
    let opened = tokio::time::timeout(ACQUIRE_TIMEOUT, opening).await;
    let error = opened.expect("it is told").expect_err("it is refused");
    let source = std::error::Error::source(&error).map(ToString::to_string);
    let text = format!("{error}: {}", source.unwrap_or_default());
    assert!(!text.contains(PASSWORD) && !text.contains('\n'), "{text}");
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_is_reached_by_tls_where_its_certificate_is_vouched_for_and_nowhere_else() {
    let Some(encrypted) = Encrypted::start() else {
        return;
    };
    let args = |authority: &Path, mode, password| encrypted.args(authority, mode, password);
    let own = encrypted.authority.as_path();
    let subject = Subject::open(&args(own, "verify-full", PASSWORD)).await;
    subject.add("one").await.unwrap();
    assert_eq!(subject.names().await, ["one"]);
    let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let row = query(sql).fetch_one(&subject.database).await.unwrap();
    assert!(row.try_get::<bool>(0).unwrap());

    let stranger = DevelopmentCa::open_or_create(&encrypted.folder.path().join("other")).unwrap();
    let told = refusal(&args(&stranger.ca_file(), "verify-full", PASSWORD)).await;
    assert!(told.contains("cannot be opened"), "{told}");
    let told = refusal(&args(own, "verify-full", "wrong")).await;
    assert!(told.contains("password"), "{told}");
    refusal(&args(own, "disable", PASSWORD)).await;
    let absent = DatabaseArgs {
        database_password_file: Some(encrypted.folder.path().join("absent")),
        ..args(own, "verify-full", PASSWORD)
    };
    let told = refusal(&absent).await;
    assert!(told.starts_with("--database-password-file "), "{told}");
}
