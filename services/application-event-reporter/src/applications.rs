//! Argo CD Applications as a reported kind.

use bytes::Bytes;
use causeway_argocd::{
    application::{Application, MalformedApplication, OperationState, TRACE},
    redact::Redactor,
};
use causeway_proto::inventory::v1 as pb;
use causeway_reporting::{
    Digest, Kind, Knowledge, OperationTrace, ReportedKind, Stage,
    object::{Malformed, ObjectKey},
};
use serde_json::Value;

use crate::{compression, convert, enrichment::Enrichment, parent::ArgoCdNamespaces};

/// Reported kind of Argo CD Applications.
#[derive(Debug, Clone)]
pub struct Applications {
    kind: Kind,
    redactor: Redactor,
    argocds: ArgoCdNamespaces,
}

impl Applications {
    /// Creates the kind, whose objects `redactor` redacts.
    pub fn new(redactor: Redactor) -> Self {
        let kind = Kind::new("argoproj.io", "v1alpha1", "applications");
        let argocds = ArgoCdNamespaces::default();
        Self {
            kind,
            redactor,
            argocds,
        }
    }

    /// Adds the namespaces of the Argo CDs, for parents that are named without a namespace.
    #[must_use]
    pub fn of(self, namespaces: Vec<String>) -> Self {
        let argocds = ArgoCdNamespaces::new(namespaces);
        Self { argocds, ..self }
    }
}

impl ReportedKind for Applications {
    type Object = Application;
    type Enrichment = Enrichment;

    fn kind(&self) -> &Kind {
        &self.kind
    }

    fn noun(&self) -> &str {
        "Applications"
    }

    fn read(&self, object: Value) -> Result<Option<Application>, Malformed> {
        let mut application = Application::from_value(object).map_err(malformed)?;
        self.redactor.application(&mut application);
        Ok(Some(application))
    }

    fn read_text(&self, text: &str) -> Option<Application> {
        let mut application = Application::from_text(text)?;
        self.redactor.application(&mut application);
        Some(application)
    }

    fn compress(application: &Application) -> Option<Bytes> {
        compression::pack(application)
    }

    fn decompress(packed: &Bytes) -> Option<Application> {
        compression::unpack(packed)
    }

    fn key(application: &Application) -> ObjectKey {
        let metadata = &application.metadata;
        ObjectKey {
            namespace: metadata.namespace.clone(),
            name: metadata.name.clone(),
            uid: metadata.uid.clone(),
        }
    }

    fn resource_version(application: &Application) -> u64 {
        application.resource_version()
    }

    fn to_change(
        &self,
        application: &Application,
        enrichment: &Enrichment,
    ) -> Option<(pb::report::Change, Digest)> {
        let (state, root) = convert::to_state(application, enrichment, &self.argocds);
        Some((pb::report::Change::Application(state), root))
    }

    fn ended_operations(&self, application: &Application) -> Vec<pb::OperationRecord> {
        convert::to_ended(application)
    }

    fn trace(application: &Application) -> Option<OperationTrace<'_>> {
        let state = application.status.operation_state.as_ref();
        let ended = |state: &OperationState| state.finished_at.is_some();
        let (operation, stage) = match (&application.operation, state) {
            (Some(asked), _) => (asked, Stage::UnderWay),
            (None, Some(state)) if ended(state) => (&state.operation, Stage::Ended),
            (None, Some(state)) => (&state.operation, Stage::UnderWay),
            (None, None) => return None,
        };
        let parent = operation.info(TRACE)?;
        Some(OperationTrace { parent, stage })
    }

    fn complete(
        &self,
        operation: &mut pb::OperationRecord,
        application: &Application,
        enrichment: &Enrichment,
    ) -> Knowledge {
        convert::complete(operation, application, enrichment)
    }
}

fn malformed(malformed: MalformedApplication) -> Malformed {
    Malformed {
        key: ObjectKey {
            namespace: malformed.namespace,
            name: malformed.name,
            uid: malformed.uid,
        },
        resource_version: malformed.resource_version,
        cause: malformed.cause,
    }
}
