//! `causeway backup`.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use causeway_database::{CopySource, PartTables};
use futures::TryStreamExt as _;
use jiff::Timestamp;

use super::{
    archive::Pack,
    keys::{self, KeyFolder},
    manifest::{FORMAT, Manifest, Part, Table, hex},
    place::{PartDatabase, PlaceArgs},
    rows::to_line,
};
use crate::output::{self, Progress, ProgressArgs};

/// Rows are put into a file of their own after so many bytes.
const CHUNK: usize = 4 << 20;

/// Write all that a platform keeps into one file, as of one moment, while it runs
///
/// For operators of the platform's machine, by its folders or the URL of its database. The file is as secret as the
/// database: digests of API keys, who may do what, the audit, and all that runtimes reported. The keys are left out unless
/// --with-keys asks for them; without them a restored platform needs its own key folder, so keep that apart. The root key of the
/// key folder signs the file, and a restore verifies it.
///
/// Of two files each is read as of a moment of its own, those of the inventory first, so that nothing in it is unknown to the other;
/// of one PostgreSQL all parts are read as of the same.
#[derive(clap::Args, Debug)]
pub(crate) struct BackupArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// The file to write, of mode 0600; it must not be there yet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Put the platform's keys into the file too. DANGER: the file then impersonates the platform to every runtime; encrypt it
    #[arg(long)]
    with_keys: bool,
    #[command(flatten)]
    progress: ProgressArgs,
}

impl BackupArgs {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        self.progress.begin();
        let mut pack = Pack::begin(&self.out)?;
        let as_of = Timestamp::now().to_string();
        let folder = self.place.keys();
        let root_key = folder.as_deref().map(keys::root).transpose()?.flatten();
        let root = folder.as_deref().map(keys::root_signer);
        let root = root.transpose()?.flatten();
        let mut parts = Vec::new();
        let mut looks = self.looks().await?;
        let progress = Progress::start("writing rows");
        if progress.is_visible() {
            progress.expect(number(&mut looks).await?);
        }
        for (kept, snapshot) in &mut looks {
            for kept in kept {
                let written = part(&mut pack, kept, snapshot, &progress).await;
                parts.push(written.with_context(|| format!("the part {}", kept.part))?);
            }
        }
        drop(progress);
        if self.with_keys {
            self.add_keys(&mut pack)?;
        }
        let manifest = Manifest {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            as_of,
            // What signs is named, should root.pub be of another key.
            root_key: root
                .as_ref()
                .map(|root| root.kid().to_string())
                .or(root_key),
            with_keys: self.with_keys,
            parts,
            files: Vec::new(),
        };
        let description = describe_manifest(&manifest);
        let digest = pack.finish(manifest, root.as_ref())?;
        output::line(format!(
            "{}: {description}; sha256 of its manifest {digest}",
            self.out.display()
        ))?;
        if root.is_none() {
            output::note(
                "It is not signed, because there is no root.pem to be found: name the key folder with --keys. A restore of it needs --allow-unsigned.",
            );
        }
        self.warn();
        Ok(())
    }

    /// A look at each database, all of them begun before the first row is read.
    async fn looks(&self) -> anyhow::Result<Vec<(Vec<PartTables>, CopySource)>> {
        let mut looks: Vec<(Vec<PartTables>, CopySource)> = Vec::new();
        let mut last = None;
        for kept in self.place.parts() {
            let url = match self.place.home(&kept)? {
                PartDatabase::Folder(folder) => {
                    let snapshot = CopySource::open_file(&folder.join(kept.file)).await?;
                    looks.push((vec![kept], snapshot));
                    None
                }
                PartDatabase::Server(args) => {
                    match looks.last_mut().filter(|_| last == args.database) {
                        Some((parts, _)) => parts.push(kept),
                        None => looks.push((vec![kept], CopySource::open_server(&args).await?)),
                    }
                    args.database
                }
            };
            last = url;
        }
        Ok(looks)
    }

    fn add_keys(&self, pack: &mut Pack) -> anyhow::Result<()> {
        let mut added = 0;
        for folder in keys::folders(&self.place) {
            added += add_folder(pack, &folder)?;
        }
        if added == 0 {
            bail!("--with-keys: there are no keys to be found; name their folder with --keys");
        }
        Ok(())
    }

    fn warn(&self) {
        if self.with_keys {
            output::note(
                "DANGER: the platform's keys are in it. Whoever has this file can sign as the platform for every user and every runtime; encrypt it, and keep it where you would keep the keys.",
            );
        } else {
            output::note(
                "The platform's keys are not in it: keep a copy of the key folder elsewhere, or no runtime believes what is restored.",
            );
        }
    }
}

/// What is in it, in a line.
pub(super) fn describe_manifest(manifest: &Manifest) -> String {
    let parts: Vec<_> = manifest
        .parts
        .iter()
        .map(|part| {
            let rows: u64 = part.tables.iter().map(|table| table.rows).sum();
            format!("{} with {rows} rows (schema {})", part.part, part.schema)
        })
        .collect();
    let keys = if manifest.with_keys {
        "with the keys"
    } else {
        "without keys"
    };
    format!("{}, {keys}, as of {}", parts.join(" and "), manifest.as_of)
}

fn add_folder(pack: &mut Pack, folder: &KeyFolder) -> anyhow::Result<usize> {
    let names = folder.files()?;
    for name in &names {
        match folder.read(name) {
            Ok(content) => pack.add(format!("{}/{name}", folder.name), &content)?,
            // A signing key that is over is removed by the platform.
            Err(_) if !folder.folder.join(name).exists() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(names.len())
}

/// How many rows there are to write.
async fn number(looks: &mut [(Vec<PartTables>, CopySource)]) -> anyhow::Result<u64> {
    let mut rows = 0;
    for (parts, snapshot) in looks {
        for kept in parts {
            for table in &snapshot.schema(kept).await?.tables {
                rows += snapshot.count(table).await?;
            }
        }
    }
    Ok(rows)
}

async fn part(
    pack: &mut Pack,
    kept: &PartTables,
    snapshot: &mut CopySource,
    progress: &Progress,
) -> anyhow::Result<Part> {
    let schema = snapshot.schema(kept).await?;
    let mut tables = Vec::new();
    for table in &schema.tables {
        tables.push(Table {
            name: table.name.clone(),
            columns: table.columns.iter().map(|(name, _)| name.clone()).collect(),
            rows: rows(pack, (kept, table), snapshot, progress).await?,
        });
    }
    Ok(Part {
        part: kept.part.to_owned(),
        database: snapshot.dialect().into(),
        schema: schema.steps.len(),
        steps: schema.steps.iter().map(|step| hex(step)).collect(),
        tables,
    })
}

/// Writes the rows of a table, and gives how many there are.
async fn rows(
    pack: &mut Pack,
    (kept, table): (&PartTables, &causeway_database::Table),
    snapshot: &mut CopySource,
    progress: &Progress,
) -> anyhow::Result<u64> {
    let mut chunk = String::new();
    let (mut count, mut number) = (0, 0);
    let mut rows = snapshot.rows(table);
    loop {
        let row = rows.try_next().await?;
        let full = row.is_none() || chunk.len() >= CHUNK;
        if full && !chunk.is_empty() {
            number += 1;
            let name = format!("{}/{}/{number:06}.jsonl.zst", kept.part, table.name);
            pack.add_packed(name, chunk.as_bytes())?;
            chunk.clear();
        }
        let Some(row) = row else {
            return Ok(count);
        };
        chunk.push_str(&to_line(&row)?);
        count += 1;
        progress.advance(1);
    }
}
