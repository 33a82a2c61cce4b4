//! The real API server of this process: started by whoever needs it first, gone with the process.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    time::Duration,
};

use tempfile::TempDir;

const PROGRAM: &str = "/tmp/proto/node/bin/cluster";
/// Ends the program when its standard input does, which is when this process does, however it ends.
const GUARD: &str = "\"$@\" </dev/null & child=$!; read -r _; kill -9 $child";

pub(crate) struct Cluster {
    kubeconfig: PathBuf,
    _folder: TempDir,
    _process: Child,
}

/// # Panics
/// The API server cannot be started.
pub(crate) fn shared() -> &'static Cluster {
    static SHARED: OnceLock<Cluster> = OnceLock::new();
    SHARED.get_or_init(Cluster::start)
}

impl Cluster {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let data = folder.path().join("data");
        let process = Command::new("sh")
            .args(["-c", GUARD, "guard", PROGRAM, "mini"])
            .arg(&data)
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let cluster = Self {
            kubeconfig: data.join("kubeconfig"),
            _folder: folder,
            _process: process,
        };
        cluster.wait(port);
        cluster
    }

    fn wait(&self, port: u16) {
        let mut tries = 0;
        while !(self.kubeconfig.exists() && TcpStream::connect(("127.0.0.1", port)).is_ok()) {
            tries += 1;
            assert!(tries < 300, "the API server is not ready");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }
}
