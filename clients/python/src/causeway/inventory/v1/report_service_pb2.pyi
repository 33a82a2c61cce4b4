from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.error.v1 import reason_pb2 as _reason_pb2
from causeway.inventory.v1 import application_pb2 as _application_pb2
from causeway.inventory.v1 import resource_pb2 as _resource_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StoreContinuity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STORE_CONTINUITY_UNSPECIFIED: _ClassVar[StoreContinuity]
    STORE_CONTINUITY_CONTINUED: _ClassVar[StoreContinuity]
    STORE_CONTINUITY_RESTORED: _ClassVar[StoreContinuity]

class DeletionEvidence(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DELETION_EVIDENCE_UNSPECIFIED: _ClassVar[DeletionEvidence]
    DELETION_EVIDENCE_WATCHED: _ClassVar[DeletionEvidence]
    DELETION_EVIDENCE_LISTED: _ClassVar[DeletionEvidence]
STORE_CONTINUITY_UNSPECIFIED: StoreContinuity
STORE_CONTINUITY_CONTINUED: StoreContinuity
STORE_CONTINUITY_RESTORED: StoreContinuity
DELETION_EVIDENCE_UNSPECIFIED: DeletionEvidence
DELETION_EVIDENCE_WATCHED: DeletionEvidence
DELETION_EVIDENCE_LISTED: DeletionEvidence

class ReportRequest(_message.Message):
    __slots__ = ("hello", "report", "manifest", "heartbeat")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    REPORT_FIELD_NUMBER: _ClassVar[int]
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    report: Report
    manifest: Manifest
    heartbeat: Heartbeat
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., report: _Optional[_Union[Report, _Mapping]] = ..., manifest: _Optional[_Union[Manifest, _Mapping]] = ..., heartbeat: _Optional[_Union[Heartbeat, _Mapping]] = ...) -> None: ...

class ReportResponse(_message.Message):
    __slots__ = ("welcome", "held", "acknowledged", "rejected", "wanted", "members", "base_wanted")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    HELD_FIELD_NUMBER: _ClassVar[int]
    ACKNOWLEDGED_FIELD_NUMBER: _ClassVar[int]
    REJECTED_FIELD_NUMBER: _ClassVar[int]
    WANTED_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    BASE_WANTED_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    held: Held
    acknowledged: Acknowledged
    rejected: Rejected
    wanted: Wanted
    members: Members
    base_wanted: BaseWanted
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., held: _Optional[_Union[Held, _Mapping]] = ..., acknowledged: _Optional[_Union[Acknowledged, _Mapping]] = ..., rejected: _Optional[_Union[Rejected, _Mapping]] = ..., wanted: _Optional[_Union[Wanted, _Mapping]] = ..., members: _Optional[_Union[Members, _Mapping]] = ..., base_wanted: _Optional[_Union[BaseWanted, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("instance", "kind", "cluster", "namespaces", "store_identity", "continuity", "version", "heartbeat_ms")
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    NAMESPACES_FIELD_NUMBER: _ClassVar[int]
    STORE_IDENTITY_FIELD_NUMBER: _ClassVar[int]
    CONTINUITY_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    HEARTBEAT_MS_FIELD_NUMBER: _ClassVar[int]
    instance: str
    kind: str
    cluster: str
    namespaces: _containers.RepeatedScalarFieldContainer[str]
    store_identity: str
    continuity: StoreContinuity
    version: str
    heartbeat_ms: int
    def __init__(self, instance: _Optional[str] = ..., kind: _Optional[str] = ..., cluster: _Optional[str] = ..., namespaces: _Optional[_Iterable[str]] = ..., store_identity: _Optional[str] = ..., continuity: _Optional[_Union[StoreContinuity, str]] = ..., version: _Optional[str] = ..., heartbeat_ms: _Optional[int] = ...) -> None: ...

class Epoch(_message.Message):
    __slots__ = ("incarnation", "number")
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    incarnation: int
    number: int
    def __init__(self, incarnation: _Optional[int] = ..., number: _Optional[int] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("epoch", "window", "held_follows", "members", "window_bytes", "takes_deltas")
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    HELD_FOLLOWS_FIELD_NUMBER: _ClassVar[int]
    MEMBERS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_BYTES_FIELD_NUMBER: _ClassVar[int]
    TAKES_DELTAS_FIELD_NUMBER: _ClassVar[int]
    epoch: Epoch
    window: int
    held_follows: bool
    members: Members
    window_bytes: int
    takes_deltas: bool
    def __init__(self, epoch: _Optional[_Union[Epoch, _Mapping]] = ..., window: _Optional[int] = ..., held_follows: _Optional[bool] = ..., members: _Optional[_Union[Members, _Mapping]] = ..., window_bytes: _Optional[int] = ..., takes_deltas: _Optional[bool] = ...) -> None: ...

class Members(_message.Message):
    __slots__ = ("instances", "version")
    INSTANCES_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    instances: _containers.RepeatedScalarFieldContainer[str]
    version: int
    def __init__(self, instances: _Optional[_Iterable[str]] = ..., version: _Optional[int] = ...) -> None: ...

class Held(_message.Message):
    __slots__ = ("objects", "last")
    OBJECTS_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    objects: _containers.RepeatedCompositeFieldContainer[HeldObject]
    last: bool
    def __init__(self, objects: _Optional[_Iterable[_Union[HeldObject, _Mapping]]] = ..., last: _Optional[bool] = ...) -> None: ...

class HeldObject(_message.Message):
    __slots__ = ("namespace", "name", "uid", "resource_version", "root_digest")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    ROOT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    name: str
    uid: str
    resource_version: int
    root_digest: bytes
    def __init__(self, namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., resource_version: _Optional[int] = ..., root_digest: _Optional[bytes] = ...) -> None: ...

class Report(_message.Message):
    __slots__ = ("sequence", "namespace", "name", "uid", "resource_version", "application", "deleted", "resource", "delta", "traceparent", "operations", "operations_only")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    DELTA_FIELD_NUMBER: _ClassVar[int]
    TRACEPARENT_FIELD_NUMBER: _ClassVar[int]
    OPERATIONS_FIELD_NUMBER: _ClassVar[int]
    OPERATIONS_ONLY_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    namespace: str
    name: str
    uid: str
    resource_version: int
    application: ApplicationState
    deleted: Deleted
    resource: _resource_pb2.ResourceState
    delta: StateDelta
    traceparent: str
    operations: _containers.RepeatedCompositeFieldContainer[_application_pb2.OperationRecord]
    operations_only: bool
    def __init__(self, sequence: _Optional[int] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., resource_version: _Optional[int] = ..., application: _Optional[_Union[ApplicationState, _Mapping]] = ..., deleted: _Optional[_Union[Deleted, _Mapping]] = ..., resource: _Optional[_Union[_resource_pb2.ResourceState, _Mapping]] = ..., delta: _Optional[_Union[StateDelta, _Mapping]] = ..., traceparent: _Optional[str] = ..., operations: _Optional[_Iterable[_Union[_application_pb2.OperationRecord, _Mapping]]] = ..., operations_only: _Optional[bool] = ...) -> None: ...

class ApplicationState(_message.Message):
    __slots__ = ("root_digest", "labels", "created_at_ms", "deletion_requested_at_ms", "spec", "status")
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
    SPEC_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    root_digest: bytes
    labels: _containers.ScalarMap[str, str]
    created_at_ms: int
    deletion_requested_at_ms: int
    spec: _application_pb2.ApplicationSpec
    status: _application_pb2.ApplicationStatus
    def __init__(self, root_digest: _Optional[bytes] = ..., labels: _Optional[_Mapping[str, str]] = ..., created_at_ms: _Optional[int] = ..., deletion_requested_at_ms: _Optional[int] = ..., spec: _Optional[_Union[_application_pb2.ApplicationSpec, _Mapping]] = ..., status: _Optional[_Union[_application_pb2.ApplicationStatus, _Mapping]] = ...) -> None: ...

class StateDelta(_message.Message):
    __slots__ = ("base_root_digest", "root_digest", "patch", "manifests")
    BASE_ROOT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    ROOT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    PATCH_FIELD_NUMBER: _ClassVar[int]
    MANIFESTS_FIELD_NUMBER: _ClassVar[int]
    base_root_digest: bytes
    root_digest: bytes
    patch: bytes
    manifests: _containers.RepeatedCompositeFieldContainer[Manifest]
    def __init__(self, base_root_digest: _Optional[bytes] = ..., root_digest: _Optional[bytes] = ..., patch: _Optional[bytes] = ..., manifests: _Optional[_Iterable[_Union[Manifest, _Mapping]]] = ...) -> None: ...

class Deleted(_message.Message):
    __slots__ = ("evidence",)
    EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    evidence: DeletionEvidence
    def __init__(self, evidence: _Optional[_Union[DeletionEvidence, str]] = ...) -> None: ...

class Manifest(_message.Message):
    __slots__ = ("digest", "content", "packed")
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    PACKED_FIELD_NUMBER: _ClassVar[int]
    digest: bytes
    content: bytes
    packed: bytes
    def __init__(self, digest: _Optional[bytes] = ..., content: _Optional[bytes] = ..., packed: _Optional[bytes] = ...) -> None: ...

class Heartbeat(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Acknowledged(_message.Message):
    __slots__ = ("sequences",)
    SEQUENCES_FIELD_NUMBER: _ClassVar[int]
    sequences: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, sequences: _Optional[_Iterable[int]] = ...) -> None: ...

class Rejected(_message.Message):
    __slots__ = ("sequence", "reason", "code", "field")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    reason: str
    code: _reason_pb2.Reason
    field: str
    def __init__(self, sequence: _Optional[int] = ..., reason: _Optional[str] = ..., code: _Optional[_Union[_reason_pb2.Reason, str]] = ..., field: _Optional[str] = ...) -> None: ...

class Wanted(_message.Message):
    __slots__ = ("sequence", "digests")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    DIGESTS_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    digests: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, sequence: _Optional[int] = ..., digests: _Optional[_Iterable[bytes]] = ...) -> None: ...

class BaseWanted(_message.Message):
    __slots__ = ("sequence",)
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    def __init__(self, sequence: _Optional[int] = ...) -> None: ...
