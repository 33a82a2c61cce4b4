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

class Health(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HEALTH_UNSPECIFIED: _ClassVar[Health]
    HEALTH_SERVING: _ClassVar[Health]
    HEALTH_NOT_SERVING: _ClassVar[Health]
    HEALTH_LOST: _ClassVar[Health]
HEALTH_UNSPECIFIED: Health
HEALTH_SERVING: Health
HEALTH_NOT_SERVING: Health
HEALTH_LOST: Health

class AnnounceRequest(_message.Message):
    __slots__ = ("part", "instance", "version", "health", "pending", "leaving", "notices", "allowed_actions")
    PART_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    LEAVING_FIELD_NUMBER: _ClassVar[int]
    NOTICES_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    part: str
    instance: str
    version: str
    health: Health
    pending: _containers.RepeatedScalarFieldContainer[str]
    leaving: bool
    notices: _containers.RepeatedScalarFieldContainer[str]
    allowed_actions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, part: _Optional[str] = ..., instance: _Optional[str] = ..., version: _Optional[str] = ..., health: _Optional[_Union[Health, str]] = ..., pending: _Optional[_Iterable[str]] = ..., leaving: _Optional[bool] = ..., notices: _Optional[_Iterable[str]] = ..., allowed_actions: _Optional[_Iterable[str]] = ...) -> None: ...

class AnnounceResponse(_message.Message):
    __slots__ = ("interval_seconds",)
    INTERVAL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    interval_seconds: int
    def __init__(self, interval_seconds: _Optional[int] = ...) -> None: ...

class ListPartsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListPartsResponse(_message.Message):
    __slots__ = ("parts", "next_page_token")
    PARTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    parts: _containers.RepeatedCompositeFieldContainer[PartStatus]
    next_page_token: str
    def __init__(self, parts: _Optional[_Iterable[_Union[PartStatus, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class PartStatus(_message.Message):
    __slots__ = ("part", "side", "runtime", "instance", "version", "health", "pending", "last_seen_at", "notices")
    PART_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_AT_FIELD_NUMBER: _ClassVar[int]
    NOTICES_FIELD_NUMBER: _ClassVar[int]
    part: str
    side: _access_pb2.Side
    runtime: str
    instance: str
    version: str
    health: Health
    pending: _containers.RepeatedScalarFieldContainer[str]
    last_seen_at: _timestamp_pb2.Timestamp
    notices: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, part: _Optional[str] = ..., side: _Optional[_Union[_access_pb2.Side, str]] = ..., runtime: _Optional[str] = ..., instance: _Optional[str] = ..., version: _Optional[str] = ..., health: _Optional[_Union[Health, str]] = ..., pending: _Optional[_Iterable[str]] = ..., last_seen_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., notices: _Optional[_Iterable[str]] = ...) -> None: ...
