import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetPlatformInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetPlatformInfoResponse(_message.Message):
    __slots__ = ("version", "server_time", "tunnel_url")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SERVER_TIME_FIELD_NUMBER: _ClassVar[int]
    TUNNEL_URL_FIELD_NUMBER: _ClassVar[int]
    version: str
    server_time: _timestamp_pb2.Timestamp
    tunnel_url: str
    def __init__(self, version: _Optional[str] = ..., server_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., tunnel_url: _Optional[str] = ...) -> None: ...
