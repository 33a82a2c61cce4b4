from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.inventory.v1 import application_pb2 as _application_pb2
from causeway.inventory.v1 import application_service_pb2 as _application_service_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WatchViewsRequest(_message.Message):
    __slots__ = ("views",)
    VIEWS_FIELD_NUMBER: _ClassVar[int]
    views: _containers.RepeatedCompositeFieldContainer[View]
    def __init__(self, views: _Optional[_Iterable[_Union[View, _Mapping]]] = ...) -> None: ...

class View(_message.Message):
    __slots__ = ("id", "filter", "view", "cursor", "facets")
    ID_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    FACETS_FIELD_NUMBER: _ClassVar[int]
    id: str
    filter: _application_service_pb2.ApplicationFilter
    view: _application_service_pb2.ApplicationView
    cursor: str
    facets: _containers.RepeatedScalarFieldContainer[_application_service_pb2.ApplicationField]
    def __init__(self, id: _Optional[str] = ..., filter: _Optional[_Union[_application_service_pb2.ApplicationFilter, _Mapping]] = ..., view: _Optional[_Union[_application_service_pb2.ApplicationView, str]] = ..., cursor: _Optional[str] = ..., facets: _Optional[_Iterable[_Union[_application_service_pb2.ApplicationField, str]]] = ...) -> None: ...

class WatchViewsResponse(_message.Message):
    __slots__ = ("id", "changes", "total", "facets", "cursor")
    ID_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    FACETS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    id: str
    changes: _containers.RepeatedCompositeFieldContainer[ViewChange]
    total: int
    facets: _containers.RepeatedCompositeFieldContainer[_application_service_pb2.ApplicationFacet]
    cursor: str
    def __init__(self, id: _Optional[str] = ..., changes: _Optional[_Iterable[_Union[ViewChange, _Mapping]]] = ..., total: _Optional[int] = ..., facets: _Optional[_Iterable[_Union[_application_service_pb2.ApplicationFacet, _Mapping]]] = ..., cursor: _Optional[str] = ...) -> None: ...

class ViewChange(_message.Message):
    __slots__ = ("updated", "deleted")
    UPDATED_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    updated: _application_pb2.Application
    deleted: _application_service_pb2.ApplicationDeleted
    def __init__(self, updated: _Optional[_Union[_application_pb2.Application, _Mapping]] = ..., deleted: _Optional[_Union[_application_service_pb2.ApplicationDeleted, _Mapping]] = ...) -> None: ...
