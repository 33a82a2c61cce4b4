import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListSessionsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListSessionsResponse(_message.Message):
    __slots__ = ("sessions", "next_page_token")
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    sessions: _containers.RepeatedCompositeFieldContainer[TunnelSession]
    next_page_token: str
    def __init__(self, sessions: _Optional[_Iterable[_Union[TunnelSession, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class TunnelSession(_message.Message):
    __slots__ = ("account", "runtime_id", "client", "slot", "generation", "connected_at", "peer_address", "version", "routes", "open_streams", "round_trip_micros")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    SLOT_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_AT_FIELD_NUMBER: _ClassVar[int]
    PEER_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ROUTES_FIELD_NUMBER: _ClassVar[int]
    OPEN_STREAMS_FIELD_NUMBER: _ClassVar[int]
    ROUND_TRIP_MICROS_FIELD_NUMBER: _ClassVar[int]
    account: str
    runtime_id: str
    client: str
    slot: int
    generation: int
    connected_at: _timestamp_pb2.Timestamp
    peer_address: str
    version: str
    routes: _containers.RepeatedScalarFieldContainer[str]
    open_streams: int
    round_trip_micros: int
    def __init__(self, account: _Optional[str] = ..., runtime_id: _Optional[str] = ..., client: _Optional[str] = ..., slot: _Optional[int] = ..., generation: _Optional[int] = ..., connected_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., peer_address: _Optional[str] = ..., version: _Optional[str] = ..., routes: _Optional[_Iterable[str]] = ..., open_streams: _Optional[int] = ..., round_trip_micros: _Optional[int] = ...) -> None: ...

class OpenRequest(_message.Message):
    __slots__ = ("hello", "drain", "superseded")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    DRAIN_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    hello: ServerHello
    drain: DrainNotice
    superseded: SupersededNotice
    def __init__(self, hello: _Optional[_Union[ServerHello, _Mapping]] = ..., drain: _Optional[_Union[DrainNotice, _Mapping]] = ..., superseded: _Optional[_Union[SupersededNotice, _Mapping]] = ...) -> None: ...

class ServerHello(_message.Message):
    __slots__ = ("server", "version")
    SERVER_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    server: str
    version: str
    def __init__(self, server: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class DrainNotice(_message.Message):
    __slots__ = ("grace_ms",)
    GRACE_MS_FIELD_NUMBER: _ClassVar[int]
    grace_ms: int
    def __init__(self, grace_ms: _Optional[int] = ...) -> None: ...

class SupersededNotice(_message.Message):
    __slots__ = ("generation",)
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    generation: int
    def __init__(self, generation: _Optional[int] = ...) -> None: ...

class OpenResponse(_message.Message):
    __slots__ = ("hello", "drain_ready")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    DRAIN_READY_FIELD_NUMBER: _ClassVar[int]
    hello: ClientHello
    drain_ready: DrainReady
    def __init__(self, hello: _Optional[_Union[ClientHello, _Mapping]] = ..., drain_ready: _Optional[_Union[DrainReady, _Mapping]] = ...) -> None: ...

class ClientHello(_message.Message):
    __slots__ = ("version", "routes")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ROUTES_FIELD_NUMBER: _ClassVar[int]
    version: str
    routes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, version: _Optional[str] = ..., routes: _Optional[_Iterable[str]] = ...) -> None: ...

class DrainReady(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
