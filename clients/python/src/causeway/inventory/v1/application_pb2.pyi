import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HydrationPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HYDRATION_PHASE_UNSPECIFIED: _ClassVar[HydrationPhase]
    HYDRATION_PHASE_HYDRATING: _ClassVar[HydrationPhase]
    HYDRATION_PHASE_FAILED: _ClassVar[HydrationPhase]
    HYDRATION_PHASE_HYDRATED: _ClassVar[HydrationPhase]

class ApplicationErrorType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    APPLICATION_ERROR_TYPE_UNSPECIFIED: _ClassVar[ApplicationErrorType]
    APPLICATION_ERROR_TYPE_SYNC: _ClassVar[ApplicationErrorType]
    APPLICATION_ERROR_TYPE_HEALTH: _ClassVar[ApplicationErrorType]

class ApplicationErrorLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    APPLICATION_ERROR_LEVEL_UNSPECIFIED: _ClassVar[ApplicationErrorLevel]
    APPLICATION_ERROR_LEVEL_WARNING: _ClassVar[ApplicationErrorLevel]
    APPLICATION_ERROR_LEVEL_ERROR: _ClassVar[ApplicationErrorLevel]

class Knowledge(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KNOWLEDGE_UNSPECIFIED: _ClassVar[Knowledge]
    KNOWLEDGE_KNOWN: _ClassVar[Knowledge]
    KNOWLEDGE_UNKNOWN: _ClassVar[Knowledge]

class SyncStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SYNC_STATUS_UNSPECIFIED: _ClassVar[SyncStatus]
    SYNC_STATUS_UNKNOWN: _ClassVar[SyncStatus]
    SYNC_STATUS_SYNCED: _ClassVar[SyncStatus]
    SYNC_STATUS_OUT_OF_SYNC: _ClassVar[SyncStatus]

class HealthStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEALTH_STATUS_UNSPECIFIED: _ClassVar[HealthStatus]
    HEALTH_STATUS_UNKNOWN: _ClassVar[HealthStatus]
    HEALTH_STATUS_PROGRESSING: _ClassVar[HealthStatus]
    HEALTH_STATUS_HEALTHY: _ClassVar[HealthStatus]
    HEALTH_STATUS_SUSPENDED: _ClassVar[HealthStatus]
    HEALTH_STATUS_DEGRADED: _ClassVar[HealthStatus]
    HEALTH_STATUS_MISSING: _ClassVar[HealthStatus]

class OperationPhase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OPERATION_PHASE_UNSPECIFIED: _ClassVar[OperationPhase]
    OPERATION_PHASE_RUNNING: _ClassVar[OperationPhase]
    OPERATION_PHASE_TERMINATING: _ClassVar[OperationPhase]
    OPERATION_PHASE_SUCCEEDED: _ClassVar[OperationPhase]
    OPERATION_PHASE_FAILED: _ClassVar[OperationPhase]
    OPERATION_PHASE_ERROR: _ClassVar[OperationPhase]
HYDRATION_PHASE_UNSPECIFIED: HydrationPhase
HYDRATION_PHASE_HYDRATING: HydrationPhase
HYDRATION_PHASE_FAILED: HydrationPhase
HYDRATION_PHASE_HYDRATED: HydrationPhase
APPLICATION_ERROR_TYPE_UNSPECIFIED: ApplicationErrorType
APPLICATION_ERROR_TYPE_SYNC: ApplicationErrorType
APPLICATION_ERROR_TYPE_HEALTH: ApplicationErrorType
APPLICATION_ERROR_LEVEL_UNSPECIFIED: ApplicationErrorLevel
APPLICATION_ERROR_LEVEL_WARNING: ApplicationErrorLevel
APPLICATION_ERROR_LEVEL_ERROR: ApplicationErrorLevel
KNOWLEDGE_UNSPECIFIED: Knowledge
KNOWLEDGE_KNOWN: Knowledge
KNOWLEDGE_UNKNOWN: Knowledge
SYNC_STATUS_UNSPECIFIED: SyncStatus
SYNC_STATUS_UNKNOWN: SyncStatus
SYNC_STATUS_SYNCED: SyncStatus
SYNC_STATUS_OUT_OF_SYNC: SyncStatus
HEALTH_STATUS_UNSPECIFIED: HealthStatus
HEALTH_STATUS_UNKNOWN: HealthStatus
HEALTH_STATUS_PROGRESSING: HealthStatus
HEALTH_STATUS_HEALTHY: HealthStatus
HEALTH_STATUS_SUSPENDED: HealthStatus
HEALTH_STATUS_DEGRADED: HealthStatus
HEALTH_STATUS_MISSING: HealthStatus
OPERATION_PHASE_UNSPECIFIED: OperationPhase
OPERATION_PHASE_RUNNING: OperationPhase
OPERATION_PHASE_TERMINATING: OperationPhase
OPERATION_PHASE_SUCCEEDED: OperationPhase
OPERATION_PHASE_FAILED: OperationPhase
OPERATION_PHASE_ERROR: OperationPhase

class Application(_message.Message):
    __slots__ = ("runtime", "cluster", "namespace", "name", "uid", "resource_version", "labels", "created_at", "spec", "status", "received_at", "deletion_requested_at", "stale_since")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_AT_FIELD_NUMBER: _ClassVar[int]
    DELETION_REQUESTED_AT_FIELD_NUMBER: _ClassVar[int]
    STALE_SINCE_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    cluster: str
    namespace: str
    name: str
    uid: str
    resource_version: int
    labels: _containers.ScalarMap[str, str]
    created_at: _timestamp_pb2.Timestamp
    spec: ApplicationSpec
    status: ApplicationStatus
    received_at: _timestamp_pb2.Timestamp
    deletion_requested_at: _timestamp_pb2.Timestamp
    stale_since: _timestamp_pb2.Timestamp
    def __init__(self, runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., resource_version: _Optional[int] = ..., labels: _Optional[_Mapping[str, str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., spec: _Optional[_Union[ApplicationSpec, _Mapping]] = ..., status: _Optional[_Union[ApplicationStatus, _Mapping]] = ..., received_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., deletion_requested_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., stale_since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ApplicationSpec(_message.Message):
    __slots__ = ("project", "sources", "destination", "sync_policy")
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    DESTINATION_FIELD_NUMBER: _ClassVar[int]
    SYNC_POLICY_FIELD_NUMBER: _ClassVar[int]
    project: str
    sources: _containers.RepeatedCompositeFieldContainer[ApplicationSource]
    destination: Destination
    sync_policy: SyncPolicy
    def __init__(self, project: _Optional[str] = ..., sources: _Optional[_Iterable[_Union[ApplicationSource, _Mapping]]] = ..., destination: _Optional[_Union[Destination, _Mapping]] = ..., sync_policy: _Optional[_Union[SyncPolicy, _Mapping]] = ...) -> None: ...

class ApplicationSource(_message.Message):
    __slots__ = ("repository_url", "target_revision", "path", "chart")
    REPOSITORY_URL_FIELD_NUMBER: _ClassVar[int]
    TARGET_REVISION_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    CHART_FIELD_NUMBER: _ClassVar[int]
    repository_url: str
    target_revision: str
    path: str
    chart: str
    def __init__(self, repository_url: _Optional[str] = ..., target_revision: _Optional[str] = ..., path: _Optional[str] = ..., chart: _Optional[str] = ...) -> None: ...

class Destination(_message.Message):
    __slots__ = ("server", "name", "namespace")
    SERVER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    server: str
    name: str
    namespace: str
    def __init__(self, server: _Optional[str] = ..., name: _Optional[str] = ..., namespace: _Optional[str] = ...) -> None: ...

class SyncPolicy(_message.Message):
    __slots__ = ("automated", "prune", "self_heal")
    AUTOMATED_FIELD_NUMBER: _ClassVar[int]
    PRUNE_FIELD_NUMBER: _ClassVar[int]
    SELF_HEAL_FIELD_NUMBER: _ClassVar[int]
    automated: bool
    prune: bool
    self_heal: bool
    def __init__(self, automated: _Optional[bool] = ..., prune: _Optional[bool] = ..., self_heal: _Optional[bool] = ...) -> None: ...

class ApplicationStatus(_message.Message):
    __slots__ = ("sync", "health", "operation", "commit", "history", "conditions", "resources", "images", "external_urls", "parent", "reconciled_at", "desired", "errors", "omissions", "chart", "sources", "hydration")
    SYNC_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_URLS_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    RECONCILED_AT_FIELD_NUMBER: _ClassVar[int]
    DESIRED_FIELD_NUMBER: _ClassVar[int]
    ERRORS_FIELD_NUMBER: _ClassVar[int]
    OMISSIONS_FIELD_NUMBER: _ClassVar[int]
    CHART_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    HYDRATION_FIELD_NUMBER: _ClassVar[int]
    sync: SyncState
    health: HealthState
    operation: Operation
    commit: Commit
    history: _containers.RepeatedCompositeFieldContainer[Deployment]
    conditions: _containers.RepeatedCompositeFieldContainer[Condition]
    resources: _containers.RepeatedCompositeFieldContainer[Resource]
    images: _containers.RepeatedScalarFieldContainer[str]
    external_urls: _containers.RepeatedScalarFieldContainer[str]
    parent: ApplicationParent
    reconciled_at: _timestamp_pb2.Timestamp
    desired: DesiredState
    errors: _containers.RepeatedCompositeFieldContainer[ApplicationError]
    omissions: _containers.RepeatedCompositeFieldContainer[Omission]
    chart: Chart
    sources: _containers.RepeatedCompositeFieldContainer[SourceState]
    hydration: Hydration
    def __init__(self, sync: _Optional[_Union[SyncState, _Mapping]] = ..., health: _Optional[_Union[HealthState, _Mapping]] = ..., operation: _Optional[_Union[Operation, _Mapping]] = ..., commit: _Optional[_Union[Commit, _Mapping]] = ..., history: _Optional[_Iterable[_Union[Deployment, _Mapping]]] = ..., conditions: _Optional[_Iterable[_Union[Condition, _Mapping]]] = ..., resources: _Optional[_Iterable[_Union[Resource, _Mapping]]] = ..., images: _Optional[_Iterable[str]] = ..., external_urls: _Optional[_Iterable[str]] = ..., parent: _Optional[_Union[ApplicationParent, _Mapping]] = ..., reconciled_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., desired: _Optional[_Union[DesiredState, _Mapping]] = ..., errors: _Optional[_Iterable[_Union[ApplicationError, _Mapping]]] = ..., omissions: _Optional[_Iterable[_Union[Omission, _Mapping]]] = ..., chart: _Optional[_Union[Chart, _Mapping]] = ..., sources: _Optional[_Iterable[_Union[SourceState, _Mapping]]] = ..., hydration: _Optional[_Union[Hydration, _Mapping]] = ...) -> None: ...

class Hydration(_message.Message):
    __slots__ = ("phase", "message", "dry_revision", "hydrated_revision", "started_at", "finished_at")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DRY_REVISION_FIELD_NUMBER: _ClassVar[int]
    HYDRATED_REVISION_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    phase: HydrationPhase
    message: str
    dry_revision: str
    hydrated_revision: str
    started_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    def __init__(self, phase: _Optional[_Union[HydrationPhase, str]] = ..., message: _Optional[str] = ..., dry_revision: _Optional[str] = ..., hydrated_revision: _Optional[str] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Omission(_message.Message):
    __slots__ = ("field", "total", "kept", "resource")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    KEPT_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    field: str
    total: int
    kept: int
    resource: ResourceName
    def __init__(self, field: _Optional[str] = ..., total: _Optional[int] = ..., kept: _Optional[int] = ..., resource: _Optional[_Union[ResourceName, _Mapping]] = ...) -> None: ...

class ApplicationError(_message.Message):
    __slots__ = ("type", "level", "message", "last_seen", "condition", "operation", "resource", "child")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_FIELD_NUMBER: _ClassVar[int]
    CONDITION_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    CHILD_FIELD_NUMBER: _ClassVar[int]
    type: ApplicationErrorType
    level: ApplicationErrorLevel
    message: str
    last_seen: _timestamp_pb2.Timestamp
    condition: str
    operation: OperationPhase
    resource: ResourceName
    child: ResourceName
    def __init__(self, type: _Optional[_Union[ApplicationErrorType, str]] = ..., level: _Optional[_Union[ApplicationErrorLevel, str]] = ..., message: _Optional[str] = ..., last_seen: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., condition: _Optional[str] = ..., operation: _Optional[_Union[OperationPhase, str]] = ..., resource: _Optional[_Union[ResourceName, _Mapping]] = ..., child: _Optional[_Union[ResourceName, _Mapping]] = ...) -> None: ...

class ResourceName(_message.Message):
    __slots__ = ("group", "version", "kind", "namespace", "name")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    group: str
    version: str
    kind: str
    namespace: str
    name: str
    def __init__(self, group: _Optional[str] = ..., version: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class ApplicationParent(_message.Message):
    __slots__ = ("namespace", "name")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    name: str
    def __init__(self, namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class DesiredState(_message.Message):
    __slots__ = ("knowledge", "reason")
    KNOWLEDGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    knowledge: Knowledge
    reason: str
    def __init__(self, knowledge: _Optional[_Union[Knowledge, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class SyncState(_message.Message):
    __slots__ = ("status", "revisions")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REVISIONS_FIELD_NUMBER: _ClassVar[int]
    status: SyncStatus
    revisions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, status: _Optional[_Union[SyncStatus, str]] = ..., revisions: _Optional[_Iterable[str]] = ...) -> None: ...

class HealthState(_message.Message):
    __slots__ = ("status", "message", "since")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    status: HealthStatus
    message: str
    since: _timestamp_pb2.Timestamp
    def __init__(self, status: _Optional[_Union[HealthStatus, str]] = ..., message: _Optional[str] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Operation(_message.Message):
    __slots__ = ("phase", "message", "revisions", "initiated_by", "automated", "started_at", "finished_at", "request_id", "retry_count", "resources", "dry_run")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REVISIONS_FIELD_NUMBER: _ClassVar[int]
    INITIATED_BY_FIELD_NUMBER: _ClassVar[int]
    AUTOMATED_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RETRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    phase: OperationPhase
    message: str
    revisions: _containers.RepeatedScalarFieldContainer[str]
    initiated_by: str
    automated: bool
    started_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    request_id: str
    retry_count: int
    resources: _containers.RepeatedCompositeFieldContainer[OperationResource]
    dry_run: bool
    def __init__(self, phase: _Optional[_Union[OperationPhase, str]] = ..., message: _Optional[str] = ..., revisions: _Optional[_Iterable[str]] = ..., initiated_by: _Optional[str] = ..., automated: _Optional[bool] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., request_id: _Optional[str] = ..., retry_count: _Optional[int] = ..., resources: _Optional[_Iterable[_Union[OperationResource, _Mapping]]] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class OperationRecord(_message.Message):
    __slots__ = ("started_at", "finished_at", "phase", "message", "revisions", "initiated_by", "automated", "request_id", "retry_count", "resources", "deployment_id", "commit")
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REVISIONS_FIELD_NUMBER: _ClassVar[int]
    INITIATED_BY_FIELD_NUMBER: _ClassVar[int]
    AUTOMATED_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RETRY_COUNT_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    DEPLOYMENT_ID_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    started_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    phase: OperationPhase
    message: str
    revisions: _containers.RepeatedScalarFieldContainer[str]
    initiated_by: str
    automated: bool
    request_id: str
    retry_count: int
    resources: OperationCounts
    deployment_id: int
    commit: Commit
    def __init__(self, started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., phase: _Optional[_Union[OperationPhase, str]] = ..., message: _Optional[str] = ..., revisions: _Optional[_Iterable[str]] = ..., initiated_by: _Optional[str] = ..., automated: _Optional[bool] = ..., request_id: _Optional[str] = ..., retry_count: _Optional[int] = ..., resources: _Optional[_Union[OperationCounts, _Mapping]] = ..., deployment_id: _Optional[int] = ..., commit: _Optional[_Union[Commit, _Mapping]] = ...) -> None: ...

class OperationCounts(_message.Message):
    __slots__ = ("synced", "failed", "pruned", "prune_skipped")
    SYNCED_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    PRUNED_FIELD_NUMBER: _ClassVar[int]
    PRUNE_SKIPPED_FIELD_NUMBER: _ClassVar[int]
    synced: int
    failed: int
    pruned: int
    prune_skipped: int
    def __init__(self, synced: _Optional[int] = ..., failed: _Optional[int] = ..., pruned: _Optional[int] = ..., prune_skipped: _Optional[int] = ...) -> None: ...

class OperationResource(_message.Message):
    __slots__ = ("group", "kind", "namespace", "name", "status", "message")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    group: str
    kind: str
    namespace: str
    name: str
    status: str
    message: str
    def __init__(self, group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., status: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class Commit(_message.Message):
    __slots__ = ("sha", "author", "message", "committed_at", "url", "avatar_url")
    SHA_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    COMMITTED_AT_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    AVATAR_URL_FIELD_NUMBER: _ClassVar[int]
    sha: str
    author: str
    message: str
    committed_at: _timestamp_pb2.Timestamp
    url: str
    avatar_url: str
    def __init__(self, sha: _Optional[str] = ..., author: _Optional[str] = ..., message: _Optional[str] = ..., committed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., url: _Optional[str] = ..., avatar_url: _Optional[str] = ...) -> None: ...

class Chart(_message.Message):
    __slots__ = ("name", "version", "app_version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    APP_VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    app_version: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., app_version: _Optional[str] = ...) -> None: ...

class SourceState(_message.Message):
    __slots__ = ("revision", "commit", "chart")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    CHART_FIELD_NUMBER: _ClassVar[int]
    revision: str
    commit: Commit
    chart: Chart
    def __init__(self, revision: _Optional[str] = ..., commit: _Optional[_Union[Commit, _Mapping]] = ..., chart: _Optional[_Union[Chart, _Mapping]] = ...) -> None: ...

class Deployment(_message.Message):
    __slots__ = ("id", "revisions", "started_at", "deployed_at", "initiated_by", "automated", "commit", "sources")
    ID_FIELD_NUMBER: _ClassVar[int]
    REVISIONS_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    DEPLOYED_AT_FIELD_NUMBER: _ClassVar[int]
    INITIATED_BY_FIELD_NUMBER: _ClassVar[int]
    AUTOMATED_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    id: int
    revisions: _containers.RepeatedScalarFieldContainer[str]
    started_at: _timestamp_pb2.Timestamp
    deployed_at: _timestamp_pb2.Timestamp
    initiated_by: str
    automated: bool
    commit: Commit
    sources: _containers.RepeatedCompositeFieldContainer[SourceState]
    def __init__(self, id: _Optional[int] = ..., revisions: _Optional[_Iterable[str]] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., deployed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., initiated_by: _Optional[str] = ..., automated: _Optional[bool] = ..., commit: _Optional[_Union[Commit, _Mapping]] = ..., sources: _Optional[_Iterable[_Union[SourceState, _Mapping]]] = ...) -> None: ...

class Condition(_message.Message):
    __slots__ = ("type", "message", "since")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    type: str
    message: str
    since: _timestamp_pb2.Timestamp
    def __init__(self, type: _Optional[str] = ..., message: _Optional[str] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class Resource(_message.Message):
    __slots__ = ("group", "version", "kind", "namespace", "name", "uid", "parent_uids", "sync", "health", "requires_pruning", "hook", "images", "live_digest", "desired_digest", "created_at", "info", "sync_wave", "hook_phase", "network")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    PARENT_UIDS_FIELD_NUMBER: _ClassVar[int]
    SYNC_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    REQUIRES_PRUNING_FIELD_NUMBER: _ClassVar[int]
    HOOK_FIELD_NUMBER: _ClassVar[int]
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    LIVE_DIGEST_FIELD_NUMBER: _ClassVar[int]
    DESIRED_DIGEST_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    INFO_FIELD_NUMBER: _ClassVar[int]
    SYNC_WAVE_FIELD_NUMBER: _ClassVar[int]
    HOOK_PHASE_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    group: str
    version: str
    kind: str
    namespace: str
    name: str
    uid: str
    parent_uids: _containers.RepeatedScalarFieldContainer[str]
    sync: SyncStatus
    health: HealthState
    requires_pruning: bool
    hook: bool
    images: _containers.RepeatedScalarFieldContainer[str]
    live_digest: bytes
    desired_digest: bytes
    created_at: _timestamp_pb2.Timestamp
    info: _containers.RepeatedCompositeFieldContainer[ResourceInfo]
    sync_wave: int
    hook_phase: OperationPhase
    network: ResourceNetwork
    def __init__(self, group: _Optional[str] = ..., version: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., parent_uids: _Optional[_Iterable[str]] = ..., sync: _Optional[_Union[SyncStatus, str]] = ..., health: _Optional[_Union[HealthState, _Mapping]] = ..., requires_pruning: _Optional[bool] = ..., hook: _Optional[bool] = ..., images: _Optional[_Iterable[str]] = ..., live_digest: _Optional[bytes] = ..., desired_digest: _Optional[bytes] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., info: _Optional[_Iterable[_Union[ResourceInfo, _Mapping]]] = ..., sync_wave: _Optional[int] = ..., hook_phase: _Optional[_Union[OperationPhase, str]] = ..., network: _Optional[_Union[ResourceNetwork, _Mapping]] = ...) -> None: ...

class ResourceInfo(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class ResourceNetwork(_message.Message):
    __slots__ = ("targets", "ingress", "external_urls")
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    INGRESS_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_URLS_FIELD_NUMBER: _ClassVar[int]
    targets: _containers.RepeatedCompositeFieldContainer[ResourceName]
    ingress: _containers.RepeatedScalarFieldContainer[str]
    external_urls: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, targets: _Optional[_Iterable[_Union[ResourceName, _Mapping]]] = ..., ingress: _Optional[_Iterable[str]] = ..., external_urls: _Optional[_Iterable[str]] = ...) -> None: ...
