//! What an object belongs to, asked of the cluster upwards from it, by as many calls for each object that is not there for the
//! caller.

use std::collections::BTreeMap;

use causeway_argocd::{application::Application, rest::ApplicationName};
use serde_json::Value;

use crate::kube::ApplicationsError;

use super::{
    Kind, Lineage, ResourceName, SubjectError, Subjects,
    kube::Seen,
    lineage::{self, Claim, Owner},
};

/// How many objects up an Application is looked for.
const HIGHEST: usize = 6;
/// An object, what owns it, and the Application.
pub(super) const MOST_CALLS: usize = 1 + HIGHEST + 2;

/// Where something belongs.
#[derive(Debug, Clone)]
pub(crate) enum Belonging {
    /// To an Application that is there.
    To(Box<Application>),
    /// To none, or to one that is not there.
    Nowhere,
    /// What it comes from is gone, may not be read, or knows nothing of it.
    Unsaid,
}

/// Where an object belongs, and the uids of what owns it, as far as that was looked at.
#[derive(Debug, Clone)]
pub(crate) struct Kin {
    pub(crate) belonging: Belonging,
    pub(crate) owners: Vec<String>,
}

/// The calls of one question, or of a few about objects that have the same owners.
pub(crate) struct Walk {
    subjects: Subjects,
    left: usize,
    /// By uid.
    owners: BTreeMap<String, Above>,
    applications: BTreeMap<(String, String), Belonging>,
}

/// An owner; nothing where it is gone or may not be read.
type Above = Option<(ResourceName, Lineage)>;

impl Belonging {
    pub(crate) fn application(self) -> Option<Application> {
        match self {
            Self::To(application) => Some(*application),
            Self::Nowhere | Self::Unsaid => None,
        }
    }
}

impl Walk {
    /// About one object.
    pub(super) fn new(subjects: &Subjects) -> Self {
        Self {
            subjects: subjects.clone(),
            left: MOST_CALLS,
            owners: BTreeMap::new(),
            applications: BTreeMap::new(),
        }
    }

    /// About objects that were listed, as many as they are.
    pub(crate) fn of_many(subjects: &Subjects) -> Self {
        Self {
            left: usize::MAX,
            ..Self::new(subjects)
        }
    }

    pub(super) async fn get(
        &mut self,
        kind: &Kind,
        name: &ResourceName,
    ) -> Result<Option<Value>, SubjectError> {
        self.left -= 1;
        self.subjects.resources.get(kind, name).await
    }

    /// Where an object belongs that was read, or of which the metadata were.
    pub(crate) async fn kin(
        &mut self,
        name: &ResourceName,
        object: &Value,
    ) -> Result<Kin, SubjectError> {
        let mut owners = Vec::new();
        let belonging = match name.is_application() {
            true => itself(object),
            false => {
                let lineage = Lineage::of(name, object);
                self.upwards(name.clone(), lineage, &mut owners).await?
            }
        };
        Ok(Kin { belonging, owners })
    }

    async fn upwards(
        &mut self,
        mut name: ResourceName,
        mut lineage: Lineage,
        owners: &mut Vec<String>,
    ) -> Result<Belonging, SubjectError> {
        for _ in 0..HIGHEST {
            if let Some(claim) = &lineage.tracked {
                return Ok(match self.application(claim).await? {
                    Belonging::To(it) if !lineage.is_confirmed(claim, &it, &name) => {
                        Belonging::Unsaid
                    }
                    belonging @ (Belonging::To(_) | Belonging::Nowhere | Belonging::Unsaid) => {
                        belonging
                    }
                });
            }
            if let Some(claim) = &lineage.labelled
                && let Belonging::To(application) = self.application(claim).await?
                && lineage::manages(&application, &name)
            {
                return Ok(Belonging::To(application));
            }
            let Some(owner) = lineage.owner else {
                return Ok(Belonging::Nowhere);
            };
            owners.push(owner.uid.clone());
            if owner.is_application() {
                let claim = Claim {
                    namespace: Some(name.namespace.clone()),
                    name: owner.name,
                };
                return self.application(&claim).await;
            }
            match self.above(&owner, &name.namespace).await? {
                Some((above, found)) => (name, lineage) = (above, found),
                None => return Ok(Belonging::Unsaid),
            }
        }
        Ok(Belonging::Unsaid)
    }

    async fn above(&mut self, owner: &Owner, namespace: &str) -> Result<Above, SubjectError> {
        if let Some(known) = self.owners.get(&owner.uid) {
            return Ok(known.clone());
        }
        let above = self.look_above(owner, namespace).await?;
        self.owners.insert(owner.uid.clone(), above.clone());
        Ok(above)
    }

    async fn look_above(&mut self, owner: &Owner, namespace: &str) -> Result<Above, SubjectError> {
        let resources = self.subjects.resources.clone();
        let kind = match resources.kind(&owner.group, &owner.kind).await {
            Ok(kind) => kind,
            Err(SubjectError::UnknownKind { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let namespace = if kind.namespaced { namespace } else { "" };
        let name = owner.name(namespace);
        if !self.may_ask() {
            return Ok(None);
        }
        match resources.metadata(&kind, &name).await? {
            Seen::There(metadata) if name.means(&metadata) => {
                let lineage = Lineage::of(&name, &metadata);
                Ok(Some((name, lineage)))
            }
            Seen::There(_) | Seen::Gone | Seen::Closed => Ok(None),
        }
    }

    async fn application(&mut self, claim: &Claim) -> Result<Belonging, SubjectError> {
        let home = self.subjects.setup.argocd.namespace();
        let namespace = claim.namespace.as_deref().unwrap_or(home).to_owned();
        let key = (namespace, claim.name.clone());
        if let Some(known) = self.applications.get(&key) {
            return Ok(known.clone());
        }
        if !self.may_ask() {
            return Ok(Belonging::Unsaid);
        }
        let name = ApplicationName {
            namespace: key.0.clone(),
            name: key.1.clone(),
            project: String::new(),
        };
        let found = match self.subjects.applications.get(&name).await {
            Ok(object) => itself(&object),
            Err(ApplicationsError::NotFound) => Belonging::Nowhere,
            Err(ApplicationsError::Cluster(error)) => return Err(SubjectError::Cluster(error)),
            Err(error) => return Err(SubjectError::Invalid(error.to_string())),
        };
        self.applications.insert(key, found.clone());
        Ok(found)
    }

    fn may_ask(&mut self) -> bool {
        let may = self.left > 0;
        self.left = self.left.saturating_sub(1);
        may
    }

    /// After as many calls, whether there was nothing or something that is not for the caller.
    pub(super) async fn unknown(mut self, kind: &Kind, name: &ResourceName) -> SubjectError {
        while self.may_ask() {
            // What is answered tells nobody anything.
            let _ = self.subjects.resources.metadata(kind, name).await;
        }
        SubjectError::Unknown(name.clone())
    }
}

/// One that cannot be read has no project that a rule could be held against.
fn itself(application: &Value) -> Belonging {
    let read = Application::from_value(application.clone());
    read.map_or(Belonging::Unsaid, |read| Belonging::To(Box::new(read)))
}
