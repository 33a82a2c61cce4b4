import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetPreferencesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetPreferencesResponse(_message.Message):
    __slots__ = ("content", "version")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    content: str
    version: int
    def __init__(self, content: _Optional[str] = ..., version: _Optional[int] = ...) -> None: ...

class SetPreferencesRequest(_message.Message):
    __slots__ = ("content", "version", "request_id")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    content: str
    version: int
    request_id: str
    def __init__(self, content: _Optional[str] = ..., version: _Optional[int] = ..., request_id: _Optional[str] = ...) -> None: ...

class SetPreferencesResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: int
    def __init__(self, version: _Optional[int] = ...) -> None: ...

class SavedView(_message.Message):
    __slots__ = ("name", "query", "page", "roles", "owner", "updated_at")
    NAME_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    name: str
    query: str
    page: str
    roles: _containers.RepeatedScalarFieldContainer[str]
    owner: str
    updated_at: _timestamp_pb2.Timestamp
    def __init__(self, name: _Optional[str] = ..., query: _Optional[str] = ..., page: _Optional[str] = ..., roles: _Optional[_Iterable[str]] = ..., owner: _Optional[str] = ..., updated_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ListSavedViewsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSavedViewsResponse(_message.Message):
    __slots__ = ("views", "next_page_token")
    VIEWS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    views: _containers.RepeatedCompositeFieldContainer[SavedView]
    next_page_token: str
    def __init__(self, views: _Optional[_Iterable[_Union[SavedView, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class SaveViewRequest(_message.Message):
    __slots__ = ("name", "query", "page", "roles", "request_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    QUERY_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    query: str
    page: str
    roles: _containers.RepeatedScalarFieldContainer[str]
    request_id: str
    def __init__(self, name: _Optional[str] = ..., query: _Optional[str] = ..., page: _Optional[str] = ..., roles: _Optional[_Iterable[str]] = ..., request_id: _Optional[str] = ...) -> None: ...

class SaveViewResponse(_message.Message):
    __slots__ = ("view",)
    VIEW_FIELD_NUMBER: _ClassVar[int]
    view: SavedView
    def __init__(self, view: _Optional[_Union[SavedView, _Mapping]] = ...) -> None: ...

class DeleteSavedViewRequest(_message.Message):
    __slots__ = ("name", "request_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    request_id: str
    def __init__(self, name: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteSavedViewResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
