//! What reporters have told, and what is answered to it.

use std::collections::{BTreeMap, HashMap};

use causeway_proto::inventory::v1::{
    self as pb, report::Change, report_request::Message as Request,
    report_response::Message as Response,
};
use prost::{Message as _, bytes::Bytes};
use sha2::{Digest as _, Sha256};

/// What was told, and how it is answered.
#[derive(Default)]
pub struct Seen {
    /// The last state of each object, by uid.
    pub objects: BTreeMap<String, Object>,
    /// By digest.
    pub manifests: HashMap<Bytes, Bytes>,
    /// The first message of each stream.
    pub hellos: Vec<pb::Hello>,
    /// All reports in their order.
    pub reports: Vec<pb::Report>,
    /// Every byte that came.
    pub wire: Vec<u8>,
    waiting: Vec<(u64, u64, Object)>,
    manners: Manners,
    epoch: u64,
}

/// An object as it was told last.
#[derive(Clone, Debug)]
pub struct Object {
    /// The cluster whose stream told it.
    pub cluster: String,
    /// The kind of that stream, for example "rollouts.argoproj.io".
    pub kind: String,
    /// What was told.
    pub report: pb::Report,
    position: (u64, u64, u64),
}

/// How the inventory behaves.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Manners {
    /// As it should.
    #[default]
    Kind,
    /// Takes reports and answers none.
    Silent,
    /// Refuses every report about this name.
    Refusing(&'static str),
}

/// Whose stream it is.
#[derive(Default)]
pub(super) struct Stream {
    cluster: String,
    kind: String,
    epoch: u64,
}

impl Object {
    /// Whether it is there.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !matches!(self.report.change, None | Some(Change::Deleted(_)))
    }

    /// The state of an Application; nothing where it is gone.
    #[must_use]
    pub fn state(&self) -> Option<&pb::ApplicationState> {
        match self.report.change.as_ref()? {
            Change::Application(state) => Some(state),
            Change::Deleted(_) | Change::Resource(_) | Change::Delta(_) => None,
        }
    }

    /// The state of a resource or of an event; nothing where it is gone.
    #[must_use]
    pub fn resource(&self) -> Option<&pb::ResourceState> {
        match self.report.change.as_ref()? {
            Change::Resource(state) => Some(state),
            Change::Deleted(_) | Change::Application(_) | Change::Delta(_) => None,
        }
    }

    /// The status of an Application.
    ///
    /// # Panics
    /// Where it has none.
    #[must_use]
    pub fn status(&self) -> &pb::ApplicationStatus {
        let state = self.state().expect("an Application that is there");
        state.status.as_ref().expect("a status")
    }

    fn root_digest(&self) -> Bytes {
        let application = self.state().map(|state| state.root_digest.clone());
        let resource = || self.resource().map(|state| state.root_digest.clone());
        application.or_else(resource).unwrap_or_default()
    }

    fn named_manifests(&self) -> Vec<&Bytes> {
        let status = self.state().and_then(|state| state.status.as_ref());
        let resources = status.map_or(&[][..], |status| &status.resources);
        let of_application = resources
            .iter()
            .flat_map(|it| [&it.live_digest, &it.desired_digest]);
        let own = self.resource().map(|state| &state.manifest_digest);
        let all = of_application.chain(own);
        all.filter(|digest| !digest.is_empty()).collect()
    }

    fn check(&self) {
        let root = match self.report.change.clone() {
            Some(Change::Application(mut state)) => {
                state.root_digest.clear();
                state.encode_to_vec()
            }
            Some(Change::Resource(mut state)) => {
                state.root_digest.clear();
                state.encode_to_vec()
            }
            Some(Change::Deleted(_) | Change::Delta(_)) | None => return,
        };
        let root = Sha256::digest(root).to_vec();
        assert_eq!(
            self.root_digest(),
            root,
            "the root digest is not the state's"
        );
    }
}

impl Seen {
    /// The live objects, as name and resource version.
    #[must_use]
    pub fn live(&self) -> BTreeMap<String, u64> {
        let live = self.objects.values().filter(|object| object.is_live());
        live.map(|object| (object.report.name.clone(), object.report.resource_version))
            .collect()
    }

    /// An object by its name alone.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Object> {
        let mut objects = self.objects.values();
        objects.find(|object| object.report.name == name)
    }

    /// A resource or event of the cluster "in-cluster"; nothing where it is gone or was not told.
    #[must_use]
    pub fn state(&self, kind: &str, name: &str) -> Option<&pb::ResourceState> {
        self.state_in("in-cluster", kind, name)
    }

    /// The same of any cluster.
    #[must_use]
    pub fn state_in(&self, cluster: &str, kind: &str, name: &str) -> Option<&pb::ResourceState> {
        let wanted = |object: &&Object| {
            (&*object.cluster, &*object.kind, &*object.report.name) == (cluster, kind, name)
        };
        let mut objects = self.objects.values().filter(wanted);
        objects.find_map(Object::resource)
    }

    /// Which Application a resource is said to belong to, as cluster, namespace and name.
    #[must_use]
    pub fn belongs(&self, kind: &str, name: &str) -> Option<(String, String, String)> {
        let application = self.state(kind, name)?.application.clone()?;
        Some((application.cluster, application.namespace, application.name))
    }

    /// What is told of a Rollout in particular.
    #[must_use]
    pub fn rollout(&self, name: &str) -> Option<&pb::Rollout> {
        let detail = self.state("rollouts.argoproj.io", name)?.detail.as_ref()?;
        if let pb::resource_state::Detail::Rollout(rollout) = detail {
            return Some(rollout);
        }
        None
    }

    pub(super) fn behave(&mut self, manners: Manners) {
        self.manners = manners;
    }

    pub(super) fn answer(
        &mut self,
        stream: &mut Stream,
        message: pb::ReportRequest,
    ) -> Vec<Response> {
        match message.message {
            Some(Request::Hello(hello)) => self.welcome(stream, hello),
            Some(Request::Report(report)) => self.take(stream, report).into_iter().collect(),
            Some(Request::Manifest(manifest)) => {
                let answer = self.manifest(stream.epoch, manifest);
                answer.into_iter().collect()
            }
            Some(Request::Heartbeat(_)) | None => Vec::new(),
        }
    }

    fn welcome(&mut self, stream: &mut Stream, hello: pb::Hello) -> Vec<Response> {
        self.epoch += 1;
        *stream = Stream {
            cluster: hello.cluster.clone(),
            kind: hello.kind.clone(),
            epoch: self.epoch,
        };
        let members = pb::Members {
            instances: vec![hello.instance.clone()],
            version: 1,
        };
        self.hellos.push(hello);
        let welcome = pb::Welcome {
            epoch: None,
            window: 64,
            held_follows: true,
            members: Some(members),
            window_bytes: 4 << 20,
            takes_deltas: false,
        };
        let (objects, last) = (self.held(stream), true);
        let held = pb::Held { objects, last };
        vec![Response::Welcome(welcome), Response::Held(held)]
    }

    /// Takes a report; gives the answer to it, if there is one now.
    fn take(&mut self, stream: &Stream, report: pb::Report) -> Option<Response> {
        self.reports.push(report.clone());
        let sequence = report.sequence;
        let object = Object {
            cluster: stream.cluster.clone(),
            kind: stream.kind.clone(),
            position: (report.resource_version, stream.epoch, sequence),
            report,
        };
        match self.manners {
            Manners::Silent => return None,
            Manners::Refusing(name) if object.report.name == name => {
                return Some(Response::Rejected(pb::Rejected {
                    sequence,
                    reason: "it is refused".to_owned(),
                    ..pb::Rejected::default()
                }));
            }
            Manners::Kind | Manners::Refusing(_) => {}
        }
        object.check();
        if object.report.operations_only {
            return Some(acknowledge(vec![sequence]));
        }
        let digests = self.missing(&object);
        if !digests.is_empty() {
            self.waiting.push((stream.epoch, sequence, object));
            return Some(Response::Wanted(pb::Wanted { sequence, digests }));
        }
        self.commit(object);
        Some(acknowledge(vec![sequence]))
    }

    fn missing(&self, object: &Object) -> Vec<Bytes> {
        let named = object.named_manifests().into_iter();
        let lacks = |digest: &&Bytes| !self.manifests.contains_key(*digest);
        let mut missing: Vec<Bytes> = named.filter(lacks).cloned().collect();
        missing.sort();
        missing.dedup();
        missing
    }

    fn manifest(&mut self, stream: u64, manifest: pb::Manifest) -> Option<Response> {
        let digest = Bytes::from(Sha256::digest(&manifest.content).to_vec());
        assert_eq!(digest, manifest.digest, "a manifest is not what it says");
        self.manifests.insert(digest, manifest.content);
        let waiting = std::mem::take(&mut self.waiting);
        let mut done = Vec::new();
        for (of, sequence, object) in waiting {
            if self.missing(&object).is_empty() {
                if of == stream {
                    done.push(sequence);
                }
                self.commit(object);
            } else {
                self.waiting.push((of, sequence, object));
            }
        }
        (!done.is_empty()).then(|| acknowledge(done))
    }

    fn commit(&mut self, object: Object) {
        let restored = self
            .hellos
            .last()
            .is_some_and(|hello| hello.continuity() == pb::StoreContinuity::Restored);
        let order = |object: &Object| {
            if restored {
                (object.position.1, object.position.2, 0)
            } else {
                object.position
            }
        };
        let held = self.objects.get(&object.report.uid);
        if held.is_none_or(|held| order(&object) > order(held)) {
            self.objects.insert(object.report.uid.clone(), object);
        }
    }

    fn held(&self, stream: &Stream) -> Vec<pb::HeldObject> {
        let own =
            |object: &&Object| (&object.cluster, &object.kind) == (&stream.cluster, &stream.kind);
        let live = self.objects.values().filter(own).filter(|it| it.is_live());
        live.map(|object| pb::HeldObject {
            namespace: object.report.namespace.clone(),
            name: object.report.name.clone(),
            uid: object.report.uid.clone(),
            resource_version: object.report.resource_version,
            root_digest: object.root_digest(),
        })
        .collect()
    }
}

fn acknowledge(sequences: Vec<u64>) -> Response {
    Response::Acknowledged(pb::Acknowledged { sequences })
}
