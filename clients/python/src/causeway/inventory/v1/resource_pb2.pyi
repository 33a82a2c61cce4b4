import datetime

from causeway.inventory.v1 import application_pb2 as _application_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RolloutStrategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLLOUT_STRATEGY_UNSPECIFIED: _ClassVar[RolloutStrategy]
    ROLLOUT_STRATEGY_CANARY: _ClassVar[RolloutStrategy]
    ROLLOUT_STRATEGY_BLUE_GREEN: _ClassVar[RolloutStrategy]

class RolloutRole(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLLOUT_ROLE_UNSPECIFIED: _ClassVar[RolloutRole]
    ROLLOUT_ROLE_STABLE: _ClassVar[RolloutRole]
    ROLLOUT_ROLE_CANARY: _ClassVar[RolloutRole]
    ROLLOUT_ROLE_ACTIVE: _ClassVar[RolloutRole]
    ROLLOUT_ROLE_PREVIEW: _ClassVar[RolloutRole]
ROLLOUT_STRATEGY_UNSPECIFIED: RolloutStrategy
ROLLOUT_STRATEGY_CANARY: RolloutStrategy
ROLLOUT_STRATEGY_BLUE_GREEN: RolloutStrategy
ROLLOUT_ROLE_UNSPECIFIED: RolloutRole
ROLLOUT_ROLE_STABLE: RolloutRole
ROLLOUT_ROLE_CANARY: RolloutRole
ROLLOUT_ROLE_ACTIVE: RolloutRole
ROLLOUT_ROLE_PREVIEW: RolloutRole

class ResourceState(_message.Message):
    __slots__ = ("root_digest", "labels", "created_at_ms", "deletion_requested_at_ms", "group", "version", "kind", "owners", "application", "health", "images", "manifest_digest", "rollout", "replica_set", "analysis_run", "workflow", "event")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ROOT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    DELETION_REQUESTED_AT_MS_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    OWNERS_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    MANIFEST_DIGEST_FIELD_NUMBER: _ClassVar[int]
    ROLLOUT_FIELD_NUMBER: _ClassVar[int]
    REPLICA_SET_FIELD_NUMBER: _ClassVar[int]
    ANALYSIS_RUN_FIELD_NUMBER: _ClassVar[int]
    WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    root_digest: bytes
    labels: _containers.ScalarMap[str, str]
    created_at_ms: int
    deletion_requested_at_ms: int
    group: str
    version: str
    kind: str
    owners: _containers.RepeatedCompositeFieldContainer[ResourceOwner]
    application: ApplicationReference
    health: _application_pb2.HealthState
    images: _containers.RepeatedScalarFieldContainer[str]
    manifest_digest: bytes
    rollout: Rollout
    replica_set: ReplicaSet
    analysis_run: AnalysisRun
    workflow: Workflow
    event: KubernetesEvent
    def __init__(self, root_digest: _Optional[bytes] = ..., labels: _Optional[_Mapping[str, str]] = ..., created_at_ms: _Optional[int] = ..., deletion_requested_at_ms: _Optional[int] = ..., group: _Optional[str] = ..., version: _Optional[str] = ..., kind: _Optional[str] = ..., owners: _Optional[_Iterable[_Union[ResourceOwner, _Mapping]]] = ..., application: _Optional[_Union[ApplicationReference, _Mapping]] = ..., health: _Optional[_Union[_application_pb2.HealthState, _Mapping]] = ..., images: _Optional[_Iterable[str]] = ..., manifest_digest: _Optional[bytes] = ..., rollout: _Optional[_Union[Rollout, _Mapping]] = ..., replica_set: _Optional[_Union[ReplicaSet, _Mapping]] = ..., analysis_run: _Optional[_Union[AnalysisRun, _Mapping]] = ..., workflow: _Optional[_Union[Workflow, _Mapping]] = ..., event: _Optional[_Union[KubernetesEvent, _Mapping]] = ...) -> None: ...

class ResourceOwner(_message.Message):
    __slots__ = ("group", "kind", "name", "uid", "controller")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    CONTROLLER_FIELD_NUMBER: _ClassVar[int]
    group: str
    kind: str
    name: str
    uid: str
    controller: bool
    def __init__(self, group: _Optional[str] = ..., kind: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., controller: _Optional[bool] = ...) -> None: ...

class ApplicationReference(_message.Message):
    __slots__ = ("cluster", "namespace", "name")
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    cluster: str
    namespace: str
    name: str
    def __init__(self, cluster: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class Rollout(_message.Message):
    __slots__ = ("strategy", "phase", "message", "current_step", "step_count", "steps", "actual_weight", "desired_weight", "pause", "aborted", "stable_revision", "current_revision", "revisions", "desired_replicas", "ready_replicas", "available_replicas", "updated_replicas")
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CURRENT_STEP_FIELD_NUMBER: _ClassVar[int]
    STEP_COUNT_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    ACTUAL_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    DESIRED_WEIGHT_FIELD_NUMBER: _ClassVar[int]
    PAUSE_FIELD_NUMBER: _ClassVar[int]
    ABORTED_FIELD_NUMBER: _ClassVar[int]
    STABLE_REVISION_FIELD_NUMBER: _ClassVar[int]
    CURRENT_REVISION_FIELD_NUMBER: _ClassVar[int]
    REVISIONS_FIELD_NUMBER: _ClassVar[int]
    DESIRED_REPLICAS_FIELD_NUMBER: _ClassVar[int]
    READY_REPLICAS_FIELD_NUMBER: _ClassVar[int]
    AVAILABLE_REPLICAS_FIELD_NUMBER: _ClassVar[int]
    UPDATED_REPLICAS_FIELD_NUMBER: _ClassVar[int]
    strategy: RolloutStrategy
    phase: str
    message: str
    current_step: int
    step_count: int
    steps: _containers.RepeatedScalarFieldContainer[str]
    actual_weight: int
    desired_weight: int
    pause: RolloutPause
    aborted: bool
    stable_revision: str
    current_revision: str
    revisions: _containers.RepeatedCompositeFieldContainer[RolloutRevision]
    desired_replicas: int
    ready_replicas: int
    available_replicas: int
    updated_replicas: int
    def __init__(self, strategy: _Optional[_Union[RolloutStrategy, str]] = ..., phase: _Optional[str] = ..., message: _Optional[str] = ..., current_step: _Optional[int] = ..., step_count: _Optional[int] = ..., steps: _Optional[_Iterable[str]] = ..., actual_weight: _Optional[int] = ..., desired_weight: _Optional[int] = ..., pause: _Optional[_Union[RolloutPause, _Mapping]] = ..., aborted: _Optional[bool] = ..., stable_revision: _Optional[str] = ..., current_revision: _Optional[str] = ..., revisions: _Optional[_Iterable[_Union[RolloutRevision, _Mapping]]] = ..., desired_replicas: _Optional[int] = ..., ready_replicas: _Optional[int] = ..., available_replicas: _Optional[int] = ..., updated_replicas: _Optional[int] = ...) -> None: ...

class RolloutPause(_message.Message):
    __slots__ = ("since", "reason")
    SINCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    since: _timestamp_pb2.Timestamp
    reason: str
    def __init__(self, since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[str] = ...) -> None: ...

class RolloutRevision(_message.Message):
    __slots__ = ("number", "replica_set", "pod_template_hash", "images", "desired_replicas", "ready_replicas", "available_replicas", "roles", "analysis_runs")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    REPLICA_SET_FIELD_NUMBER: _ClassVar[int]
    POD_TEMPLATE_HASH_FIELD_NUMBER: _ClassVar[int]
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    DESIRED_REPLICAS_FIELD_NUMBER: _ClassVar[int]
    READY_REPLICAS_FIELD_NUMBER: _ClassVar[int]
    AVAILABLE_REPLICAS_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    ANALYSIS_RUNS_FIELD_NUMBER: _ClassVar[int]
    number: int
    replica_set: str
    pod_template_hash: str
    images: _containers.RepeatedScalarFieldContainer[str]
    desired_replicas: int
    ready_replicas: int
    available_replicas: int
    roles: _containers.RepeatedScalarFieldContainer[RolloutRole]
    analysis_runs: _containers.RepeatedCompositeFieldContainer[RolloutAnalysis]
    def __init__(self, number: _Optional[int] = ..., replica_set: _Optional[str] = ..., pod_template_hash: _Optional[str] = ..., images: _Optional[_Iterable[str]] = ..., desired_replicas: _Optional[int] = ..., ready_replicas: _Optional[int] = ..., available_replicas: _Optional[int] = ..., roles: _Optional[_Iterable[_Union[RolloutRole, str]]] = ..., analysis_runs: _Optional[_Iterable[_Union[RolloutAnalysis, _Mapping]]] = ...) -> None: ...

class RolloutAnalysis(_message.Message):
    __slots__ = ("name", "phase")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    name: str
    phase: str
    def __init__(self, name: _Optional[str] = ..., phase: _Optional[str] = ...) -> None: ...

class ReplicaSet(_message.Message):
    __slots__ = ("revision", "desired_replicas", "ready_replicas", "available_replicas")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    DESIRED_REPLICAS_FIELD_NUMBER: _ClassVar[int]
    READY_REPLICAS_FIELD_NUMBER: _ClassVar[int]
    AVAILABLE_REPLICAS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    desired_replicas: int
    ready_replicas: int
    available_replicas: int
    def __init__(self, revision: _Optional[int] = ..., desired_replicas: _Optional[int] = ..., ready_replicas: _Optional[int] = ..., available_replicas: _Optional[int] = ...) -> None: ...

class AnalysisRun(_message.Message):
    __slots__ = ("phase", "message", "started_at", "metrics")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    METRICS_FIELD_NUMBER: _ClassVar[int]
    phase: str
    message: str
    started_at: _timestamp_pb2.Timestamp
    metrics: _containers.RepeatedCompositeFieldContainer[AnalysisMetric]
    def __init__(self, phase: _Optional[str] = ..., message: _Optional[str] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., metrics: _Optional[_Iterable[_Union[AnalysisMetric, _Mapping]]] = ...) -> None: ...

class AnalysisMetric(_message.Message):
    __slots__ = ("name", "phase", "message", "successful", "failed", "inconclusive", "errors", "last_value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SUCCESSFUL_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    INCONCLUSIVE_FIELD_NUMBER: _ClassVar[int]
    ERRORS_FIELD_NUMBER: _ClassVar[int]
    LAST_VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    phase: str
    message: str
    successful: int
    failed: int
    inconclusive: int
    errors: int
    last_value: str
    def __init__(self, name: _Optional[str] = ..., phase: _Optional[str] = ..., message: _Optional[str] = ..., successful: _Optional[int] = ..., failed: _Optional[int] = ..., inconclusive: _Optional[int] = ..., errors: _Optional[int] = ..., last_value: _Optional[str] = ...) -> None: ...

class Workflow(_message.Message):
    __slots__ = ("phase", "message", "progress", "started_at", "finished_at", "template_reference", "nodes", "node_count")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    TEMPLATE_REFERENCE_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    NODE_COUNT_FIELD_NUMBER: _ClassVar[int]
    phase: str
    message: str
    progress: str
    started_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    template_reference: str
    nodes: _containers.RepeatedCompositeFieldContainer[WorkflowNode]
    node_count: int
    def __init__(self, phase: _Optional[str] = ..., message: _Optional[str] = ..., progress: _Optional[str] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., template_reference: _Optional[str] = ..., nodes: _Optional[_Iterable[_Union[WorkflowNode, _Mapping]]] = ..., node_count: _Optional[int] = ...) -> None: ...

class WorkflowNode(_message.Message):
    __slots__ = ("id", "name", "type", "phase", "message", "template", "children", "started_at", "finished_at")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    TEMPLATE_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    type: str
    phase: str
    message: str
    template: str
    children: _containers.RepeatedScalarFieldContainer[str]
    started_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ..., type: _Optional[str] = ..., phase: _Optional[str] = ..., message: _Optional[str] = ..., template: _Optional[str] = ..., children: _Optional[_Iterable[str]] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class KubernetesEvent(_message.Message):
    __slots__ = ("type", "reason", "message", "count", "first_seen", "last_seen", "reporting_component", "regarding")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEEN_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_FIELD_NUMBER: _ClassVar[int]
    REPORTING_COMPONENT_FIELD_NUMBER: _ClassVar[int]
    REGARDING_FIELD_NUMBER: _ClassVar[int]
    type: str
    reason: str
    message: str
    count: int
    first_seen: _timestamp_pb2.Timestamp
    last_seen: _timestamp_pb2.Timestamp
    reporting_component: str
    regarding: ObjectReference
    def __init__(self, type: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., count: _Optional[int] = ..., first_seen: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_seen: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reporting_component: _Optional[str] = ..., regarding: _Optional[_Union[ObjectReference, _Mapping]] = ...) -> None: ...

class ObjectReference(_message.Message):
    __slots__ = ("group", "kind", "namespace", "name", "uid")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    group: str
    kind: str
    namespace: str
    name: str
    uid: str
    def __init__(self, group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ...) -> None: ...
