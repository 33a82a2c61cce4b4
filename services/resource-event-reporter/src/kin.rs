//! What is known of an object beyond it: the Application that it belongs to, found by what owns it, and of a Rollout the
//! ReplicaSets and AnalysisRuns that it made.

use std::sync::Arc;

use causeway_reporting::{Content, Enrichment, Freshness, Quality};

use crate::{
    ancestry::{Ancestry, Belonging, Unreachable},
    detail::Detail,
    object::{Object, Tracking},
    siblings::{Family, Siblings},
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
pub(crate) struct Kin {
    /// What it was answered for.
    pub(crate) of: Option<Birth>,
    pub(crate) quality: Quality,
    /// That it is nobody's as far as can be seen was the answer, and is asked for again.
    pub(crate) unconfirmed: bool,
    pub(crate) application: Option<ApplicationName>,
    pub(crate) family: Family,
}

/// What an object's belonging follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Birth {
    tracking: Option<Tracking>,
    labelled: Option<Tracking>,
    above: Option<String>,
}

/// Who is asked for it. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Relatives {
    pub(crate) ancestry: Ancestry,
    pub(crate) siblings: Arc<Siblings>,
}

/// What was answered.
pub(crate) struct Answers {
    of: Birth,
    application: Result<Belonging, Unreachable>,
    /// Nothing while not all of it is known.
    family: Option<Family>,
}

impl Birth {
    fn of(object: &Object) -> Self {
        let lineage = object.lineage();
        Self {
            tracking: lineage.tracking,
            labelled: lineage.labelled,
            above: lineage.above.map(|above| above.uid),
        }
    }
}

impl Kin {
    /// Whether it was asked for.
    pub(crate) fn is_known(&self) -> bool {
        self.quality != Quality::Blank
    }
}

impl Enrichment<Object> for Kin {
    type Source = Relatives;
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
        self.quality == Quality::Whole && self.of == Some(Birth::of(object))
    }

    async fn ask(source: Relatives, object: Arc<Object>, _freshness: Freshness) -> Answers {
        let lineage = object.lineage();
        let family = async {
            if matches!(object.detail, Detail::Rollout(_)) {
                return source.siblings.family(&object.key).await;
            }
            Some(Family::default())
        };
        let (application, family) = tokio::join!(source.ancestry.application(lineage), family);
        Answers {
            of: Birth::of(&object),
            application,
            family,
        }
    }

    fn renewed(&self, answers: Answers) -> (Self, Vec<Content>) {
        let unsaid = |it: &Belonging| matches!(it, Belonging::Unconfirmed);
        let said = answers.application.as_ref().is_ok_and(|it| !unsaid(it));
        let whole = said && answers.family.is_some();
        let unconfirmed =
            answers.application.as_ref().is_ok_and(unsaid) && answers.family.is_some();
        let same = self.of.as_ref() == Some(&answers.of);
        let application = match answers.application {
            Ok(Belonging::To(application)) => Some(application),
            Ok(Belonging::Nowhere | Belonging::Unconfirmed) => None,
            Ok(Belonging::Unsaid) => self.application.clone().filter(|_| same),
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
            family: answers.family.unwrap_or_else(|| self.family.clone()),
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

    fn answered(application: Result<Belonging, Unreachable>) -> Kin {
        let of = Birth {
            tracking: None,
            labelled: None,
            above: None,
        };
        let family = Some(Family::default());
        let answers = Answers {
            of,
            application,
            family,
        };
        Kin::default().renewed(answers).0
    }

    #[test]
    fn what_is_nobodys_as_far_as_can_be_seen_is_told_and_asked_for_again() {
        let unconfirmed = answered(Ok(Belonging::Unconfirmed));
        assert!(!unconfirmed.lacks() && unconfirmed.quality() == Quality::Lacking);
        let unreachable = answered(Err(Unreachable::new("down".to_owned())));
        assert!(unreachable.lacks());
        assert!(!answered(Ok(Belonging::Nowhere)).lacks());
    }
}
