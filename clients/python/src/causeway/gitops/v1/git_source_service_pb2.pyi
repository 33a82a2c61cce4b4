import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GitSourceKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GIT_SOURCE_KIND_UNSPECIFIED: _ClassVar[GitSourceKind]
    GIT_SOURCE_KIND_APPLICATION: _ClassVar[GitSourceKind]
    GIT_SOURCE_KIND_RESTRICTED: _ClassVar[GitSourceKind]
GIT_SOURCE_KIND_UNSPECIFIED: GitSourceKind
GIT_SOURCE_KIND_APPLICATION: GitSourceKind
GIT_SOURCE_KIND_RESTRICTED: GitSourceKind

class GitSource(_message.Message):
    __slots__ = ("name", "namespace", "kind", "spec", "project", "conditions", "created_at", "deleting")
    NAME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    DELETING_FIELD_NUMBER: _ClassVar[int]
    name: str
    namespace: str
    kind: GitSourceKind
    spec: GitSourceSpec
    project: str
    conditions: _containers.RepeatedCompositeFieldContainer[GitSourceCondition]
    created_at: _timestamp_pb2.Timestamp
    deleting: bool
    def __init__(self, name: _Optional[str] = ..., namespace: _Optional[str] = ..., kind: _Optional[_Union[GitSourceKind, str]] = ..., spec: _Optional[_Union[GitSourceSpec, _Mapping]] = ..., project: _Optional[str] = ..., conditions: _Optional[_Iterable[_Union[GitSourceCondition, _Mapping]]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., deleting: _Optional[bool] = ...) -> None: ...

class GitSourceSpec(_message.Message):
    __slots__ = ("repository", "path", "revision", "recurse", "source_namespace", "destinations", "allowed_repositories", "allowed_cluster_kinds", "allowed_kinds", "denied_kinds")
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RECURSE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    DESTINATIONS_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_REPOSITORIES_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_CLUSTER_KINDS_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_KINDS_FIELD_NUMBER: _ClassVar[int]
    DENIED_KINDS_FIELD_NUMBER: _ClassVar[int]
    repository: str
    path: str
    revision: str
    recurse: bool
    source_namespace: str
    destinations: _containers.RepeatedCompositeFieldContainer[GitSourceDestination]
    allowed_repositories: _containers.RepeatedScalarFieldContainer[str]
    allowed_cluster_kinds: _containers.RepeatedCompositeFieldContainer[GitSourceResourceKind]
    allowed_kinds: _containers.RepeatedCompositeFieldContainer[GitSourceResourceKind]
    denied_kinds: _containers.RepeatedCompositeFieldContainer[GitSourceResourceKind]
    def __init__(self, repository: _Optional[str] = ..., path: _Optional[str] = ..., revision: _Optional[str] = ..., recurse: _Optional[bool] = ..., source_namespace: _Optional[str] = ..., destinations: _Optional[_Iterable[_Union[GitSourceDestination, _Mapping]]] = ..., allowed_repositories: _Optional[_Iterable[str]] = ..., allowed_cluster_kinds: _Optional[_Iterable[_Union[GitSourceResourceKind, _Mapping]]] = ..., allowed_kinds: _Optional[_Iterable[_Union[GitSourceResourceKind, _Mapping]]] = ..., denied_kinds: _Optional[_Iterable[_Union[GitSourceResourceKind, _Mapping]]] = ...) -> None: ...

class GitSourceDestination(_message.Message):
    __slots__ = ("server", "name", "namespace")
    SERVER_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    server: str
    name: str
    namespace: str
    def __init__(self, server: _Optional[str] = ..., name: _Optional[str] = ..., namespace: _Optional[str] = ...) -> None: ...

class GitSourceResourceKind(_message.Message):
    __slots__ = ("group", "kind")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    group: str
    kind: str
    def __init__(self, group: _Optional[str] = ..., kind: _Optional[str] = ...) -> None: ...

class GitSourceCondition(_message.Message):
    __slots__ = ("type", "holds", "reason", "message")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    HOLDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    type: str
    holds: bool
    reason: str
    message: str
    def __init__(self, type: _Optional[str] = ..., holds: _Optional[bool] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class ListGitSourcesRequest(_message.Message):
    __slots__ = ("runtime",)
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    def __init__(self, runtime: _Optional[str] = ...) -> None: ...

class ListGitSourcesResponse(_message.Message):
    __slots__ = ("git_sources",)
    GIT_SOURCES_FIELD_NUMBER: _ClassVar[int]
    git_sources: _containers.RepeatedCompositeFieldContainer[GitSource]
    def __init__(self, git_sources: _Optional[_Iterable[_Union[GitSource, _Mapping]]] = ...) -> None: ...

class GetGitSourceRequest(_message.Message):
    __slots__ = ("runtime", "name")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    name: str
    def __init__(self, runtime: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class GetGitSourceResponse(_message.Message):
    __slots__ = ("git_source",)
    GIT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    git_source: GitSource
    def __init__(self, git_source: _Optional[_Union[GitSource, _Mapping]] = ...) -> None: ...

class CreateGitSourceRequest(_message.Message):
    __slots__ = ("runtime", "name", "request_id", "spec", "update", "dry_run")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SPEC_FIELD_NUMBER: _ClassVar[int]
    UPDATE_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    name: str
    request_id: str
    spec: GitSourceSpec
    update: bool
    dry_run: bool
    def __init__(self, runtime: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., spec: _Optional[_Union[GitSourceSpec, _Mapping]] = ..., update: _Optional[bool] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class CreateGitSourceResponse(_message.Message):
    __slots__ = ("git_source", "request_id", "repeated_request", "manifests")
    GIT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    MANIFESTS_FIELD_NUMBER: _ClassVar[int]
    git_source: GitSource
    request_id: str
    repeated_request: bool
    manifests: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, git_source: _Optional[_Union[GitSource, _Mapping]] = ..., request_id: _Optional[str] = ..., repeated_request: _Optional[bool] = ..., manifests: _Optional[_Iterable[str]] = ...) -> None: ...

class DeleteGitSourceRequest(_message.Message):
    __slots__ = ("runtime", "name", "request_id")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    name: str
    request_id: str
    def __init__(self, runtime: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteGitSourceResponse(_message.Message):
    __slots__ = ("request_id",)
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    def __init__(self, request_id: _Optional[str] = ...) -> None: ...
