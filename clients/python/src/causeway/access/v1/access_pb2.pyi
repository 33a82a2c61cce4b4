from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KIND_UNSPECIFIED: _ClassVar[Kind]
    KIND_READ: _ClassVar[Kind]
    KIND_MUTATION: _ClassVar[Kind]
    KIND_SECRET_READ: _ClassVar[Kind]
    KIND_PUBLIC: _ClassVar[Kind]
    KIND_STREAM: _ClassVar[Kind]
    KIND_SESSION: _ClassVar[Kind]

class CallerKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CALLER_KIND_UNSPECIFIED: _ClassVar[CallerKind]
    CALLER_KIND_USER: _ClassVar[CallerKind]
    CALLER_KIND_RUNTIME: _ClassVar[CallerKind]
    CALLER_KIND_PLATFORM_PART: _ClassVar[CallerKind]
    CALLER_KIND_RUNTIME_PART: _ClassVar[CallerKind]
    CALLER_KIND_ANYONE: _ClassVar[CallerKind]

class Side(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SIDE_UNSPECIFIED: _ClassVar[Side]
    SIDE_PLATFORM: _ClassVar[Side]
    SIDE_RUNTIME: _ClassVar[Side]
KIND_UNSPECIFIED: Kind
KIND_READ: Kind
KIND_MUTATION: Kind
KIND_SECRET_READ: Kind
KIND_PUBLIC: Kind
KIND_STREAM: Kind
KIND_SESSION: Kind
CALLER_KIND_UNSPECIFIED: CallerKind
CALLER_KIND_USER: CallerKind
CALLER_KIND_RUNTIME: CallerKind
CALLER_KIND_PLATFORM_PART: CallerKind
CALLER_KIND_RUNTIME_PART: CallerKind
CALLER_KIND_ANYONE: CallerKind
SIDE_UNSPECIFIED: Side
SIDE_PLATFORM: Side
SIDE_RUNTIME: Side
ACCESS_FIELD_NUMBER: _ClassVar[int]
access: _descriptor.FieldDescriptor
PART_FIELD_NUMBER: _ClassVar[int]
part: _descriptor.FieldDescriptor

class Access(_message.Message):
    __slots__ = ("kind", "callers", "permission", "parts", "own", "target")
    KIND_FIELD_NUMBER: _ClassVar[int]
    CALLERS_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    kind: Kind
    callers: _containers.RepeatedScalarFieldContainer[CallerKind]
    permission: str
    parts: _containers.RepeatedScalarFieldContainer[str]
    own: bool
    target: str
    def __init__(self, kind: _Optional[_Union[Kind, str]] = ..., callers: _Optional[_Iterable[_Union[CallerKind, str]]] = ..., permission: _Optional[str] = ..., parts: _Optional[_Iterable[str]] = ..., own: _Optional[bool] = ..., target: _Optional[str] = ...) -> None: ...

class Part(_message.Message):
    __slots__ = ("name", "side")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    name: str
    side: Side
    def __init__(self, name: _Optional[str] = ..., side: _Optional[_Union[Side, str]] = ...) -> None: ...
