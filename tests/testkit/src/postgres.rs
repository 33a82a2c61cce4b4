//! Private PostgreSQL server of one test process, reached by a socket in its own folder. It ends with the process. PostgreSQL
//! refuses to run as root, so tests that run as root start it as another user.
#![expect(
    clippy::unwrap_used,
    reason = "only tests call this, and it documents its panics"
)]

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use tempfile::TempDir;

use crate::{address::reserved_address, disk::Disk, skip};

/// Runs as the server's user. It ends the server and removes the folder when its standard input closes, which the end of the
/// test process does in every case. A line "stop" or "start" on it does that to the server alone, and "revive" starts one that has
/// ended by itself. With a folder of a certificate and a port it also listens there, to TLS and a password only. With a place for
/// its data it takes little room there.
const KEEPER: &str = r#"
set -u
trap : INT TERM HUP PIPE
bin=$1 certificate=$2 port=$3 settings=$4 place=$5
export PGPORT=$port
folder=$(mktemp -d /tmp/causeway-postgres-XXXXXX) || exit 1
cd "$folder"
data=${place:-$folder}/data
"$bin/initdb" -D "$data" ${place:+--wal-segsize=1} -U causeway -A trust -E UTF8 --locale=C.UTF-8 --no-sync >initdb.log 2>&1 ||
    { tr '\n' ' ' <initdb.log; rm -rf "$folder"; exit 1; }
listen="-c listen_addresses="
if [ -n "$certificate" ]; then
    cp "$certificate/server.crt" "$certificate/server.key" "$data/" && chmod 600 "$data/server.key" || exit 1
    printf 'local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n' >"$data/pg_hba.conf"
    listen="-c listen_addresses=127.0.0.1 -c ssl=on"
fi
alive() { grep -qs ') [^ZX]' "/proc/$server/stat"; }
answers() {
    until "$bin/psql" -h "$folder" -U causeway -d postgres -Atc 'SELECT 1' >/dev/null 2>&1; do
        alive || return 1
        sleep 0.05
    done
    echo "started $folder"
}
start() {
    "$bin/postgres" -D "$data" -k "$folder" $listen $settings \
        -c max_connections=200 -c log_min_messages=fatal >>server.log 2>&1 </dev/null &
    server=$!
    answers || tr '\n' ' ' <server.log
}
stop() { kill -QUIT $server 2>/dev/null; wait $server 2>/dev/null; }
start
while read -r word; do
    case $word in
        stop) stop; echo stopped ;;
        start) start ;;
        revive) { alive && answers; } || start ;;
        password*) "$bin/psql" -h "$folder" -U causeway -d postgres -qc \
            "ALTER USER causeway PASSWORD '${word#password:}'" 2>&1 && echo made ;;
        database*) "$bin/createdb" -h "$folder" -U causeway "${word#database:}" 2>&1 && echo made ;;
    esac
done
stop
cd /
rm -rf "$folder"
"#;

/// Settings for speed: tests crash the server, not the machine.
const QUICK: &str = "-c fsync=off -c full_page_writes=off -c shared_buffers=32MB";
/// Same for a server with a small disk.
const SMALL: &str = "-c fsync=off -c full_page_writes=off -c shared_buffers=32MB -c min_wal_size=2MB -c max_wal_size=8MB";
/// Default settings.
const DURABLE: &str = "";

/// A server.
#[derive(Debug)]
pub struct Postgres {
    folder: PathBuf,
    keeper: Mutex<Keeper>,
    databases: AtomicU32,
    port: u16,
    /// Location of its data, if outside its folder.
    place: Option<TempDir>,
}

#[derive(Debug)]
struct Keeper {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Postgres {
    /// Returns the server shared by all tests of this process; without PostgreSQL the test is skipped.
    ///
    /// # Panics
    /// It does not start, or is missing in continuous integration.
    pub fn shared() -> Option<&'static Self> {
        static SHARED: OnceLock<Postgres> = OnceLock::new();
        // Before the lock, so that each test that lacks it is named.
        requirements()?;
        Some(SHARED.get_or_init(|| Self::start().expect("its programs are installed")))
    }

    /// Starts a server that a test may stop; without PostgreSQL the test is skipped.
    ///
    /// # Panics
    /// It does not start, or is missing in continuous integration.
    pub fn start() -> Option<Self> {
        Self::start_with(Path::new(""), 5432, (QUICK, None))
    }

    /// Starts a server with durable commits, for benchmarks; without PostgreSQL the test is skipped.
    ///
    /// # Panics
    /// It does not start, or is missing in continuous integration.
    pub fn start_durable() -> Option<Self> {
        Self::start_with(Path::new(""), 5432, (DURABLE, None))
    }

    /// Starts a server with a disk of this size, in the notation of `mount`; without one the test is skipped.
    ///
    /// # Panics
    /// It does not start, or is missing in continuous integration.
    pub fn start_on_disk(size: &str) -> Option<Self> {
        Self::start_with(Path::new(""), 5432, (SMALL, Some(size)))
    }

    /// Starts a server on a loopback port with TLS from `server.crt` and `server.key` of a folder and this password.
    ///
    /// # Panics
    /// It does not start, or is missing in continuous integration.
    pub fn start_with_tls(certificate: &Path, password: &str) -> Option<Self> {
        let server = Self::start_with(certificate, reserved_address().port(), (QUICK, None))?;
        assert_eq!(server.tell(&format!("password:{password}")), "made");
        Some(server)
    }

    /// Starts a server with settings and an optional disk size.
    fn start_with(
        certificate: &Path,
        port: u16,
        (settings, size): (&str, Option<&str>),
    ) -> Option<Self> {
        let (programs, mut command) = requirements()?;
        let mut place = None;
        if let Some(size) = size {
            let made = tempfile::tempdir().unwrap();
            command = Disk::under(&command, size, made.path())?;
            place = Some(made);
        }
        let data = place.as_ref().map_or(Path::new(""), TempDir::path);
        let mut child = command
            .args(["sh", "-c", KEEPER, "keeper"])
            .arg(programs)
            .arg(certificate)
            .arg(port.to_string())
            .arg(settings)
            .arg(data)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut keeper = Keeper { child, output };
        let said = keeper.hear();
        let folder = said.strip_prefix("started ");
        let folder = folder.unwrap_or_else(|| panic!("PostgreSQL does not start: {said}"));
        Some(Self {
            folder: PathBuf::from(folder),
            keeper: Mutex::new(keeper),
            databases: AtomicU32::new(0),
            port,
            place,
        })
    }

    /// Creates an empty database and returns its URL.
    ///
    /// # Panics
    /// It cannot be created.
    pub fn database(&self) -> String {
        let number = self.databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("test{number}");
        assert_eq!(self.tell(&format!("database:{name}")), "made");
        self.url(&name)
    }

    /// Creates an empty database and returns its URL with the port and without a password.
    ///
    /// # Panics
    /// It cannot be created.
    pub fn database_by_port(&self) -> String {
        let url = self.database();
        let rest = url.split("localhost/").nth(1).unwrap();
        let name = rest.split('?').next().unwrap();
        format!("postgres://causeway@localhost:{}/{name}", self.port)
    }

    /// Returns the URL of a database.
    pub fn url(&self, database: &str) -> String {
        format!(
            "postgres://causeway@localhost/{database}?host={}",
            self.folder.display()
        )
    }

    /// Returns the folder of the server, which includes its log.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Crashes the server; its databases remain.
    ///
    /// # Panics
    /// It does not end.
    pub fn stop(&self) {
        assert_eq!(self.tell("stop"), "stopped");
    }

    /// Starts a stopped server.
    ///
    /// # Panics
    /// It does not start.
    pub fn start_again(&self) {
        let said = self.tell("start");
        assert!(said.starts_with("started"), "{said}");
    }

    /// Returns the disk of its data.
    ///
    /// # Panics
    /// It has none of its own.
    pub fn disk(&self) -> Disk {
        let place = self.place.as_ref().expect("it was started on a disk");
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        Disk::of(keeper.child.id(), place.path())
    }

    /// Restarts a server that has ended itself and waits until it responds.
    ///
    /// # Panics
    /// It does not start.
    pub fn revive(&self) {
        let said = self.tell("revive");
        assert!(said.starts_with("started"), "{said}");
    }

    fn tell(&self, word: &str) -> String {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let mut input = keeper.child.stdin.as_ref().unwrap();
        writeln!(input, "{word}").unwrap();
        keeper.hear()
    }
}

impl Keeper {
    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let keeper = self
            .keeper
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        drop(keeper.child.stdin.take());
        // The rest ends by itself.
        let _ = keeper.child.wait();
    }
}

/// Returns the folder of the server programs, which Debian keeps off the path.
fn programs() -> Option<PathBuf> {
    let debian = std::fs::read_dir("/usr/lib/postgresql");
    let mut folders: Vec<PathBuf> = debian
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .collect();
    folders.sort();
    folders.push(PathBuf::from("/usr/local/bin"));
    folders.push(PathBuf::from("/usr/bin"));
    let whole = |folder: &PathBuf| {
        let mut programs = ["initdb", "postgres", "psql", "createdb"].iter();
        programs.all(|program| folder.join(program).exists())
    };
    folders.into_iter().rfind(whole)
}

/// Returns the folder of its programs and its command prefix; without them the test is skipped.
fn requirements() -> Option<(PathBuf, Command)> {
    let found = programs().zip(as_its_user());
    if found.is_none() {
        skip("PostgreSQL, or a user other than root to run it, is missing");
    }
    found
}

/// Returns the command prefix that switches to the user of the server.
fn as_its_user() -> Option<Command> {
    let mut command = Command::new("env");
    if !rustix::process::geteuid().is_root() {
        return Some(command);
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut known = users.lines().filter_map(|line| line.split(':').next());
    let user = ["postgres", "nobody"]
        .into_iter()
        .find(|user| known.clone().any(|known| known == *user))?;
    let _ = known.next();
    if !Path::new("/usr/bin/setpriv").exists() {
        return None;
    }
    command = Command::new("setpriv");
    command.args(["--reuid", user, "--regid"]);
    command.arg(group_of(&users, user)?);
    command.args(["--clear-groups", "--"]);
    Some(command)
}

fn group_of(users: &str, user: &str) -> Option<String> {
    let line = users
        .lines()
        .find(|line| line.split(':').next() == Some(user))?;
    line.split(':').nth(3).map(str::to_owned)
}
