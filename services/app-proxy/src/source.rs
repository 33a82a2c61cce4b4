//! Changes of what a live Application is rendered with, and who would undo them.

mod edit;
mod owner;
mod policy;

use causeway_patch::Segment;
use serde_json::{Value, json};

use crate::outcome::RequestIdentity;

use edit::Edit;
pub(crate) use edit::image_name;
pub(crate) use owner::{Claim, Owner, claimed_by, manages};
pub(crate) use policy::{Automated, PolicyOrder};

/// A change of one source that a user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceOrder {
    /// The request.
    pub(crate) asked: RequestIdentity,
    /// Which of several, 1 for the first one; 0 where there is one.
    pub(crate) position: u32,
    /// The revision to follow.
    pub(crate) revision: Option<String>,
    /// Helm parameters to set.
    pub(crate) parameters: Vec<HelmParameter>,
    /// Helm parameters to take away.
    pub(crate) removed_parameters: Vec<String>,
    /// Helm value files in place of those that there are; none to leave them.
    pub(crate) value_files: Vec<String>,
    /// Kustomize images to set.
    pub(crate) images: Vec<String>,
    /// Kustomize images to take away.
    pub(crate) removed_images: Vec<String>,
    /// How a folder is read.
    pub(crate) directory: Directory,
    /// Whether it is synced automatically.
    pub(crate) policy: PolicyOrder,
    /// Whether it counts although Git owns the Application.
    pub(crate) ownership: Ownership,
    /// Whether it is only told what would change.
    pub(crate) mode: crate::sync::Mode,
}

/// A parameter of a Helm chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HelmParameter {
    /// With dots between its levels.
    pub(crate) name: String,
    /// The value.
    pub(crate) value: String,
    /// True if it is a text whatever it looks like.
    pub(crate) force_string: bool,
}

/// How a folder is read; what is absent stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Directory {
    /// With what is below its folders.
    pub(crate) recurse: Option<bool>,
    /// Which files.
    pub(crate) include: Option<String>,
    /// Which files not.
    pub(crate) exclude: Option<String>,
}

/// What it means that Git owns an Application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ownership {
    /// It is not changed here.
    Respected,
    /// It is changed until Git is applied again.
    Overridden,
}

/// A change that makes no sense for the application as it is. Each text is one line that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    #[error("it has {0} sources: name one of them by source_position")]
    Several(usize),
    #[error("source_position {position} is not there: it has {sources}")]
    NoSource { position: u32, sources: usize },
    #[error("it is rendered by {found}, which knows no {wanted} settings: leave them out")]
    OtherTool { found: String, wanted: &'static str },
    #[error("automated sync is off: enable it, or leave auto_prune and self_heal out")]
    NotAutomated,
    #[error(
        "it is made by {owner}, which would overwrite {fields} when it is applied the next time: change it there, or send it with force to have it until then"
    )]
    Owned { owner: String, fields: String },
}

/// Patch of a source, and the fields that it changes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourcePatch {
    /// A merge patch.
    pub(crate) patch: Value,
    /// Where, for example `spec.source.targetRevision`; empty where it is so already.
    pub(crate) fields: Vec<String>,
}

impl SourceOrder {
    /// True if it sets nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.policy == PolicyOrder::default() && self.keeps_source()
    }

    fn keeps_source(&self) -> bool {
        let lists = [
            self.parameters.is_empty(),
            self.removed_parameters.is_empty(),
            self.value_files.is_empty(),
            self.images.is_empty(),
            self.removed_images.is_empty(),
        ];
        let untouched = self.revision.is_none() && self.directory == Directory::default();
        untouched && lists.into_iter().all(|empty| empty)
    }

    /// What the order does to an object of this owner.
    pub(crate) fn changed(
        &self,
        live: &Value,
        owner: Option<&Owner>,
    ) -> Result<SourcePatch, SourceError> {
        let (mut spec, mut fields) = if self.keeps_source() {
            (json!({}), Vec::new())
        } else {
            self.changed_source(live)?
        };
        if self.policy != PolicyOrder::default() {
            let (policy, changed) = self.policy.changed(live)?;
            if !changed.is_empty() {
                spec["syncPolicy"] = policy;
                fields.extend(changed);
            }
        }
        if let (Some(owner), Ownership::Respected, false) =
            (owner, self.ownership, fields.is_empty())
        {
            return Err(SourceError::Owned {
                owner: owner.to_string(),
                fields: fields.join(", "),
            });
        }
        Ok(SourcePatch {
            patch: json!({ "metadata": {}, "spec": spec }),
            fields,
        })
    }

    /// The source that the order is about; null where it is not there.
    pub(crate) fn source<'a>(&self, live: &'a Value) -> &'a Value {
        match self.index(live) {
            None => &live["spec"]["source"],
            Some(index) => &live["spec"]["sources"][index],
        }
    }

    /// Where that source stands in the manifest.
    pub(crate) fn place(&self, live: &Value) -> Vec<Segment> {
        let key = |key: &str| Segment::Key(key.to_owned());
        match self.index(live) {
            None => vec![key("spec"), key("source")],
            Some(index) => vec![key("spec"), key("sources"), Segment::Index(index)],
        }
    }

    fn index(&self, live: &Value) -> Option<usize> {
        let list = live.pointer("/spec/sources")?.as_array()?;
        (!list.is_empty()).then(|| (self.position as usize).saturating_sub(1))
    }

    /// Returns the merge patch of the spec for the source, and the changed fields.
    fn changed_source(&self, live: &Value) -> Result<(Value, Vec<String>), SourceError> {
        let list = live.pointer("/spec/sources").and_then(Value::as_array);
        let list = list.filter(|list| !list.is_empty());
        let (index, place, before) = match (list, self.position) {
            (None, 0 | 1) => (0, "spec.source".to_owned(), &live["spec"]["source"]),
            (None, position) => {
                return Err(SourceError::NoSource {
                    position,
                    sources: 1,
                });
            }
            (Some(list), 0) => return Err(SourceError::Several(list.len())),
            (Some(list), position) => {
                let index = position as usize - 1;
                let source = list.get(index).ok_or(SourceError::NoSource {
                    position,
                    sources: list.len(),
                })?;
                (index, format!("spec.sources[{index}]"), source)
            }
        };
        self.check_tool(live, index)?;
        let mut edit = Edit::of(before, place);
        edit.apply(self);
        let (after, fields) = edit.done();
        let spec = match list {
            None => json!({ "source": after }),
            Some(list) => {
                let mut list = list.clone();
                list[index] = after;
                json!({ "sources": list })
            }
        };
        Ok((spec, fields))
    }

    /// Argo CD renders a source by one tool, and settings of another one break it.
    fn check_tool(&self, live: &Value, index: usize) -> Result<(), SourceError> {
        let one = live.pointer("/status/sourceType");
        let of_several = live.pointer(&format!("/status/sourceTypes/{index}"));
        let found = of_several.or(one).and_then(Value::as_str).unwrap_or("");
        let helm = !self.parameters.is_empty()
            || !self.removed_parameters.is_empty()
            || !self.value_files.is_empty();
        let kustomize = !self.images.is_empty() || !self.removed_images.is_empty();
        let directory = self.directory != Directory::default();
        let wanted = [
            (helm, "Helm"),
            (kustomize, "Kustomize"),
            (directory, "Directory"),
        ];
        let mut other = wanted
            .into_iter()
            .filter(|(wanted, tool)| *wanted && !found.is_empty() && *tool != found);
        match other.next() {
            None => Ok(()),
            Some((_, wanted)) => Err(SourceError::OtherTool {
                found: found.to_owned(),
                wanted,
            }),
        }
    }
}

#[cfg(test)]
mod tests;
