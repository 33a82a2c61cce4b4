//! Build cache: the folder of built programs.
//!
//! Owns: the one rename that makes a program exist. In the folder are `NAME-HASH` for each finished program, `source` and
//! `building-PROCESS` for the one that is being built, `log`, and `lock`, which one builder has at a time.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use clap::Parser;
use rustix::fs::statvfs;
use tokio::time::Instant;

use crate::{
    Program, Programs, ProgramsError, Progress, Step,
    compile::{self, BuildOrder},
    recipe::Recipe,
    sidecars,
    toolchain::Go,
};

/// Location of the build cache, and the Go to build with.
#[derive(Debug, Clone, Parser)]
#[command(no_binary_name = true)]
pub struct BuildCache {
    /// Keeps the built programs and their logs [default: ~/.cache/causeway/cluster]
    #[arg(long, env = "CAUSEWAY_CLUSTER_CACHE", value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// The Go to build with
    #[arg(
        long,
        env = "CAUSEWAY_GO",
        value_name = "PROGRAM",
        default_value = "go"
    )]
    go: PathBuf,
}

/// Prefix of folders of unfinished builds; only the holder of the lock creates and removes one.
const BUILDING: &str = "building-";
/// Marker of a finished program: the length of its file.
const RECORD: &str = "size";

impl BuildCache {
    pub fn new(cache: PathBuf, go: PathBuf) -> Self {
        Self {
            cache: Some(cache),
            go,
        }
    }

    /// # Errors
    /// A variable cannot be read.
    pub fn from_environment() -> Result<Self, ProgramsError> {
        let read = Self::try_parse_from([""; 0]);
        read.map_err(|error| ProgramsError::Environment(error.kind().to_string()))
    }

    /// These programs as they were built before. Needs no Go.
    ///
    /// # Errors
    /// One of them is not built or damaged.
    pub fn find(&self, programs: &[Program]) -> Result<Programs, ProgramsError> {
        let cache = self.cache()?;
        let mut paths = BTreeMap::new();
        let mut missing = Vec::new();
        for program in programs {
            match finished(&cache, *program)? {
                Some(path) => drop(paths.insert(*program, path)),
                None => missing.push(*program),
            }
        }
        if missing.is_empty() {
            return Ok(Programs::new(paths));
        }
        Err(ProgramsError::NotBuilt { missing })
    }

    /// These programs; those that are not built yet are built, which blocks for minutes.
    ///
    /// # Errors
    /// Go is missing or too old, the disk is full, or a build failed.
    pub fn build(
        &self,
        programs: &[Program],
        mut progress: impl FnMut(Progress),
    ) -> Result<Programs, ProgramsError> {
        let cache = self.cache()?;
        let open = |program: &Program| !matches!(finished(&cache, *program), Ok(Some(_)));
        let missing: Vec<_> = programs.iter().copied().filter(open).collect();
        if !missing.is_empty() {
            self.build_missing(&cache, &missing, &mut progress)?;
        }
        self.find(programs)
    }

    fn build_missing(
        &self,
        cache: &Path,
        missing: &[Program],
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), ProgramsError> {
        let recipes = missing.iter().map(|program| program.recipe());
        let needed = recipes.clone().map(Recipe::go).max();
        let go = Go::find(&self.go()?, needed.expect("something is missing"))?;
        create(cache)?;
        go.has_space(cache, recipes.map(|recipe| recipe.space).sum())?;
        for program in missing {
            let begun = Instant::now();
            let mut report = |step| {
                let elapsed = begun.elapsed();
                progress(Progress {
                    program: *program,
                    step,
                    elapsed,
                });
            };
            let _lock = lock(cache, &mut report)?;
            // Whoever had the lock may have built it.
            if !matches!(finished(cache, *program), Ok(Some(_))) {
                build_one(cache, &go, *program, &mut report)?;
            }
            report(Step::Finished);
        }
        Ok(())
    }

    /// A name alone is looked for on PATH, everything else from where this process is.
    fn go(&self) -> Result<PathBuf, ProgramsError> {
        if self.go.components().count() == 1 {
            return Ok(self.go.clone());
        }
        std::path::absolute(&self.go).map_err(folder_error(&self.go))
    }

    fn cache(&self) -> Result<PathBuf, ProgramsError> {
        let home = || std::env::home_dir().filter(|home| home.is_absolute());
        let default = || home().map(|home| home.join(".cache/causeway/cluster"));
        let named = self.cache.clone().or_else(default);
        let named = named.ok_or(ProgramsError::NoHome)?;
        // Go runs in another folder than this process.
        std::path::absolute(&named).map_err(folder_error(&named))
    }
}

impl Go {
    /// # Errors
    /// Less than this is free where programs are kept, or where Go keeps what it compiles and downloads.
    fn has_space(&self, cache: &Path, needed: u64) -> Result<(), ProgramsError> {
        let mut folders = vec![(cache.to_owned(), "CAUSEWAY_CLUSTER_CACHE")];
        for variable in ["GOCACHE", "GOMODCACHE"] {
            folders.extend(self.setting(variable).map(|folder| (folder, variable)));
        }
        for (folder, variable) in folders {
            let free = free(&folder);
            if free < needed {
                return Err(ProgramsError::NoSpace {
                    folder,
                    free,
                    needed,
                    variable,
                });
            }
        }
        Ok(())
    }

    fn setting(&self, variable: &str) -> Option<PathBuf> {
        let output = self.command().args(["env", variable]).output().ok()?;
        let folder = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
        folder.is_absolute().then_some(folder)
    }
}

/// Free bytes at a folder; the maximum where the system does not report it.
fn free(folder: &Path) -> u64 {
    let exists = folder.ancestors().find(|folder| folder.exists());
    let found = exists.and_then(|folder| statvfs(folder).ok());
    found.map_or(u64::MAX, |found| {
        found.f_bavail.saturating_mul(found.f_frsize)
    })
}

fn place(cache: &Path, program: Program) -> PathBuf {
    cache.join(format!("{program}-{}", program.recipe().hash()))
}

/// The file of a program that is there as it was built.
fn finished(cache: &Path, program: Program) -> Result<Option<PathBuf>, ProgramsError> {
    let folder = place(cache, program);
    if !folder.exists() {
        return Ok(None);
    }
    let path = folder.join(program.name());
    let recorded = fs::read_to_string(folder.join(RECORD)).ok();
    let size = fs::metadata(&path)
        .ok()
        .map(|found| found.len().to_string());
    if size.is_some() && size == recorded {
        return Ok(Some(path));
    }
    Err(ProgramsError::Damaged { program, folder })
}

/// Held until it is dropped, or this process ends in any way.
fn lock(cache: &Path, report: &mut dyn FnMut(Step)) -> Result<File, ProgramsError> {
    let path = cache.join("lock");
    let taken = File::create(&path).and_then(|file| {
        if file.try_lock().is_err() {
            report(Step::Waiting);
            file.lock()?;
        }
        Ok(file)
    });
    taken.map_err(|source| ProgramsError::Folder { path, source })
}

fn build_one(
    cache: &Path,
    go: &Go,
    program: Program,
    report: &mut dyn FnMut(Step),
) -> Result<(), ProgramsError> {
    let recipe = program.recipe();
    // Always the same folder: Go compiles the main package again when its path has changed.
    let source = cache.join("source");
    write_sources(&source, recipe)?;
    let building = make_room(cache)?;
    let log = cache.join("log");
    create(&log)?;
    let order = BuildOrder {
        program,
        go,
        source: source.join(program.name()),
        file: building.join(program.name()),
        log: log.join(format!("{program}.log")),
    };
    compile::run(&order, report)?;
    sidecars::put(&order)?;
    let size = seal(&order.file).map_err(folder_error(&order.file))?;
    let record = building.join(RECORD);
    fs::write(&record, size.to_string()).map_err(folder_error(&record))?;
    let place = place(cache, program);
    clear(&place)?;
    fs::rename(&building, &place).map_err(folder_error(&place))
}

/// An empty folder to build in. It has a name of its own: a Go whose builder was killed may still write into the last one.
fn make_room(cache: &Path) -> Result<PathBuf, ProgramsError> {
    for entry in fs::read_dir(cache).map_err(folder_error(cache))? {
        let path = entry.map_err(folder_error(cache))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| name.starts_with(BUILDING)) {
            clear(&path)?;
        }
    }
    let building = cache.join(format!("{BUILDING}{}", std::process::id()));
    create(&building)?;
    Ok(building)
}

/// On the disk before its folder has its name, so that a machine that stops leaves no empty program behind.
fn seal(file: &Path) -> io::Result<u64> {
    let file = File::open(file)?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

fn write_sources(folder: &Path, recipe: &Recipe) -> Result<(), ProgramsError> {
    for (name, text) in recipe.sources {
        let path = folder.join(name);
        // A file that is no longer part of the module must not be compiled with it.
        let parent = path.parent().expect("a source is below the folder");
        if name.ends_with("go.mod") {
            clear(parent)?;
            create(parent)?;
        }
        fs::write(&path, text).map_err(folder_error(&path))?;
    }
    Ok(())
}

fn create(folder: &Path) -> Result<(), ProgramsError> {
    fs::create_dir_all(folder).map_err(folder_error(folder))
}

fn clear(folder: &Path) -> Result<(), ProgramsError> {
    match fs::remove_dir_all(folder) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(folder_error(folder)(source))
        }
        _ => Ok(()),
    }
}

pub(crate) fn folder_error(path: &Path) -> impl FnOnce(io::Error) -> ProgramsError {
    let path = path.to_owned();
    |source| ProgramsError::Folder { path, source }
}

#[cfg(test)]
mod tests;
