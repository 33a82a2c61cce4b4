//! Enrichment of an object: its owning Application and, for a Rollout, its ReplicaSets and AnalysisRuns.

use std::sync::Arc;

use causeway_reporting::{Content, Enrichment, Freshness, Quality};

use crate::{
    detail::Detail,
    object::{Object, Tracking},
    owner_lookup::{OwnerLookup, Ownership, Unreachable},
    rollout_children::{ChildSet, RolloutChildren},
};

/// An Application of the runtime.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ApplicationName {
    /// The cluster that holds it; empty for the cluster of its resources.
    pub(crate) cluster: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// Enrichment of an object, and its completeness.
#[derive(Debug, Clone, Default)]
pub(crate) struct Owners {
    /// Inputs of the enrichment.
    pub(crate) of: Option<OwnershipInputs>,
    pub(crate) quality: Quality,
    /// True if no owner was confirmed; it is looked up again.
    pub(crate) unconfirmed: bool,
    pub(crate) application: Option<ApplicationName>,
    pub(crate) children: ChildSet,
}

/// Inputs of the ownership of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OwnershipInputs {
    tracking: Option<Tracking>,
    labelled: Option<Tracking>,
    above: Option<String>,
}

/// Source of the enrichment. Cheap to clone.
#[derive(Clone)]
pub(crate) struct OwnerSource {
    pub(crate) owner_lookup: OwnerLookup,
    pub(crate) rollout_children: Arc<RolloutChildren>,
}

/// Results of the lookups.
pub(crate) struct Answers {
    of: OwnershipInputs,
    application: Result<Ownership, Unreachable>,
    /// None while incomplete.
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
    /// Returns true after the first lookup.
    pub(crate) fn is_known(&self) -> bool {
        self.quality != Quality::Blank
    }
}

impl Enrichment<Object> for Owners {
    type Source = OwnerSource;
    type Answers = Answers;

    const SETTLES: bool = false;
    /// The owner may change to another application without a change of the object.
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

    /// Returns true if an unconfirmed result must replace the result of an earlier run.
    fn is_incomplete(&self) -> bool {
        self.quality != Quality::Whole && !self.unconfirmed
    }

    fn is_current(&self, object: &Object) -> bool {
        self.quality == Quality::Whole && self.of == Some(OwnershipInputs::of(object))
    }

    async fn fetch(source: OwnerSource, object: Arc<Object>, _freshness: Freshness) -> Answers {
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

    fn merge(&self, answers: Answers) -> (Self, Vec<Content>) {
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
            quality: if whole {
                Quality::Whole
            } else {
                Quality::Lacking
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
        Owners::default().merge(answers).0
    }

    #[test]
    fn unconfirmed_objects_are_reported_and_looked_up_again() {
        let unconfirmed = answered(Ok(Ownership::Unconfirmed));
        assert!(!unconfirmed.is_incomplete() && unconfirmed.quality() == Quality::Lacking);
        let unreachable = answered(Err(Unreachable::new("down".to_owned())));
        assert!(unreachable.is_incomplete());
        assert!(!answered(Ok(Ownership::Unowned)).is_incomplete());
    }
}
