//! `causeway app diff --local`: manifests of this machine against the live objects of an application.
//!
//! No tool renders them here: plain YAML or JSON is read, and the output of Helm or Kustomize comes by a pipe. Only fields that the
//! local manifest sets are compared, so that defaults of the cluster are no differences.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use causeway_proto::{inventory::v1 as inventory, proxy::v1 as pb};
use serde_json::Value;

use super::compare::{Comparison, Side, hide, to_side};
use crate::{
    app::{
        find::{self, NameArgs},
        manifests,
    },
    connection::Connection,
};

const LONGEST: u64 = 8 << 20;
const MOST_FILES: usize = 1_000;
const MOST_OBJECTS: usize = 10_000;
const HIDDEN: &str = "(hidden)";

/// Compares live objects with the manifests in a file or folder.
pub(super) async fn compare(
    connection: &Connection,
    name: &NameArgs,
    path: &Path,
) -> anyhow::Result<Comparison> {
    let local = read(path)?;
    let application = find::get_one(connection, name).await?;
    let key = find::key_of(&application);
    let source = pb::ManifestSource::Compared;
    let found = manifests::fetch(connection, &key, source, None).await?;
    let live = to_side(&found, |it| &it.live, "")?;
    let sides = pair(live, local, home(&application));
    let names = ["cluster".to_owned(), path.display().to_string()];
    Ok(Comparison { names, sides })
}

fn home(application: &inventory::Application) -> &str {
    let spec = application.spec.as_ref();
    let destination = spec.and_then(|spec| spec.destination.as_ref());
    destination.map_or("", |destination| &destination.namespace)
}

/// Reads the objects of a file, of the files of a folder, or of standard input for `-`.
fn read(path: &Path) -> anyhow::Result<Vec<Value>> {
    let mut objects = Vec::new();
    for file in files(path)? {
        let text = read_text(&file).with_context(|| format!("--local {}", file.display()))?;
        let found = parse(&text).with_context(|| format!("--local {}", file.display()))?;
        objects.extend(found);
    }
    match objects.len() {
        0 => bail!("--local {}: it has no manifests", path.display()),
        number if number > MOST_OBJECTS => {
            bail!("--local has {number} objects, more than {MOST_OBJECTS}")
        }
        _ => Ok(objects),
    }
}

fn files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).with_context(|| format!("--local {}", path.display()))? {
        let file = entry?.path();
        let name = file.file_name().and_then(|name| name.to_str());
        let name = name.unwrap_or_default();
        let tool = match name {
            "kustomization.yaml" | "kustomization.yml" => "kustomize build",
            "Chart.yaml" => "helm template",
            _ => "",
        };
        if !tool.is_empty() {
            bail!(
                "--local reads plain manifests: run '{tool} {} | causeway app diff NAME --local -'",
                path.display()
            );
        }
        let extension = file.extension().and_then(|it| it.to_str());
        if matches!(extension, Some("yaml" | "yml" | "json")) {
            found.push(file);
        }
    }
    if found.len() > MOST_FILES {
        bail!("--local has more than {MOST_FILES} files");
    }
    found.sort();
    Ok(found)
}

fn read_text(file: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin().take(LONGEST + 1).read_to_string(&mut text)
    } else {
        File::open(file)?
            .take(LONGEST + 1)
            .read_to_string(&mut text)
    };
    if read? as u64 > LONGEST {
        bail!("it is larger than 8 MiB");
    }
    Ok(text)
}

/// Parses documents; those of a List are its items.
fn parse(text: &str) -> anyhow::Result<Vec<Value>> {
    let documents: Vec<Value> =
        serde_saphyr::from_multiple(text).context("it is neither YAML nor JSON")?;
    let mut objects = Vec::new();
    for document in documents {
        match document.get("items") {
            _ if document.is_null() => {}
            Some(Value::Array(items)) if is_list(&document) => {
                objects.extend(items.iter().cloned())
            }
            _ => objects.push(document),
        }
    }
    for object in &objects {
        if text_at(object, "/kind").is_empty() || text_at(object, "/metadata/name").is_empty() {
            bail!("an object has no kind or no metadata.name");
        }
    }
    Ok(objects)
}

fn is_list(document: &Value) -> bool {
    text_at(document, "/kind").ends_with("List")
}

fn text_at<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Pairs live and local objects. Live ones lose the fields that the local manifest does not set.
fn pair(mut live: Side, local: Vec<Value>, home: &str) -> [Side; 2] {
    let mut sides = [Side::new(), Side::new()];
    for mut object in local {
        let identity = identity(&object, home, &live);
        conceal(&mut object);
        if let Some(mut held) = live.remove(&identity) {
            conceal(&mut held);
            hide(&mut held);
            hide_as(&held, &mut object);
            sides[0].insert(identity.clone(), project(&held, &object));
        }
        sides[1].insert(identity, object);
    }
    for (identity, mut held) in live {
        conceal(&mut held);
        hide(&mut held);
        sides[0].insert(identity, held);
    }
    sides
}

/// Returns the identity of a local object, in the namespace of the application if it names none.
fn identity(object: &Value, home: &str, live: &Side) -> [String; 4] {
    let version = text_at(object, "/apiVersion");
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let place = |namespace: &str| {
        let name = text_at(object, "/metadata/name");
        [text_at(object, "/kind"), group, namespace, name].map(str::to_owned)
    };
    match text_at(object, "/metadata/namespace") {
        "" if live.contains_key(&place("")) => place(""),
        "" => place(home),
        namespace => place(namespace),
    }
}

/// Hides the values of a Secret: live ones arrive redacted.
fn conceal(object: &mut Value) {
    if text_at(object, "/kind") != "Secret" {
        return;
    }
    for field in ["data", "stringData"] {
        if let Some(Value::Object(values)) = object.get_mut(field) {
            values.values_mut().for_each(|value| *value = HIDDEN.into());
        }
    }
}

/// Hides what is hidden in the other object.
fn hide_as(held: &Value, object: &mut Value) {
    match (held, object) {
        (Value::String(text), object) if text == HIDDEN => *object = HIDDEN.into(),
        (Value::Object(held), Value::Object(object)) => {
            for (key, value) in object {
                if let Some(held) = held.get(key) {
                    hide_as(held, value);
                }
            }
        }
        (Value::Array(held), Value::Array(object)) => {
            held.iter()
                .zip(object)
                .for_each(|(held, value)| hide_as(held, value));
        }
        _ => {}
    }
}

/// Returns the part of a live value that a local one sets.
fn project(held: &Value, local: &Value) -> Value {
    match (held, local) {
        (Value::Object(held), Value::Object(local)) => {
            let set = local.iter().filter_map(|(key, value)| {
                let held = held.get(key)?;
                Some((key.clone(), project(held, value)))
            });
            Value::Object(set.collect())
        }
        (Value::Array(held), Value::Array(local)) if held.len() == local.len() => {
            let both = held.iter().zip(local);
            both.map(|(held, local)| project(held, local)).collect()
        }
        (held, _) => held.clone(),
    }
}

#[cfg(test)]
mod tests;
