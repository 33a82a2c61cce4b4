//! `causeway restore`.

use std::path::PathBuf;

use anyhow::{Context as _, bail, ensure};
use causeway_database::{CopyTarget, PartTables, Table, Value};
use causeway_shell::FolderLock;

use super::{
    archive::{VerifiedBackup, unpacked},
    keys::{self, KeyFolder},
    make::describe_manifest,
    manifest::{Manifest, Part},
    place::{PartDatabase, PlaceArgs, lock},
    rows::from_line,
};
use crate::output::{self, Format, OutputArgs, Progress};

/// Put a backup into an empty place, or check that one is whole
///
/// The place is empty: a folder without databases, or a PostgreSQL without the schemas `platform` and `inventory`. It may be another
/// kind of database than the one that the backup was made of. Nothing is written before all of the backup has been read and found
/// whole, and what fails half way leaves nothing behind. Start the platform afterwards; it brings older tables up to date.
///
/// What was made after the backup is not there: runtimes that joined since must join again, and API keys and users must be made
/// again. What was taken away after it counts again: revoke it again. Runtimes that had joined before go on by themselves and report
/// all that is different from what is held; watches are told to begin again, whatever they had seen; and the audit ends where it
/// ended then. 'causeway audit verify' reports this to users who verified a later entry.
#[derive(clap::Args, Debug)]
pub(crate) struct RestoreArgs {
    /// The backup
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only read all of it, and print_manifest whether it is whole and can be restored by this version
    #[arg(long)]
    check: bool,
    /// The id of the root key that must have signed it [default: that of the key folder]
    #[arg(long, value_name = "ID")]
    root_key: Option<String>,
    /// Take a backup without a signature. DANGER: a changed file decides who may do what
    #[arg(long)]
    allow_unsigned: bool,
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Target of some parts, locked for this process.
struct Target {
    parts: Vec<PartTables>,
    filling: CopyTarget,
    /// Of the server; none for a file.
    url: Option<String>,
    _lock: Option<FolderLock>,
}

impl RestoreArgs {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let format = self.output.begin(crate::flags::arrangement());
        let mut backup = VerifiedBackup::open(&self.file)?;
        let signed = self.check_signature(backup.signer.as_deref());
        signed.with_context(|| self.file.display().to_string())?;
        check(&mut backup).with_context(|| self.file.display().to_string())?;
        if self.check {
            return self.print_manifest(&backup, format);
        }
        let keys = self.keys(&backup.manifest)?;
        let targets = self.targets(&backup.manifest).await?;
        let mut filled = Vec::new();
        let progress = Progress::items("restoring rows", number(&backup.manifest));
        for mut target in targets {
            for kept in target.parts.clone() {
                let done = fill(&mut target.filling, &kept, &mut backup, &progress).await;
                done.with_context(|| format!("the part {}", kept.part))?;
            }
            filled.push(target);
        }
        drop(progress);
        // Before the rows: a platform with rows and no keys would make keys that no runtime knows.
        write_keys(&keys, &mut backup)?;
        for target in filled {
            target.filling.finish().await?;
        }
        self.print_restored(&backup.manifest)
    }

    /// Refuses a backup that the root key did not sign.
    fn check_signature(&self, signer: Option<&str>) -> anyhow::Result<()> {
        let Some(signer) = signer else {
            ensure!(
                self.allow_unsigned,
                "it is not signed, so it may have been changed: give --allow-unsigned if you trust the place where it was"
            );
            return Ok(());
        };
        let expected = match &self.root_key {
            Some(id) => Some(id.clone()),
            None => self.own_root()?,
        };
        match expected {
            Some(expected) => ensure!(
                expected == signer,
                "it is signed by the root key {signer}, and not by {expected}: name the key folder of its platform with --keys"
            ),
            None => output::note(format!(
                "It is signed by the root key {signer}. There is no key folder to compare that with: compare it yourself, or give --root-key."
            )),
        }
        Ok(())
    }

    fn print_manifest(&self, backup: &VerifiedBackup, format: Format) -> anyhow::Result<()> {
        let (manifest, signer) = (&backup.manifest, backup.signer.as_deref());
        match format {
            Format::Table => output::line(format!(
                "{}: whole; {}, made by causeway {}, {}",
                self.file.display(),
                describe_manifest(manifest),
                manifest.version,
                signer.map_or_else(
                    || "not signed".to_owned(),
                    |signer| format!("signed by the root key {signer}")
                )
            )),
            Format::Json | Format::Yaml => {
                let mut value = serde_json::to_value(manifest)?;
                value["signedBy"] = signer.into();
                output::value(&value, format)
            }
        }
    }

    fn print_restored(&self, manifest: &Manifest) -> anyhow::Result<()> {
        output::line(format!(
            "restored {} rows: {}",
            manifest.rows(),
            describe_manifest(manifest)
        ))?;
        let as_of = &manifest.as_of;
        output::note(format!(
            "Start the platform now. API keys, sessions, users and runtimes that were revoked after {as_of} count again: revoke them again. Runtimes that joined after it join again, by 'causeway runtime token NAME'."
        ));
        if let (Some(root), false) = (&manifest.root_key, manifest.with_keys)
            && self.own_root()?.as_ref() != Some(root)
        {
            output::note(format!(
                "The keys are not in the backup: put those of the root key {root} into the key folder before you start it."
            ));
        }
        Ok(())
    }

    fn own_root(&self) -> anyhow::Result<Option<String>> {
        let folder = self.place.keys();
        Ok(folder.as_deref().map(keys::root).transpose()?.flatten())
    }

    /// Folders for the keys of the backup; none where it has none.
    fn keys(&self, manifest: &Manifest) -> anyhow::Result<Vec<KeyFolder>> {
        if let (Some(own), Some(root)) = (self.own_root()?, &manifest.root_key) {
            ensure!(
                own == *root,
                "the key folder has the root key {own}, and the backup is of a platform with the root key {root}: name that one's folder with --keys"
            );
        }
        if !manifest.with_keys {
            return Ok(Vec::new());
        }
        let folders = keys::folders(&self.place);
        for folder in &folders {
            if let Some(name) = folder.other(manifest)? {
                bail!(
                    "{} has another key already ({name}), and nothing is written over it: move the keys away, or name another folder",
                    folder.folder.display()
                );
            }
        }
        let known = |name: &str| folders.iter().any(|folder| folder.name == name);
        let needed = manifest.files.iter().find_map(|file| {
            let name = file.name.split('/').next().unwrap_or_default();
            (is_of_keys(name) && !known(name)).then(|| name.to_owned())
        });
        match needed.as_deref() {
            None => Ok(folders),
            Some("keys") => bail!("where do the keys go? Give --data, --platform-data or --keys"),
            Some(_) => bail!("where do the tunnel server's keys go? Give --data or --tunnel-data"),
        }
    }

    /// The empty places of all parts.
    async fn targets(&self, manifest: &Manifest) -> anyhow::Result<Vec<Target>> {
        let mut targets: Vec<Target> = Vec::new();
        for kept in self.place.parts() {
            if !manifest.parts.iter().any(|part| part.part == kept.part) {
                bail!("the backup has no {0}: leave it out by --part", kept.part);
            }
            match self.place.home(&kept)? {
                PartDatabase::Folder(folder) => {
                    let lock = lock(&folder, kept.part)?;
                    let filling = CopyTarget::create_file(&folder.join(kept.file), &kept).await?;
                    targets.push(Target {
                        parts: vec![kept],
                        filling,
                        url: None,
                        _lock: Some(lock),
                    });
                }
                PartDatabase::Server(args) => {
                    let same = |target: &&mut Target| target.url == args.database;
                    if let Some(target) = targets.last_mut().filter(same) {
                        target.parts.push(kept);
                        continue;
                    }
                    targets.push(Target {
                        parts: vec![kept],
                        filling: CopyTarget::open_server(&args).await?,
                        url: args.database,
                        _lock: None,
                    });
                }
            }
        }
        Ok(targets)
    }
}

/// Whether all of it can be restored by this version.
fn check(backup: &mut VerifiedBackup) -> anyhow::Result<()> {
    let manifest = backup.manifest.clone();
    let progress = Progress::items("checking rows", number(&manifest));
    for part in &manifest.parts {
        part.kept(&manifest.version)?;
        for table in &part.tables {
            let mut rows = 0;
            for place in chunks(&manifest, part, &table.name) {
                let read = unpacked(&backup.content(place)?)?.lines().count() as u64;
                progress.advance(read);
                rows += read;
            }
            ensure!(
                rows == table.rows,
                "it has {rows} rows of {}/{}, and should have {}",
                part.part,
                table.name,
                table.rows
            );
        }
    }
    Ok(())
}

fn number(manifest: &Manifest) -> usize {
    usize::try_from(manifest.rows()).unwrap_or(usize::MAX)
}

/// The places of the files with the rows of a table.
fn chunks(manifest: &Manifest, part: &Part, table: &str) -> Vec<usize> {
    let folder = format!("{}/{table}/", part.part);
    let files = manifest.files.iter().enumerate();
    let of_it = files.filter(|(_, file)| file.name.starts_with(&folder));
    of_it.map(|(place, _)| place).collect()
}

/// Makes the tables of a part as they were, and fills them.
async fn fill(
    filling: &mut CopyTarget,
    kept: &PartTables,
    backup: &mut VerifiedBackup,
    progress: &Progress,
) -> anyhow::Result<()> {
    let manifest = backup.manifest.clone();
    let mut parts = manifest.parts.iter();
    let part = parts.find(|part| part.part == kept.part);
    let part = part.context("the backup does not have it")?;
    let tables = filling.create_tables(kept, part.schema).await?;
    for written in &part.tables {
        let table = tables.iter().find(|table| table.name == written.name);
        let table = table.with_context(|| format!("there is no table {}", written.name))?;
        let columns = in_order(table, &written.columns)?;
        for place in chunks(&manifest, part, &written.name) {
            let text = unpacked(&backup.content(place)?)?;
            let rows = text.lines().map(|line| from_line(line, &columns.columns));
            let rows: Vec<Vec<Value>> = rows
                .collect::<anyhow::Result<_>>()
                .with_context(|| format!("a row of {}", written.name))?;
            let inserted = rows.len() as u64;
            filling.insert(&columns, rows).await?;
            progress.advance(inserted);
        }
    }
    // Half of a UUID has bits that are always the same, which does no harm: what counts is that it is another number.
    let (random, _) = uuid::Uuid::new_v4().as_u64_pair();
    let random = random.cast_signed();
    Ok(filling.finish_part(kept, &tables, random).await?)
}

/// The table with its columns in the order in which they were written.
fn in_order(table: &Table, names: &[String]) -> anyhow::Result<Table> {
    let find = |name: &String| table.columns.iter().find(|(own, _)| own == name).cloned();
    let columns: Option<Vec<_>> = names.iter().map(find).collect();
    let columns = columns.filter(|columns| columns.len() == table.columns.len());
    let columns = columns.with_context(|| format!("the table {} has other columns", table.name))?;
    Ok(Table {
        name: table.name.clone(),
        columns,
    })
}

fn is_of_keys(folder: &str) -> bool {
    matches!(folder, "keys" | "tunnel-keys")
}

fn write_keys(folders: &[KeyFolder], backup: &mut VerifiedBackup) -> anyhow::Result<()> {
    let files = backup.manifest.files.clone();
    for folder in folders {
        for (place, file) in files.iter().enumerate() {
            let of_it = file.name.strip_prefix(folder.name);
            if let Some(name) = of_it.and_then(|rest| rest.strip_prefix('/')) {
                folder.write(name, &backup.content(place)?)?;
            }
        }
    }
    Ok(())
}
