//! Changes of files in a Git repository by the commit engine, on a real `git http-backend` in this process or on a repository of
//! a real provider, beside plain `git` for each change.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use anyhow::{Context as _, bail};
use causeway_git::{
    Change, Config, Credential, Engine, FileEdit, Http, Limits, Person, Remote, RemoteUrl,
    RepositoryPath, Secret, StepId,
};
use causeway_patch::{DocumentSelector, Edit, Format, Operation, Value, apply};
use causeway_sandbox::git::{Commit, GitOptions, GitServer};
use tempfile::TempDir;
use tokio::{task::JoinSet, time::Instant};

use crate::figure::{middle, quantile};

const BRANCH: &str = "main";
const DOCUMENT_BYTES: usize = 500_000;
const PATCHES: usize = 20;
/// Linux shows times of processes in hundredths of a second.
const TICKS: f64 = 100.0;

/// How many of what, and where.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Files of the repository
    #[arg(long, default_value_t = 9_000)]
    files: usize,
    /// Changes that are asked for at once
    #[arg(long, default_value_t = 1_000)]
    changes: usize,
    /// Changes that are asked for one after the other
    #[arg(long, default_value_t = 50)]
    single: usize,
    /// Changes that plain git makes, by a fresh clone each
    #[arg(long, default_value_t = 10)]
    plain: usize,
    /// An empty repository of a real provider, instead of one in this process
    #[arg(long, value_name = "URL", requires = "token_file")]
    url: Option<String>,
    /// File with USER:TOKEN for it
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            files: 9_000,
            changes: 1_000,
            single: 50,
            plain: 10,
            url: None,
            token_file: None,
        }
    }
}

/// The repository, as the engine and as plain git reach it.
struct Place {
    remote: Remote,
    /// With the credential in it, for plain git.
    url: String,
    server: Option<GitServer>,
    folder: TempDir,
}

/// Measures and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(measure(args))
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
async fn measure(args: &Args) -> anyhow::Result<()> {
    let place = Place::open(args).await?;
    let engine = Arc::new(place.engine()?);
    println!(
        "| changes of a repository of {} files | | goal |\n|---|---|---|",
        args.files
    );
    let cold = single(&engine, &place, "cold", 1, args.files).await?;
    println!("| one change, nothing cached, ms | {:.0} | – |", cold[0]);
    let warm = single(&engine, &place, "warm", args.single, args.files).await?;
    println!(
        "| one change, warm, p50 in ms | {:.0} | 1,000 or less |",
        middle(&warm)
    );
    println!("| the same, p99 in ms | {:.0} | – |", quantile(&warm, 0.99));
    let pushes = place.push_alone(args)?;
    println!(
        "| `git push` of one commit that is there, p50 in ms: the host's part | {:.0} | – |",
        middle(&pushes)
    );
    println!(
        "| our part of a warm change, ms | {:.0} | 60 or less |",
        middle(&warm) - middle(&pushes)
    );
    batch(&engine, &place, args).await?;
    let plain = place.plain(args)?;
    println!(
        "| one change by a fresh clone with plain `git`, p50 of {} in ms | {:.0} | – |",
        plain.len(),
        middle(&plain)
    );
    println!(
        "| a value of a document of 500 KB, patched and proven, ms | {:.1} | 100 or less |",
        patch()?
    );
    println!();
    Ok(())
}

/// All changes at once: the wall time from the first request to the last answer.
#[expect(clippy::print_stdout, reason = "the table is the result")]
async fn batch(engine: &Arc<Engine>, place: &Place, args: &Args) -> anyhow::Result<()> {
    let pushes = place.pushes();
    let (began, cpu) = (Instant::now(), own_cpu());
    let mut tasks = JoinSet::new();
    for number in 0..args.changes {
        let (engine, remote) = (Arc::clone(engine), place.remote.clone());
        let change = change(&format!("batch-{number:08}"), number % args.files);
        tasks.spawn(async move { engine.commit(&remote, BRANCH, change).await });
    }
    for done in tasks.join_all().await {
        done?;
    }
    let seconds = began.elapsed().as_secs_f64();
    let each = (own_cpu() - cpu) / args.changes as f64 * 1e3;
    println!(
        "| {} changes of one branch at once, queue to pushed, s | {seconds:.1} | 10 or less |",
        args.changes
    );
    if let (Some(before), Some(after)) = (pushes, place.pushes()) {
        println!("| the same, pushes | {} | 20 or less |", after - before);
    }
    println!(
        "| the same, CPU of this process for one, edit, tree and commit in it, ms | {each:.2} | 1 or less |"
    );
    Ok(())
}

/// Milliseconds of each of several changes, one after the other.
async fn single(
    engine: &Engine,
    place: &Place,
    name: &str,
    number: usize,
    files: usize,
) -> anyhow::Result<Vec<f64>> {
    let mut all = Vec::new();
    for index in 0..number {
        let began = Instant::now();
        let change = change(&format!("{name}-{index:08}"), index % files);
        engine.commit(&place.remote, BRANCH, change).await?;
        all.push(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(all)
}

/// Sets the tag in one of the files to the step, so that each change is one.
fn change(step: &str, file: usize) -> Change {
    let at = causeway_patch::Path::parse("image.tag").expect("it is a path");
    let operation = Operation::Set(Value::string(step));
    let edit = FileEdit::Values {
        path: RepositoryPath::parse(&file_name(file)).expect("it is a path"),
        document: DocumentSelector::Only,
        edits: vec![Edit::new(at, operation)],
    };
    Change {
        step: StepId::parse(step).expect("it is a step"),
        author: Person::new("Ada", "ada@example.com").expect("it is a person"),
        time: 1_800_000_000,
        message: format!("Set the tag to {step}"),
        trailers: Vec::new(),
        edits: vec![edit],
        start: None,
    }
}

fn file_name(number: usize) -> String {
    format!("apps/team-{}/app-{number}/values.yaml", number % 30)
}

fn content(number: usize) -> String {
    format!(
        "# application {number}\nreplicas: 2\nimage:\n  repository: registry.example.com/app-{number}\n  tag: v1\n"
    )
}

/// Milliseconds of a proven edit in the middle of a large document.
fn patch() -> anyhow::Result<f64> {
    let mut text = String::new();
    let mut keys = 0;
    while text.len() < DOCUMENT_BYTES {
        text.push_str(&format!(
            "key-{keys}:\n  image: web\n  tag: v{keys}\n  list: [1, 2, 3]\n"
        ));
        keys += 1;
    }
    let at = causeway_patch::Path::parse(&format!("key-{}.tag", keys / 2))?;
    let mut all = Vec::new();
    for number in 0..PATCHES {
        let operation = Operation::Set(Value::string(&format!("new-{number}")));
        let edits = [Edit::new(at.clone(), operation)];
        let began = Instant::now();
        apply(
            Format::Yaml,
            text.as_bytes(),
            &DocumentSelector::Only,
            &edits,
        )?;
        all.push(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(middle(&all))
}

/// Seconds of CPU that this process used, without its children.
fn own_cpu() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    let ticks: f64 = fields
        .split(' ')
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<f64>().ok())
        .sum();
    ticks / TICKS
}

impl Place {
    async fn open(args: &Args) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let (url, credential, server) = match (&args.url, &args.token_file) {
            (Some(url), Some(file)) => {
                let text = fs::read_to_string(file)?;
                let (user, token) = text.trim().split_once(':').context("write USER:TOKEN")?;
                let credential = Credential::Basic {
                    user: user.to_owned(),
                    password: Secret::new(token),
                };
                (url.clone(), credential, None)
            }
            _ => {
                let server = GitServer::start(GitOptions {
                    listen: ([127, 0, 0, 1], 0).into(),
                    folder: folder.path().join("repositories"),
                });
                let server = server.await?;
                (server.url("app"), Credential::None, Some(server))
            }
        };
        let remote = Remote {
            account: "bench".to_owned(),
            url: RemoteUrl::parse(&url, Http::Loopback)?,
            credential_id: "bench".to_owned(),
            credential,
            signing_key: None,
            address: None,
        };
        let url = match &args.token_file {
            Some(file) => url.replacen(
                "://",
                &format!("://{}@", fs::read_to_string(file)?.trim()),
                1,
            ),
            None => url,
        };
        let place = Self {
            remote,
            url,
            server,
            folder,
        };
        place.seed(args.files).await?;
        Ok(place)
    }

    /// All files in one commit.
    async fn seed(&self, files: usize) -> anyhow::Result<()> {
        let Some(server) = &self.server else {
            return self.push_seed(files);
        };
        server.create("app").await?;
        let bare = self.folder.path().join("repositories/app.git");
        git(&bare, &["config", "uploadpack.allowFilter", "true"])?;
        let mut commit = Commit::new("seed").on(BRANCH);
        for number in 0..files {
            commit = commit.write(&file_name(number), content(number));
        }
        server.commit("app", &commit).await?;
        Ok(())
    }

    fn push_seed(&self, files: usize) -> anyhow::Result<()> {
        let folder = self.folder.path().join("seed");
        git(
            self.folder.path(),
            &["init", "--quiet", "--initial-branch=main", "seed"],
        )?;
        for number in 0..files {
            let file = folder.join(file_name(number));
            fs::create_dir_all(file.parent().context("it has a parent")?)?;
            fs::write(file, content(number))?;
        }
        git(&folder, &["add", "."])?;
        git(&folder, &["commit", "--quiet", "-m", "seed"])?;
        git(&folder, &["push", "--quiet", &self.url, BRANCH])
    }

    fn engine(&self) -> anyhow::Result<Engine> {
        let folder = self.folder.path().join("engine");
        fs::create_dir_all(&folder)?;
        let engine = Engine::open(Config {
            cache: folder.join("cache"),
            journal: folder.join("journal"),
            committer: Person::new("Causeway", "causeway@example.com")?,
            git: "/usr/bin/git".into(),
            limits: Limits::default(),
        });
        Ok(engine?)
    }

    /// Pushes so far, where the server counts them.
    fn pushes(&self) -> Option<u64> {
        let server = self.server.as_ref()?;
        server.pushes().borrow().get("app").copied()
    }

    /// Milliseconds of each push of one commit that is made before.
    fn push_alone(&self, args: &Args) -> anyhow::Result<Vec<f64>> {
        let folder = self.check_out("pushing")?;
        let mut all = Vec::new();
        for number in 0..args.single.min(20) {
            edit(&folder, number, &format!("push-{number}"))?;
            git(&folder, &["commit", "--quiet", "-am", "push"])?;
            let began = Instant::now();
            git(&folder, &["push", "--quiet", "origin", BRANCH])?;
            all.push(began.elapsed().as_secs_f64() * 1e3);
        }
        Ok(all)
    }

    /// Milliseconds of each change by a clone, an edit, a commit and a push.
    fn plain(&self, args: &Args) -> anyhow::Result<Vec<f64>> {
        let mut all = Vec::new();
        for number in 0..args.plain {
            let began = Instant::now();
            let folder = self.check_out(&format!("plain-{number}"))?;
            edit(&folder, number, &format!("plain-{number}"))?;
            git(&folder, &["commit", "--quiet", "-am", "plain"])?;
            git(&folder, &["push", "--quiet", "origin", BRANCH])?;
            all.push(began.elapsed().as_secs_f64() * 1e3);
            fs::remove_dir_all(&folder)?;
        }
        Ok(all)
    }

    fn check_out(&self, name: &str) -> anyhow::Result<PathBuf> {
        let clone = ["clone", "--quiet", "--depth=1", &self.url, name];
        git(self.folder.path(), &clone)?;
        Ok(self.folder.path().join(name))
    }
}

fn edit(folder: &Path, number: usize, tag: &str) -> anyhow::Result<()> {
    let file = folder.join(file_name(number));
    let text = fs::read_to_string(&file)?;
    let (before, _) = text.split_once("  tag: ").context("it has a tag")?;
    fs::write(&file, format!("{before}  tag: {tag}\n"))?;
    Ok(())
}

fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(folder);
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Plain");
        command.env(format!("GIT_{role}_EMAIL"), "plain@example.com");
    }
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("git {}: {said}", arguments.first().unwrap_or(&""));
    }
    Ok(())
}
