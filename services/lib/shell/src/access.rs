//! Access table from the contract: kind and allowed callers of each method.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::bail;
use causeway_assertion::{Side, Subject, Verifier};
use causeway_proto::{
    access::v1::{CallerKind, Kind},
    descriptor_pool,
    method::{Method, methods},
};

/// Services of every server that need no authentication.
const PUBLIC_SERVICES: [&str; 3] = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
];

const PUBLIC_PATHS: [&str; 4] = [
    "/grpc.health.v1.Health/Check",
    "/grpc.health.v1.Health/Watch",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];

/// Access table of a server. Cheap to clone.
#[derive(Clone)]
pub struct Access(Arc<Inner>);

struct Inner {
    methods: BTreeMap<String, Method>,
    verifier: Verifier,
}

/// Lookup result for a path.
pub(crate) enum Row<'a> {
    Public,
    Method(&'a Method),
    Absent,
}

impl Access {
    /// Creates the table of the contract, with assertions checked by `verifier`.
    #[must_use]
    pub fn from_contract(verifier: Verifier) -> Self {
        Self::from_methods(verifier, methods().values().cloned())
    }

    /// Creates a table from given methods: for tests, and for servers with a subset of the contract.
    #[must_use]
    pub fn from_methods(verifier: Verifier, methods: impl IntoIterator<Item = Method>) -> Self {
        let methods = methods
            .into_iter()
            .map(|method| (method.path.clone(), method))
            .collect();
        Self(Arc::new(Inner { methods, verifier }))
    }

    #[must_use]
    pub fn verifier(&self) -> &Verifier {
        &self.0.verifier
    }

    pub(crate) fn row(&self, path: &str) -> Row<'_> {
        if public_path(path).is_some() {
            return Row::Public;
        }
        self.0.methods.get(path).map_or(Row::Absent, Row::Method)
    }

    /// Fails with the first method of `service` that has no valid access rule.
    pub(crate) fn check_service(&self, service: &str) -> anyhow::Result<()> {
        if PUBLIC_SERVICES.contains(&service) {
            return Ok(());
        }
        let Some(descriptor) = descriptor_pool().get_service_by_name(service) else {
            bail!(
                "{service} is not in the contract: add it to proto/, with an access rule for each RPC"
            );
        };
        for method in descriptor.methods() {
            self.check_method(&format!("/{service}/{}", method.name()))?;
        }
        Ok(())
    }

    fn check_method(&self, path: &str) -> anyhow::Result<()> {
        let Row::Method(method) = self.row(path) else {
            bail!("{path} has no access rule: add (causeway.access.v1.access) to it");
        };
        let anyone = method.callers.contains(&CallerKind::Anyone);
        if method.kind == Kind::Unspecified || method.callers.is_empty() {
            bail!("{path} has no kind or no callers in (causeway.access.v1.access)");
        }
        if method.callers.contains(&CallerKind::Unspecified) {
            bail!("{path} has an unspecified caller in (causeway.access.v1.access)");
        }
        if anyone != (method.kind == Kind::Public) {
            bail!("{path}: CALLER_KIND_ANYONE requires KIND_PUBLIC, and the reverse");
        }
        let streams = method.descriptor.is_client_streaming();
        if streams && needs_one_use(method.kind) {
            bail!(
                "{path} has a request stream, which has no digest: use KIND_STREAM, or KIND_SESSION if its first message states the target"
            );
        }
        if !streams && method.kind == Kind::Session {
            bail!("{path} has no request stream: KIND_SESSION requires one");
        }
        Ok(())
    }
}

pub(crate) fn public_path(path: &str) -> Option<&'static str> {
    PUBLIC_PATHS.into_iter().find(|public| *public == path)
}

/// Returns true if the method requires a one-time assertion bound to the request.
pub(crate) fn needs_one_use(kind: Kind) -> bool {
    matches!(kind, Kind::Mutation | Kind::SecretRead)
}

pub(crate) fn caller_kind(subject: &Subject) -> Option<CallerKind> {
    match subject {
        Subject::User(_) => Some(CallerKind::User),
        Subject::Runtime { .. } => Some(CallerKind::Runtime),
        Subject::Part { side, .. } => match side {
            Side::Platform => Some(CallerKind::PlatformPart),
            Side::Runtime => Some(CallerKind::RuntimePart),
            Side::Runner => None,
        },
    }
}
