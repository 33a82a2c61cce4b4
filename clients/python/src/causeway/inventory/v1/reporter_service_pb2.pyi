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

class ReporterMoveKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REPORTER_MOVE_KIND_UNSPECIFIED: _ClassVar[ReporterMoveKind]
    REPORTER_MOVE_KIND_JOINED: _ClassVar[ReporterMoveKind]
    REPORTER_MOVE_KIND_LEFT: _ClassVar[ReporterMoveKind]
    REPORTER_MOVE_KIND_LOST: _ClassVar[ReporterMoveKind]
REPORTER_MOVE_KIND_UNSPECIFIED: ReporterMoveKind
REPORTER_MOVE_KIND_JOINED: ReporterMoveKind
REPORTER_MOVE_KIND_LEFT: ReporterMoveKind
REPORTER_MOVE_KIND_LOST: ReporterMoveKind

class ListReportersRequest(_message.Message):
    __slots__ = ("runtime", "page_size", "page_token")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    page_size: int
    page_token: str
    def __init__(self, runtime: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListReportersResponse(_message.Message):
    __slots__ = ("groups", "next_page_token")
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    groups: _containers.RepeatedCompositeFieldContainer[ReporterGroup]
    next_page_token: str
    def __init__(self, groups: _Optional[_Iterable[_Union[ReporterGroup, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ReporterGroup(_message.Message):
    __slots__ = ("kind", "cluster", "reporters", "objects", "objects_complete", "version", "last_move", "runtime")
    KIND_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    REPORTERS_FIELD_NUMBER: _ClassVar[int]
    OBJECTS_FIELD_NUMBER: _ClassVar[int]
    OBJECTS_COMPLETE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LAST_MOVE_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    kind: str
    cluster: str
    reporters: _containers.RepeatedCompositeFieldContainer[Reporter]
    objects: int
    objects_complete: bool
    version: int
    last_move: ReporterMove
    runtime: str
    def __init__(self, kind: _Optional[str] = ..., cluster: _Optional[str] = ..., reporters: _Optional[_Iterable[_Union[Reporter, _Mapping]]] = ..., objects: _Optional[int] = ..., objects_complete: _Optional[bool] = ..., version: _Optional[int] = ..., last_move: _Optional[_Union[ReporterMove, _Mapping]] = ..., runtime: _Optional[str] = ...) -> None: ...

class Reporter(_message.Message):
    __slots__ = ("instance", "version", "since", "last_heard_at", "inventory_instance", "epoch", "objects")
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    LAST_HEARD_AT_FIELD_NUMBER: _ClassVar[int]
    INVENTORY_INSTANCE_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    OBJECTS_FIELD_NUMBER: _ClassVar[int]
    instance: str
    version: str
    since: _timestamp_pb2.Timestamp
    last_heard_at: _timestamp_pb2.Timestamp
    inventory_instance: str
    epoch: int
    objects: int
    def __init__(self, instance: _Optional[str] = ..., version: _Optional[str] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_heard_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., inventory_instance: _Optional[str] = ..., epoch: _Optional[int] = ..., objects: _Optional[int] = ...) -> None: ...

class ReporterMove(_message.Message):
    __slots__ = ("instance", "kind", "moved_at", "objects")
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MOVED_AT_FIELD_NUMBER: _ClassVar[int]
    OBJECTS_FIELD_NUMBER: _ClassVar[int]
    instance: str
    kind: ReporterMoveKind
    moved_at: _timestamp_pb2.Timestamp
    objects: int
    def __init__(self, instance: _Optional[str] = ..., kind: _Optional[_Union[ReporterMoveKind, str]] = ..., moved_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., objects: _Optional[int] = ...) -> None: ...
