//! Files kept with a program: manifests of its module, and its own output.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::{ProgramsError, build_cache::folder_error, compile::BuildOrder, recipe::Sidecar};

/// Puts everything that the recipe lists into the folder of the program.
pub(crate) fn put(order: &BuildOrder<'_>) -> Result<(), ProgramsError> {
    for each in order.program.recipe().sidecars {
        match each {
            Sidecar::Manifests {
                module,
                folder,
                name,
            } => {
                let from = module_folder(order, module)?.join(folder);
                copy_manifests(&from, &order.file.with_file_name(name))?;
            }
            Sidecar::Folder { module, folder } => {
                let from = module_folder(order, module)?.join(folder);
                copy_folder(&from, &order.file.with_file_name(folder))?;
            }
            Sidecar::Output { argument, name } => {
                let output = Command::new(&order.file).arg(argument).output();
                let path = order.file.with_file_name(name);
                let text = answer(order, argument, output)?;
                fs::write(&path, text).map_err(folder_error(&path))?;
            }
        }
    }
    Ok(())
}

fn module_folder(order: &BuildOrder<'_>, module: &str) -> Result<PathBuf, ProgramsError> {
    let mut command = order.go.command();
    command
        .args(["list", "-mod=readonly", "-m", "-f", "{{.Dir}}", module])
        .current_dir(&order.source);
    let text = answer(order, "go list", command.output())?;
    Ok(PathBuf::from(String::from_utf8_lossy(&text).trim()))
}

/// Output of a successful command.
fn answer(
    order: &BuildOrder<'_>,
    asked: &str,
    output: std::io::Result<Output>,
) -> Result<Vec<u8>, ProgramsError> {
    let output = output.map_err(|error| order.failed(&format!("{asked}: {error}")))?;
    if output.status.success() && !output.stdout.is_empty() {
        return Ok(output.stdout);
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let last = complaint.lines().last().unwrap_or("it says nothing");
    Err(order.failed(&format!("{asked}: {last}")))
}

fn copy_manifests(from: &Path, to: &Path) -> Result<(), ProgramsError> {
    fs::create_dir_all(to).map_err(folder_error(to))?;
    for entry in fs::read_dir(from).map_err(folder_error(from))? {
        let path = entry.map_err(folder_error(from))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if name.ends_with(".yaml") && name != "kustomization.yaml" {
            // The module cache is read-only, and a copy would be too.
            let text = fs::read(&path).map_err(folder_error(&path))?;
            fs::write(to.join(name), text).map_err(folder_error(to))?;
        }
    }
    Ok(())
}

/// Copies files and folders; the copies are writable, which those of the module cache are not.
fn copy_folder(from: &Path, to: &Path) -> Result<(), ProgramsError> {
    fs::create_dir_all(to).map_err(folder_error(to))?;
    for entry in fs::read_dir(from).map_err(folder_error(from))? {
        let entry = entry.map_err(folder_error(from))?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_folder(&path, &copy)?;
        } else {
            let bytes = fs::read(&path).map_err(folder_error(&path))?;
            fs::write(&copy, bytes).map_err(folder_error(&copy))?;
        }
    }
    Ok(())
}
