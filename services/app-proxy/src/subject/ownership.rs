//! Ownership lookup: follows owners upwards from an object. The number of calls is the same for each object that is
//! hidden from the caller, so response times reveal nothing.

use std::collections::BTreeMap;

use causeway_argocd::{application::Application, rest::ApplicationName};
use serde_json::Value;

use crate::kube::ApplicationsError;

use super::{
    Kind, Lineage, ResourceName, SubjectError, Subjects,
    kube::OwnerRead,
    lineage::{self, Claim, Owner},
};

/// How many objects up an Application is looked for.
const HIGHEST: usize = 6;
/// An object, what owns it, and the Application.
pub(super) const MOST_CALLS: usize = 1 + HIGHEST + 2;

/// Ownership of a resource by an Application.
#[derive(Debug, Clone)]
pub(crate) enum Ownership {
    Application(Box<Application>),
    /// No Application, or one that does not exist.
    Unowned,
    /// An owner is deleted, not readable, or does not confirm the claim.
    Unknown,
}

/// Ownership of an object, with the uids of the owners that were read.
#[derive(Debug, Clone)]
pub(crate) struct OwnerChain {
    pub(crate) ownership: Ownership,
    pub(crate) owners: Vec<String>,
}

/// Budget and cache of the cluster calls for one ownership question.
pub(crate) struct OwnershipLookup {
    subjects: Subjects,
    left: usize,
    /// By uid.
    owners: BTreeMap<String, OwnerResult>,
    applications: BTreeMap<(String, String), Ownership>,
}

/// Owner with its lineage; `None` where it is gone or may not be read.
type OwnerResult = Option<(ResourceName, Lineage)>;

impl Ownership {
    pub(crate) fn application(self) -> Option<Application> {
        match self {
            Self::Application(application) => Some(*application),
            Self::Unowned | Self::Unknown => None,
        }
    }
}

impl OwnershipLookup {
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
    pub(crate) fn for_many(subjects: &Subjects) -> Self {
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
    ) -> Result<OwnerChain, SubjectError> {
        let mut owners = Vec::new();
        let ownership = if name.is_application() {
            itself(object)
        } else {
            let lineage = Lineage::of(name, object);
            self.upwards(name.clone(), lineage, &mut owners).await?
        };
        Ok(OwnerChain { ownership, owners })
    }

    async fn upwards(
        &mut self,
        mut name: ResourceName,
        mut lineage: Lineage,
        owners: &mut Vec<String>,
    ) -> Result<Ownership, SubjectError> {
        for _ in 0..HIGHEST {
            if let Some(claim) = &lineage.tracked {
                return Ok(match self.application(claim).await? {
                    Ownership::Application(it) if !lineage.is_confirmed(&it, &name) => {
                        Ownership::Unknown
                    }
                    ownership @ (Ownership::Application(_)
                    | Ownership::Unowned
                    | Ownership::Unknown) => ownership,
                });
            }
            if let Some(claim) = &lineage.labelled
                && let Ownership::Application(application) = self.application(claim).await?
                && lineage::manages(&application, &name)
            {
                return Ok(Ownership::Application(application));
            }
            let Some(owner) = lineage.owner else {
                return Ok(Ownership::Unowned);
            };
            owners.push(owner.uid.clone());
            if owner.is_application() {
                let claim = Claim {
                    namespace: Some(name.namespace.clone()),
                    name: owner.name,
                };
                return Ok(match self.application(&claim).await? {
                    Ownership::Application(it) if it.metadata.uid != owner.uid => {
                        Ownership::Unknown
                    }
                    ownership @ (Ownership::Application(_)
                    | Ownership::Unowned
                    | Ownership::Unknown) => ownership,
                });
            }
            match self.above(&owner, &name.namespace).await? {
                Some((above, found)) => (name, lineage) = (above, found),
                None => return Ok(Ownership::Unknown),
            }
        }
        Ok(Ownership::Unknown)
    }

    async fn above(&mut self, owner: &Owner, namespace: &str) -> Result<OwnerResult, SubjectError> {
        if let Some(known) = self.owners.get(&owner.uid) {
            return Ok(known.clone());
        }
        let above = self.look_above(owner, namespace).await?;
        self.owners.insert(owner.uid.clone(), above.clone());
        Ok(above)
    }

    async fn look_above(
        &mut self,
        owner: &Owner,
        namespace: &str,
    ) -> Result<OwnerResult, SubjectError> {
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
            OwnerRead::There(metadata) if name.means(&metadata) => {
                let lineage = Lineage::of(&name, &metadata);
                Ok(Some((name, lineage)))
            }
            OwnerRead::There(_) | OwnerRead::Gone | OwnerRead::Closed => Ok(None),
        }
    }

    async fn application(&mut self, claim: &Claim) -> Result<Ownership, SubjectError> {
        let home = self.subjects.setup.argocd.namespace();
        let namespace = claim.namespace.as_deref().unwrap_or(home).to_owned();
        let key = (namespace, claim.name.clone());
        if let Some(known) = self.applications.get(&key) {
            return Ok(known.clone());
        }
        if !self.may_ask() {
            return Ok(Ownership::Unknown);
        }
        let name = ApplicationName {
            namespace: key.0.clone(),
            name: key.1.clone(),
            project: String::new(),
        };
        let found = match self.subjects.applications.get(&name).await {
            Ok(object) => itself(&object),
            Err(ApplicationsError::NotFound) => Ownership::Unowned,
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
            // The result is ignored: the requests only equalize the time of a refusal.
            let _ = self.subjects.resources.metadata(kind, name).await;
        }
        SubjectError::Unknown(name.clone())
    }
}

/// One that cannot be read has no project that a rule could be held against.
fn itself(application: &Value) -> Ownership {
    let read = Application::from_value(application.clone());
    read.map_or(Ownership::Unknown, |read| {
        Ownership::Application(Box::new(read))
    })
}
