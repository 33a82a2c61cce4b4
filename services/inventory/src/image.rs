//! Which images run where: references taken apart, and who uses them.

pub(crate) mod convert;

use crate::{
    application::{Key, ScopeTraits, Visible},
    digest::Digest,
    resource::ApplicationName,
};

/// No reference is longer: a repository has at most 255 characters, a tag 128, a digest 71 and more for those to come.
const LONGEST: usize = 512;

/// An image as a reference names it.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct ImageName {
    /// The repository, with its registry where the reference names one.
    pub repository: String,
    /// The tag; empty where the reference has none.
    pub tag: String,
    /// The digest, for example "sha256:…"; empty where the reference has none.
    pub digest: String,
}

impl ImageName {
    /// Takes a reference apart; nothing where it cannot be one.
    #[must_use]
    pub fn parse(reference: &str) -> Option<Self> {
        let strange = |character: char| character.is_whitespace() || character.is_control();
        if reference.len() > LONGEST || reference.contains(strange) {
            return None;
        }
        let (name, digest) = reference.split_once('@').unwrap_or((reference, ""));
        // A colon before the last slash is the registry's port.
        let begin = name.rfind('/').map_or(0, |slash| slash + 1);
        let (repository, tag) = match name[begin..].split_once(':') {
            Some((last, tag)) => (&name[..begin + last.len()], tag),
            None => (name, ""),
        };
        (!repository.is_empty() && !repository.ends_with('/')).then(|| Self {
            repository: repository.to_owned(),
            tag: tag.to_owned(),
            digest: digest.to_owned(),
        })
    }

    /// A number that is another one where something uses other images, or uses them elsewhere; 0 where it uses none.
    #[must_use]
    pub fn stamp(images: &[Self], application: Option<&ApplicationName>) -> i64 {
        if images.is_empty() || application.is_none() {
            return 0;
        }
        let text = serde_json::json!((images, application)).to_string();
        let digest = Digest::of(text.as_bytes());
        let first = digest.as_bytes().first_chunk();
        i64::from_be_bytes(*first.expect("a digest has 32 bytes")) | 1
    }

    /// Those of some references, each once, in their order.
    pub fn all<'a>(references: impl Iterator<Item = &'a str>) -> Vec<Self> {
        let mut all: Vec<Self> = references.filter_map(Self::parse).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// That an application uses an image.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct ImageUse {
    /// The image.
    pub image: ImageName,
    /// The application.
    pub application: Key,
}

/// Which images; an empty field matches all. By default it matches nothing, as nothing is visible.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImageFilter {
    /// What the caller may see at all.
    pub visible: Visible,
    /// Of applications of this runtime, by name.
    pub runtime: String,
    /// Of applications of this namespace.
    pub namespace: String,
    /// Of applications of this name.
    pub name: String,
    /// Whose repository this text is in.
    pub text: String,
}

impl ImageFilter {
    /// True if a use by an application with these traits matches and is visible.
    #[must_use]
    pub fn matches(&self, found: &ImageUse, traits: &ScopeTraits) -> bool {
        let key = &found.application;
        let same = |wanted: &str, there: &str| wanted.is_empty() || wanted == there;
        same(&self.runtime, &key.runtime_name)
            && same(&self.namespace, &key.namespace)
            && same(&self.name, &key.name)
            && found.image.repository.contains(&self.text)
            && self.visible.holds(key, traits)
    }
}

/// A page in the order of images and, for each, of applications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImagePage {
    /// The uses.
    pub items: Vec<ImageUse>,
    /// Whether there may be more.
    pub rest: ImageRest,
}

/// Whether there are more uses of images.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageRest {
    /// There may be, after the last item.
    More,
    /// There may be, after the one of this number, which was looked at and is not told of.
    ScanPosition(u64),
    /// There are not.
    End,
}

/// Where a list of images goes on. Its caller holds it sealed.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageToken {
    /// The last use that was told of.
    pub place: Option<ImageUse>,
    /// The number of a use after it that was looked at.
    pub looked: Option<u64>,
    /// Which account and scope it was made for.
    pub stamp: u64,
}

impl ImagePage {
    /// Where the next page begins, when this one began at `from`; nothing where this is the last.
    #[must_use]
    pub fn next(&self, from: Option<&ImageToken>, stamp: u64) -> Option<ImageToken> {
        let looked = match self.rest {
            ImageRest::End => return None,
            ImageRest::More => None,
            ImageRest::ScanPosition(number) => Some(number),
        };
        let last = self.items.last().cloned();
        Some(ImageToken {
            place: last.or_else(|| from.and_then(|from| from.place.clone())),
            looked,
            stamp,
        })
    }
}

impl ImageUse {
    /// What uses are sorted by.
    pub fn order(&self) -> (&ImageName, [&str; 4]) {
        let Key {
            runtime,
            cluster,
            namespace,
            name,
            ..
        } = &self.application;
        (&self.image, [runtime, cluster, namespace, name])
    }
}

#[cfg(test)]
mod tests;
