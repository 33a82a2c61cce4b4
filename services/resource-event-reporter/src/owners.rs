//! Enrichment of an object: its owning Application and, for a Rollout, its ReplicaSets and AnalysisRuns.

use std::sync::Arc;

use causeway_reporting::{Content, Enrichment, Freshness, Quality};

use crate::{
    detail::Detail,
    object::{Object, Tracking},
    owner_lookup::{OwnerLookup, Ownership, Unreachable},
    rollout_children::{ChildSet, RolloutChildren},
};

/// The Application of the runtime that something belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ApplicationName {
    /// The cluster that holds it; empty for the cluster of what belongs to it.
    pub(crate) cluster: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// What is known beyond an object, and how well.
#[derive(Debug, Clone, Default)]
pub(crate) struct Owners {
    /// What it was answered for.
    pub(crate) of: Option<OwnershipInputs>,
    pub(crate) quality: Quality,
    /// That it is nobody's as far as can be seen was the answer, and is asked for again.
    pub(crate) unconfirmed: bool,
    pub(crate) application: Option<ApplicationName>,
    pub(crate) children: ChildSet,
}

/// What an object's belonging follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnershipInputs {
    tracking: Option<Tracking>,
    labelled: Option<Tracking>,
    above: Option<String>,
}

/// Who is asked for it. Cheap to clone.
#[derive(Clone)]
pub(crate) struct OwnerSource {
    pub(crate) owner_lookup: OwnerLookup,
    pub(crate) rollout_children: Arc<RolloutChildren>,
}

/// What was answered.
pub(crate) struct Answers {
    of: OwnershipInputs,
    application: Result<Ownership, Unreachable>,
    /// Nothing while not all of it is known.
    children: Option<ChildSet>,
}

impl OwnershipInputs {
    fn of(object: &Object) -> Self {
        let owner_chain = object.owner_chain();
        Self {
            tracking: owner_chain.tracking,
            labelled: owner_chain.labelled,
            above: owner_chain.above.map(|above| above.uid),
        }
    }
}

impl Owners {
    /// Whether it was asked for.
    pub(crate) fn is_known(&self) -> bool {
        self.quality != Quality::Blank
    }
}

impl Enrichment<Object> for Owners {
    type Source = OwnerSource;
    type Answers = Answers;

    const SETTLES: bool = false;
    /// What owns it may be another application's by now.
    const REVISITS: bool = true;

    fn without_source() -> Self {
        Self {
            quality: Quality::Whole,
            ..Self::default()
        }
    }

    fn quality(&self) -> Quality {
        self.quality
    }

    /// An application that does not have it is not to keep it from an earlier run.
    fn lacks(&self) -> bool {
        self.quality != Quality::Whole && !self.unconfirmed
    }

    fn is_of(&self, object: &Object) -> bool {
        self.quality == Quality::Whole && self.of == Some(OwnershipInputs::of(object))
    }

    async fn ask(source: OwnerSource, object: Arc<Object>, _freshness: Freshness) -> Answers {
        let owner_chain = object.owner_chain();
        let children = async {
            if matches!(object.detail, Detail::Rollout(_)) {
                return source.rollout_children.children(&object.key).await;
            }
            Some(ChildSet::default())
        };
        let (application, children) =
            tokio::join!(source.owner_lookup.application(owner_chain), children);
        Answers {
            of: OwnershipInputs::of(&object),
            application,
            children,
        }
    }

    fn renewed(&self, answers: Answers) -> (Self, Vec<Content>) {
        let unsaid = |it: &Ownership| matches!(it, Ownership::Unconfirmed);
        let said = answers.application.as_ref().is_ok_and(|it| !unsaid(it));
        let whole = said && answers.children.is_some();
        let unconfirmed =
            answers.application.as_ref().is_ok_and(unsaid) && answers.children.is_some();
        let same = self.of.as_ref() == Some(&answers.of);
        let application = match answers.application {
            Ok(Ownership::Application(application)) => Some(application),
            Ok(Ownership::Unowned | Ownership::Unconfirmed) => None,
            Ok(Ownership::Unknown) => self.application.clone().filter(|_| same),
            Err(_) => self.application.clone(),
        };
        let renewed = Self {
            application,
            unconfirmed,
            of: Some(answers.of),
            quality: match whole {
                true => Quality::Whole,
                false => Quality::Lacking,
            },
            children: answers.children.unwrap_or_else(|| self.children.clone()),
        };
        (renewed, Vec::new())
    }

    fn without_manifests(&self) -> Self {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(application: Result<Ownership, Unreachable>) -> Owners {
        let of = OwnershipInputs {
            tracking: None,
            labelled: None,
            above: None,
        };
        let children = Some(ChildSet::default());
        let answers = Answers {
            of,
            application,
            children,
        };
        Owners::default().renewed(answers).0
    }

    #[test]
    fn what_is_nobodys_as_far_as_can_be_seen_is_told_and_asked_for_again() {
        let unconfirmed = answered(Ok(Ownership::Unconfirmed));
        assert!(!unconfirmed.lacks() && unconfirmed.quality() == Quality::Lacking);
        let unreachable = answered(Err(Unreachable::new("down".to_owned())));
        assert!(unreachable.lacks());
        assert!(!answered(Ok(Ownership::Unowned)).lacks());
    }
}
