//! The edits of `causeway git commit`.

use std::fs;

use anyhow::{Context as _, bail};
use causeway_proto::git::v1::{self as pb, file_edit::Edit};

/// Largest file that is written.
const LARGEST_FILE: u64 = 1 << 20;

/// Edits, applied in the order of these flags. FILE may be FILE#KIND/NAME or FILE#NUMBER for one document of several.
#[derive(clap::Args, Debug)]
#[group(required = true, multiple = true)]
pub(super) struct EditArgs {
    /// Set a text value of a YAML or JSON file, for example apps/values.yaml:image.tag=v2
    #[arg(long, value_name = "FILE:PATH=VALUE", help_heading = EDITS)]
    set: Vec<String>,
    /// Set a value as JSON, for example apps/values.yaml:replicas=3
    #[arg(long, value_name = "FILE:PATH=JSON", help_heading = EDITS)]
    set_json: Vec<String>,
    /// Remove a value
    #[arg(long, value_name = "FILE:PATH", help_heading = EDITS)]
    unset: Vec<String>,
    /// Append a JSON item to a list
    #[arg(long, value_name = "FILE:PATH=JSON", help_heading = EDITS)]
    append: Vec<String>,
    /// Set an image, written as one text or as repository and tag
    #[arg(long, value_name = "FILE:PATH=IMAGE", help_heading = EDITS)]
    image: Vec<String>,
    /// Set the tag of an image in a kustomization
    #[arg(long, value_name = "FILE:IMAGE=TAG", help_heading = EDITS)]
    kustomize_image: Vec<String>,
    /// Set the version of a dependency in a Chart.yaml
    #[arg(long, value_name = "FILE:NAME=VERSION", help_heading = EDITS)]
    chart_dependency: Vec<String>,
    /// Write a file with the content of a local one
    #[arg(long, value_name = "FILE=LOCAL-FILE", help_heading = EDITS)]
    write: Vec<String>,
    /// Copy a file or folder in the place of another one
    #[arg(long, value_name = "FROM=TO", help_heading = EDITS)]
    copy: Vec<String>,
    /// Delete a file or folder
    #[arg(long, value_name = "PATH", help_heading = EDITS)]
    delete: Vec<String>,
}

/// Reads the text of one flag.
type Read = fn(&str) -> anyhow::Result<pb::FileEdit>;

const EDITS: &str = "Edits, applied in this order";

impl EditArgs {
    pub(super) fn read(&self) -> anyhow::Result<Vec<pb::FileEdit>> {
        let lists: [(&str, &[String], Read); 10] = [
            ("--set", &self.set, |text| {
                let (file, at, value) = three(text)?;
                let value = serde_json::Value::from(value).to_string();
                Ok(edit(file, Edit::SetValue(set_value(at, value))))
            }),
            ("--set-json", &self.set_json, |text| {
                let (file, at, value) = three(text)?;
                Ok(edit(file, Edit::SetValue(set_value(at, value.to_owned()))))
            }),
            ("--unset", &self.unset, |text| {
                let (file, at) = two(text, ':')?;
                let (at, expected) = (at.to_owned(), String::new());
                Ok(edit(
                    file,
                    Edit::RemoveValue(pb::RemoveValue { at, expected }),
                ))
            }),
            ("--append", &self.append, |text| {
                let (file, at, value) = three(text)?;
                let (at, value) = (at.to_owned(), value.to_owned());
                Ok(edit(file, Edit::AppendItem(pb::AppendItem { at, value })))
            }),
            ("--image", &self.image, |text| {
                let (file, at, image) = three(text)?;
                Ok(edit(file, Edit::SetImage(set_image(at, image))))
            }),
            ("--kustomize-image", &self.kustomize_image, |text| {
                let (file, name, tag) = three(text)?;
                Ok(edit(
                    file,
                    Edit::SetKustomizeImage(set_kustomize_image(name, tag)),
                ))
            }),
            ("--chart-dependency", &self.chart_dependency, |text| {
                let (file, name, version) = three(text)?;
                Ok(edit(
                    file,
                    Edit::SetChartDependency(set_dependency(name, version)),
                ))
            }),
            ("--write", &self.write, write),
            ("--copy", &self.copy, |text| {
                let (from, to) = two(text, '=')?;
                let from = from.to_owned();
                Ok(edit(to, Edit::CopyPath(pb::CopyPath { from })))
            }),
            ("--delete", &self.delete, |path| {
                Ok(edit(path, Edit::DeletePath(pb::DeletePath::default())))
            }),
        ];
        let mut edits = Vec::new();
        for (flag, texts, read) in lists {
            for text in texts {
                edits.push(read(text).with_context(|| format!("{flag} {text}"))?);
            }
        }
        Ok(edits)
    }
}

/// FILE may name a document after '#'.
fn edit(file: &str, edit: Edit) -> pb::FileEdit {
    let (path, document) = file.split_once('#').unwrap_or((file, ""));
    pb::FileEdit {
        path: path.to_owned(),
        document: document.to_owned(),
        edit: Some(edit),
    }
}

fn set_value(at: &str, value: String) -> pb::SetValue {
    pb::SetValue {
        at: at.to_owned(),
        value,
        ..Default::default()
    }
}

fn set_image(at: &str, image: &str) -> pb::SetImage {
    pb::SetImage {
        at: at.to_owned(),
        image: image.to_owned(),
        ..Default::default()
    }
}

fn set_kustomize_image(name: &str, tag: &str) -> pb::SetKustomizeImage {
    pb::SetKustomizeImage {
        name: name.to_owned(),
        new_tag: tag.to_owned(),
        ..Default::default()
    }
}

fn set_dependency(name: &str, version: &str) -> pb::SetChartDependency {
    pb::SetChartDependency {
        name: name.to_owned(),
        version: version.to_owned(),
        ..Default::default()
    }
}

fn write(text: &str) -> anyhow::Result<pb::FileEdit> {
    let (file, local) = two(text, '=')?;
    let size = fs::metadata(local).with_context(|| local.to_owned())?.len();
    if size > LARGEST_FILE {
        bail!("{local} has {size} bytes: at most {LARGEST_FILE}");
    }
    let content = fs::read(local).with_context(|| local.to_owned())?;
    let (content, expected) = (content.into(), String::new());
    Ok(edit(
        file,
        Edit::WriteFile(pb::WriteFile { content, expected }),
    ))
}

fn two(text: &str, between: char) -> anyhow::Result<(&str, &str)> {
    let parts = text.split_once(between);
    let parts = parts.filter(|(one, other)| !one.is_empty() && !other.is_empty());
    parts.with_context(|| format!("it has no '{between}' with a text on both sides"))
}

/// FILE:PATH=VALUE. The first '=' outside of brackets ends the path, so that `[name=web]` may be in it.
fn three(text: &str) -> anyhow::Result<(&str, &str, &str)> {
    let (file, rest) = two(text, ':')?;
    let mut depth = 0_usize;
    let end = rest.char_indices().find(|(_, character)| {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && *character == '='
    });
    let (end, _) = end.context("it has no '=' before a value")?;
    let (path, value) = (&rest[..end], &rest[end + 1..]);
    if path.is_empty() {
        bail!("it has no path between ':' and '='");
    }
    Ok((file, path, value))
}

#[cfg(test)]
mod tests;
