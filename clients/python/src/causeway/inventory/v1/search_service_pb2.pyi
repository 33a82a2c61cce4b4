from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.inventory.v1 import application_pb2 as _application_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SearchKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEARCH_KIND_UNSPECIFIED: _ClassVar[SearchKind]
    SEARCH_KIND_APPLICATION: _ClassVar[SearchKind]
    SEARCH_KIND_RUNTIME: _ClassVar[SearchKind]
    SEARCH_KIND_CLUSTER: _ClassVar[SearchKind]
    SEARCH_KIND_RESOURCE: _ClassVar[SearchKind]
    SEARCH_KIND_IMAGE: _ClassVar[SearchKind]
    SEARCH_KIND_COMMIT: _ClassVar[SearchKind]
SEARCH_KIND_UNSPECIFIED: SearchKind
SEARCH_KIND_APPLICATION: SearchKind
SEARCH_KIND_RUNTIME: SearchKind
SEARCH_KIND_CLUSTER: SearchKind
SEARCH_KIND_RESOURCE: SearchKind
SEARCH_KIND_IMAGE: SearchKind
SEARCH_KIND_COMMIT: SearchKind

class SearchRequest(_message.Message):
    __slots__ = ("text", "kinds", "most_results")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    MOST_RESULTS_FIELD_NUMBER: _ClassVar[int]
    text: str
    kinds: _containers.RepeatedScalarFieldContainer[SearchKind]
    most_results: int
    def __init__(self, text: _Optional[str] = ..., kinds: _Optional[_Iterable[_Union[SearchKind, str]]] = ..., most_results: _Optional[int] = ...) -> None: ...

class SearchResponse(_message.Message):
    __slots__ = ("results", "more")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[SearchResult]
    more: _containers.RepeatedScalarFieldContainer[SearchKind]
    def __init__(self, results: _Optional[_Iterable[_Union[SearchResult, _Mapping]]] = ..., more: _Optional[_Iterable[_Union[SearchKind, str]]] = ...) -> None: ...

class SearchResult(_message.Message):
    __slots__ = ("kind", "runtime", "cluster", "namespace", "name", "resource", "detail", "application", "health")
    KIND_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    kind: SearchKind
    runtime: str
    cluster: str
    namespace: str
    name: str
    resource: str
    detail: str
    application: str
    health: _application_pb2.HealthStatus
    def __init__(self, kind: _Optional[_Union[SearchKind, str]] = ..., runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., resource: _Optional[str] = ..., detail: _Optional[str] = ..., application: _Optional[str] = ..., health: _Optional[_Union[_application_pb2.HealthStatus, str]] = ...) -> None: ...
