//! One resource of an application, by its place among them.

use super::life::{Life, Problem};

/// A kind of a component.
pub(super) struct Kind {
    pub(super) group: &'static str,
    pub(super) version: &'static str,
    pub(super) kind: &'static str,
    /// Whether Argo CD says how it is.
    pub(super) has_health: bool,
}

/// What a component consists of, in this order.
pub(super) const KINDS: [Kind; 10] = [
    Kind::new("apps", "v1", "Deployment", true),
    Kind::new("", "v1", "ConfigMap", false),
    Kind::new("", "v1", "Service", true),
    Kind::new("", "v1", "ServiceAccount", false),
    Kind::new("networking.k8s.io", "v1", "Ingress", true),
    Kind::new("autoscaling", "v2", "HorizontalPodAutoscaler", true),
    Kind::new("networking.k8s.io", "v1", "NetworkPolicy", false),
    Kind::new("", "v1", "Secret", false),
    Kind::new("rbac.authorization.k8s.io", "v1", "Role", false),
    Kind::new("rbac.authorization.k8s.io", "v1", "RoleBinding", false),
];
const COMPONENTS: [&str; 5] = ["web", "api", "worker", "cache", "jobs"];

/// See the module text.
#[derive(Clone, Copy)]
pub(super) struct Resource<'a> {
    pub(super) life: &'a Life,
    pub(super) index: usize,
}

impl Kind {
    const fn new(
        group: &'static str,
        version: &'static str,
        kind: &'static str,
        has_health: bool,
    ) -> Self {
        Self {
            group,
            version,
            kind,
            has_health,
        }
    }

    pub(super) fn api_version(&self) -> String {
        match self.group {
            "" => self.version.to_owned(),
            group => format!("{group}/{}", self.version),
        }
    }
}

impl Resource<'_> {
    /// How far behind its Deployment a component's ConfigMap is.
    pub(super) const CONFIG: usize = 1;

    pub(super) fn kind(&self) -> &'static Kind {
        &KINDS[self.index % KINDS.len()]
    }

    pub(super) fn is_deployment(&self) -> bool {
        self.index.is_multiple_of(KINDS.len())
    }

    pub(super) fn component(&self) -> String {
        let number = self.index / KINDS.len();
        let word = COMPONENTS[number % COMPONENTS.len()];
        match number / COMPONENTS.len() {
            0 => word.to_owned(),
            round => format!("{word}-{round}"),
        }
    }

    pub(super) fn name(&self) -> String {
        format!("{}-{}", self.life.name, self.component())
    }

    /// The commit that last changed it.
    pub(super) fn touched(&self) -> u32 {
        self.life.touched[self.index]
    }

    pub(super) fn image(&self) -> String {
        let (service, component) = (self.life.service(), self.component());
        format!(
            "registry.example.com/{service}/{component}:1.{}.0",
            self.touched()
        )
    }

    /// Of itself, or of what it owns: equal `what` gives an equal uid.
    pub(super) fn uid(&self, what: u16) -> String {
        let (birth, index) = (self.life.birth, self.index);
        let (seed, birth) = (birth >> 32 & 0xfff, birth & 0xffff_ffff);
        format!("{birth:08x}-{what:04x}-4{seed:03x}-8000-{index:012x}")
    }

    pub(super) fn trouble(&self) -> Option<Problem> {
        let (index, trouble) = self.life.trouble?;
        (index == self.index).then_some(trouble)
    }

    pub(super) fn is_drifted(&self) -> bool {
        self.life.drifted == Some(self.index)
    }

    /// In Argo CD's words; none where it does not say.
    pub(super) fn health(&self) -> Option<&'static str> {
        let health = self.trouble().map_or("Healthy", Problem::health);
        self.kind().has_health.then_some(health)
    }

    pub(super) fn sync(&self) -> &'static str {
        if self.is_drifted() {
            "OutOfSync"
        } else {
            "Synced"
        }
    }
}
