import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SyncStrategy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SYNC_STRATEGY_UNSPECIFIED: _ClassVar[SyncStrategy]
    SYNC_STRATEGY_APPLY: _ClassVar[SyncStrategy]
    SYNC_STRATEGY_HOOK: _ClassVar[SyncStrategy]

class RefreshKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REFRESH_KIND_UNSPECIFIED: _ClassVar[RefreshKind]
    REFRESH_KIND_NORMAL: _ClassVar[RefreshKind]
    REFRESH_KIND_HARD: _ClassVar[RefreshKind]

class DeletionCascade(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DELETION_CASCADE_UNSPECIFIED: _ClassVar[DeletionCascade]
    DELETION_CASCADE_FOREGROUND: _ClassVar[DeletionCascade]
    DELETION_CASCADE_BACKGROUND: _ClassVar[DeletionCascade]
    DELETION_CASCADE_ORPHAN: _ClassVar[DeletionCascade]

class AutomatedSync(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AUTOMATED_SYNC_UNSPECIFIED: _ClassVar[AutomatedSync]
    AUTOMATED_SYNC_ENABLED: _ClassVar[AutomatedSync]
    AUTOMATED_SYNC_DISABLED: _ClassVar[AutomatedSync]
SYNC_STRATEGY_UNSPECIFIED: SyncStrategy
SYNC_STRATEGY_APPLY: SyncStrategy
SYNC_STRATEGY_HOOK: SyncStrategy
REFRESH_KIND_UNSPECIFIED: RefreshKind
REFRESH_KIND_NORMAL: RefreshKind
REFRESH_KIND_HARD: RefreshKind
DELETION_CASCADE_UNSPECIFIED: DeletionCascade
DELETION_CASCADE_FOREGROUND: DeletionCascade
DELETION_CASCADE_BACKGROUND: DeletionCascade
DELETION_CASCADE_ORPHAN: DeletionCascade
AUTOMATED_SYNC_UNSPECIFIED: AutomatedSync
AUTOMATED_SYNC_ENABLED: AutomatedSync
AUTOMATED_SYNC_DISABLED: AutomatedSync

class SyncApplicationRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "revision", "prune", "dry_run", "resources", "strategy", "force", "sync_options", "retry", "source_revisions", "infos")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    PRUNE_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    STRATEGY_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    SYNC_OPTIONS_FIELD_NUMBER: _ClassVar[int]
    RETRY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_REVISIONS_FIELD_NUMBER: _ClassVar[int]
    INFOS_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    revision: str
    prune: bool
    dry_run: bool
    resources: _containers.RepeatedCompositeFieldContainer[ResourceSelector]
    strategy: SyncStrategy
    force: bool
    sync_options: _containers.RepeatedScalarFieldContainer[str]
    retry: RetryStrategy
    source_revisions: _containers.RepeatedCompositeFieldContainer[SourceRevision]
    infos: _containers.RepeatedCompositeFieldContainer[OperationInfo]
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., revision: _Optional[str] = ..., prune: _Optional[bool] = ..., dry_run: _Optional[bool] = ..., resources: _Optional[_Iterable[_Union[ResourceSelector, _Mapping]]] = ..., strategy: _Optional[_Union[SyncStrategy, str]] = ..., force: _Optional[bool] = ..., sync_options: _Optional[_Iterable[str]] = ..., retry: _Optional[_Union[RetryStrategy, _Mapping]] = ..., source_revisions: _Optional[_Iterable[_Union[SourceRevision, _Mapping]]] = ..., infos: _Optional[_Iterable[_Union[OperationInfo, _Mapping]]] = ...) -> None: ...

class ResourceSelector(_message.Message):
    __slots__ = ("group", "kind", "namespace", "name", "exclude")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_FIELD_NUMBER: _ClassVar[int]
    group: str
    kind: str
    namespace: str
    name: str
    exclude: bool
    def __init__(self, group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., exclude: _Optional[bool] = ...) -> None: ...

class RetryStrategy(_message.Message):
    __slots__ = ("limit", "backoff", "factor", "max_backoff", "refresh")
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    BACKOFF_FIELD_NUMBER: _ClassVar[int]
    FACTOR_FIELD_NUMBER: _ClassVar[int]
    MAX_BACKOFF_FIELD_NUMBER: _ClassVar[int]
    REFRESH_FIELD_NUMBER: _ClassVar[int]
    limit: int
    backoff: _duration_pb2.Duration
    factor: int
    max_backoff: _duration_pb2.Duration
    refresh: bool
    def __init__(self, limit: _Optional[int] = ..., backoff: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., factor: _Optional[int] = ..., max_backoff: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., refresh: _Optional[bool] = ...) -> None: ...

class SourceRevision(_message.Message):
    __slots__ = ("position", "revision")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    position: int
    revision: str
    def __init__(self, position: _Optional[int] = ..., revision: _Optional[str] = ...) -> None: ...

class OperationInfo(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class SyncApplicationResponse(_message.Message):
    __slots__ = ("request_id", "repeated_request", "resource_version", "accepted_at")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_AT_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    repeated_request: bool
    resource_version: int
    accepted_at: _timestamp_pb2.Timestamp
    def __init__(self, request_id: _Optional[str] = ..., repeated_request: _Optional[bool] = ..., resource_version: _Optional[int] = ..., accepted_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RefreshApplicationRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "kind")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    kind: RefreshKind
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., kind: _Optional[_Union[RefreshKind, str]] = ...) -> None: ...

class RefreshApplicationResponse(_message.Message):
    __slots__ = ("resource_version", "request_id", "repeated_request", "accepted_at")
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_AT_FIELD_NUMBER: _ClassVar[int]
    resource_version: int
    request_id: str
    repeated_request: bool
    accepted_at: _timestamp_pb2.Timestamp
    def __init__(self, resource_version: _Optional[int] = ..., request_id: _Optional[str] = ..., repeated_request: _Optional[bool] = ..., accepted_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class TerminateOperationRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class TerminateOperationResponse(_message.Message):
    __slots__ = ("request_id", "repeated_request", "resource_version", "accepted_at")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_AT_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    repeated_request: bool
    resource_version: int
    accepted_at: _timestamp_pb2.Timestamp
    def __init__(self, request_id: _Optional[str] = ..., repeated_request: _Optional[bool] = ..., resource_version: _Optional[int] = ..., accepted_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RollbackApplicationRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "history_id", "prune", "dry_run")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    HISTORY_ID_FIELD_NUMBER: _ClassVar[int]
    PRUNE_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    history_id: int
    prune: bool
    dry_run: bool
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., history_id: _Optional[int] = ..., prune: _Optional[bool] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class RollbackApplicationResponse(_message.Message):
    __slots__ = ("request_id", "repeated_request", "resource_version", "accepted_at")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_AT_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    repeated_request: bool
    resource_version: int
    accepted_at: _timestamp_pb2.Timestamp
    def __init__(self, request_id: _Optional[str] = ..., repeated_request: _Optional[bool] = ..., resource_version: _Optional[int] = ..., accepted_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class DeleteApplicationRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "cascade", "uid")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CASCADE_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    cascade: DeletionCascade
    uid: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., cascade: _Optional[_Union[DeletionCascade, str]] = ..., uid: _Optional[str] = ...) -> None: ...

class DeleteApplicationResponse(_message.Message):
    __slots__ = ("request_id", "repeated_request", "uid", "accepted_at")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_AT_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    repeated_request: bool
    uid: str
    accepted_at: _timestamp_pb2.Timestamp
    def __init__(self, request_id: _Optional[str] = ..., repeated_request: _Optional[bool] = ..., uid: _Optional[str] = ..., accepted_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetLiveApplicationRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class GetLiveApplicationResponse(_message.Message):
    __slots__ = ("manifest", "resource_version")
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    manifest: bytes
    resource_version: int
    def __init__(self, manifest: _Optional[bytes] = ..., resource_version: _Optional[int] = ...) -> None: ...

class SetApplicationSourceRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "source_position", "target_revision", "helm_parameters", "removed_helm_parameters", "helm_value_files", "kustomize_images", "removed_kustomize_images", "directory_recurse", "directory_include", "directory_exclude", "force", "dry_run", "automated_sync", "auto_prune", "self_heal")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_POSITION_FIELD_NUMBER: _ClassVar[int]
    TARGET_REVISION_FIELD_NUMBER: _ClassVar[int]
    HELM_PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    REMOVED_HELM_PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    HELM_VALUE_FILES_FIELD_NUMBER: _ClassVar[int]
    KUSTOMIZE_IMAGES_FIELD_NUMBER: _ClassVar[int]
    REMOVED_KUSTOMIZE_IMAGES_FIELD_NUMBER: _ClassVar[int]
    DIRECTORY_RECURSE_FIELD_NUMBER: _ClassVar[int]
    DIRECTORY_INCLUDE_FIELD_NUMBER: _ClassVar[int]
    DIRECTORY_EXCLUDE_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    AUTOMATED_SYNC_FIELD_NUMBER: _ClassVar[int]
    AUTO_PRUNE_FIELD_NUMBER: _ClassVar[int]
    SELF_HEAL_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    source_position: int
    target_revision: str
    helm_parameters: _containers.RepeatedCompositeFieldContainer[HelmParameter]
    removed_helm_parameters: _containers.RepeatedScalarFieldContainer[str]
    helm_value_files: _containers.RepeatedScalarFieldContainer[str]
    kustomize_images: _containers.RepeatedScalarFieldContainer[str]
    removed_kustomize_images: _containers.RepeatedScalarFieldContainer[str]
    directory_recurse: bool
    directory_include: str
    directory_exclude: str
    force: bool
    dry_run: bool
    automated_sync: AutomatedSync
    auto_prune: bool
    self_heal: bool
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., source_position: _Optional[int] = ..., target_revision: _Optional[str] = ..., helm_parameters: _Optional[_Iterable[_Union[HelmParameter, _Mapping]]] = ..., removed_helm_parameters: _Optional[_Iterable[str]] = ..., helm_value_files: _Optional[_Iterable[str]] = ..., kustomize_images: _Optional[_Iterable[str]] = ..., removed_kustomize_images: _Optional[_Iterable[str]] = ..., directory_recurse: _Optional[bool] = ..., directory_include: _Optional[str] = ..., directory_exclude: _Optional[str] = ..., force: _Optional[bool] = ..., dry_run: _Optional[bool] = ..., automated_sync: _Optional[_Union[AutomatedSync, str]] = ..., auto_prune: _Optional[bool] = ..., self_heal: _Optional[bool] = ...) -> None: ...

class HelmParameter(_message.Message):
    __slots__ = ("name", "value", "force_string")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    FORCE_STRING_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    force_string: bool
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ..., force_string: _Optional[bool] = ...) -> None: ...

class SetApplicationSourceResponse(_message.Message):
    __slots__ = ("request_id", "repeated_request", "resource_version", "accepted_at", "changed_fields")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_AT_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELDS_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    repeated_request: bool
    resource_version: int
    accepted_at: _timestamp_pb2.Timestamp
    changed_fields: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, request_id: _Optional[str] = ..., repeated_request: _Optional[bool] = ..., resource_version: _Optional[int] = ..., accepted_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., changed_fields: _Optional[_Iterable[str]] = ...) -> None: ...
