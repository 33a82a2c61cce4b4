import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.platform.v1 import key_service_pb2 as _key_service_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Connection(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONNECTION_UNSPECIFIED: _ClassVar[Connection]
    CONNECTION_ONLINE: _ClassVar[Connection]
    CONNECTION_OFFLINE: _ClassVar[Connection]
    CONNECTION_REVOKED: _ClassVar[Connection]
    CONNECTION_REPORTING: _ClassVar[Connection]
CONNECTION_UNSPECIFIED: Connection
CONNECTION_ONLINE: Connection
CONNECTION_OFFLINE: Connection
CONNECTION_REVOKED: Connection
CONNECTION_REPORTING: Connection

class CreateJoinTokenRequest(_message.Message):
    __slots__ = ("runtime", "request_id")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    request_id: str
    def __init__(self, runtime: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateJoinTokenResponse(_message.Message):
    __slots__ = ("token", "expires_at")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    token: str
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, token: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CreateRejoinTokenRequest(_message.Message):
    __slots__ = ("name", "request_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    request_id: str
    def __init__(self, name: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateRejoinTokenResponse(_message.Message):
    __slots__ = ("token", "expires_at")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    token: str
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, token: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class JoinRequest(_message.Message):
    __slots__ = ("token", "identity_key", "sealing_key", "version", "client_time", "proof")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    IDENTITY_KEY_FIELD_NUMBER: _ClassVar[int]
    SEALING_KEY_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CLIENT_TIME_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    token: str
    identity_key: bytes
    sealing_key: bytes
    version: str
    client_time: _timestamp_pb2.Timestamp
    proof: bytes
    def __init__(self, token: _Optional[str] = ..., identity_key: _Optional[bytes] = ..., sealing_key: _Optional[bytes] = ..., version: _Optional[str] = ..., client_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., proof: _Optional[bytes] = ...) -> None: ...

class JoinResponse(_message.Message):
    __slots__ = ("account", "runtime_id", "name", "key_id", "root_key", "signing_keys", "tunnel_url", "tunnel_ca", "server_time")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    ROOT_KEY_FIELD_NUMBER: _ClassVar[int]
    SIGNING_KEYS_FIELD_NUMBER: _ClassVar[int]
    TUNNEL_URL_FIELD_NUMBER: _ClassVar[int]
    TUNNEL_CA_FIELD_NUMBER: _ClassVar[int]
    SERVER_TIME_FIELD_NUMBER: _ClassVar[int]
    account: str
    runtime_id: str
    name: str
    key_id: str
    root_key: bytes
    signing_keys: _containers.RepeatedCompositeFieldContainer[_key_service_pb2.SigningKey]
    tunnel_url: str
    tunnel_ca: str
    server_time: _timestamp_pb2.Timestamp
    def __init__(self, account: _Optional[str] = ..., runtime_id: _Optional[str] = ..., name: _Optional[str] = ..., key_id: _Optional[str] = ..., root_key: _Optional[bytes] = ..., signing_keys: _Optional[_Iterable[_Union[_key_service_pb2.SigningKey, _Mapping]]] = ..., tunnel_url: _Optional[str] = ..., tunnel_ca: _Optional[str] = ..., server_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class CheckJoinTokenRequest(_message.Message):
    __slots__ = ("token",)
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    token: str
    def __init__(self, token: _Optional[str] = ...) -> None: ...

class CheckJoinTokenResponse(_message.Message):
    __slots__ = ("runtime", "expires_at", "rejoins")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    REJOINS_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    expires_at: _timestamp_pb2.Timestamp
    rejoins: bool
    def __init__(self, runtime: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., rejoins: _Optional[bool] = ...) -> None: ...

class ListRuntimesRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListRuntimesResponse(_message.Message):
    __slots__ = ("runtimes", "next_page_token")
    RUNTIMES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    runtimes: _containers.RepeatedCompositeFieldContainer[Runtime]
    next_page_token: str
    def __init__(self, runtimes: _Optional[_Iterable[_Union[Runtime, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetRuntimeRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetRuntimeResponse(_message.Message):
    __slots__ = ("runtime",)
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    runtime: Runtime
    def __init__(self, runtime: _Optional[_Union[Runtime, _Mapping]] = ...) -> None: ...

class ListJoinTokensRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListJoinTokensResponse(_message.Message):
    __slots__ = ("join_tokens", "next_page_token")
    JOIN_TOKENS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    join_tokens: _containers.RepeatedCompositeFieldContainer[JoinToken]
    next_page_token: str
    def __init__(self, join_tokens: _Optional[_Iterable[_Union[JoinToken, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class JoinToken(_message.Message):
    __slots__ = ("join_token_id", "runtime", "created_by", "created_at", "expires_at", "rejoins")
    JOIN_TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CREATED_BY_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    REJOINS_FIELD_NUMBER: _ClassVar[int]
    join_token_id: str
    runtime: str
    created_by: str
    created_at: _timestamp_pb2.Timestamp
    expires_at: _timestamp_pb2.Timestamp
    rejoins: bool
    def __init__(self, join_token_id: _Optional[str] = ..., runtime: _Optional[str] = ..., created_by: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., rejoins: _Optional[bool] = ...) -> None: ...

class RevokeJoinTokenRequest(_message.Message):
    __slots__ = ("join_token_id", "request_id")
    JOIN_TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    join_token_id: str
    request_id: str
    def __init__(self, join_token_id: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class RevokeJoinTokenResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WatchRuntimesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WatchRuntimesResponse(_message.Message):
    __slots__ = ("updated", "deleted", "bookmark")
    UPDATED_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    BOOKMARK_FIELD_NUMBER: _ClassVar[int]
    updated: Runtime
    deleted: str
    bookmark: RuntimesBookmark
    def __init__(self, updated: _Optional[_Union[Runtime, _Mapping]] = ..., deleted: _Optional[str] = ..., bookmark: _Optional[_Union[RuntimesBookmark, _Mapping]] = ...) -> None: ...

class RuntimesBookmark(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Runtime(_message.Message):
    __slots__ = ("name", "runtime_id", "connection", "version", "joined_at", "last_seen_at", "sessions", "revoked_at", "allowed_actions", "sealing_key")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_ID_FIELD_NUMBER: _ClassVar[int]
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    JOINED_AT_FIELD_NUMBER: _ClassVar[int]
    LAST_SEEN_AT_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    REVOKED_AT_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    SEALING_KEY_FIELD_NUMBER: _ClassVar[int]
    name: str
    runtime_id: str
    connection: Connection
    version: str
    joined_at: _timestamp_pb2.Timestamp
    last_seen_at: _timestamp_pb2.Timestamp
    sessions: _containers.RepeatedCompositeFieldContainer[Session]
    revoked_at: _timestamp_pb2.Timestamp
    allowed_actions: _containers.RepeatedScalarFieldContainer[str]
    sealing_key: bytes
    def __init__(self, name: _Optional[str] = ..., runtime_id: _Optional[str] = ..., connection: _Optional[_Union[Connection, str]] = ..., version: _Optional[str] = ..., joined_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_seen_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., sessions: _Optional[_Iterable[_Union[Session, _Mapping]]] = ..., revoked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., allowed_actions: _Optional[_Iterable[str]] = ..., sealing_key: _Optional[bytes] = ...) -> None: ...

class Session(_message.Message):
    __slots__ = ("server", "client", "slot", "generation", "connected_at", "peer_address", "version")
    SERVER_FIELD_NUMBER: _ClassVar[int]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    SLOT_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_AT_FIELD_NUMBER: _ClassVar[int]
    PEER_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    server: str
    client: str
    slot: int
    generation: int
    connected_at: _timestamp_pb2.Timestamp
    peer_address: str
    version: str
    def __init__(self, server: _Optional[str] = ..., client: _Optional[str] = ..., slot: _Optional[int] = ..., generation: _Optional[int] = ..., connected_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., peer_address: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class RevokeRuntimeRequest(_message.Message):
    __slots__ = ("name", "request_id")
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    name: str
    request_id: str
    def __init__(self, name: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class RevokeRuntimeResponse(_message.Message):
    __slots__ = ("runtime",)
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    runtime: Runtime
    def __init__(self, runtime: _Optional[_Union[Runtime, _Mapping]] = ...) -> None: ...

class ReportSessionsRequest(_message.Message):
    __slots__ = ("server", "sessions")
    SERVER_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_FIELD_NUMBER: _ClassVar[int]
    server: str
    sessions: _containers.RepeatedCompositeFieldContainer[RuntimeSession]
    def __init__(self, server: _Optional[str] = ..., sessions: _Optional[_Iterable[_Union[RuntimeSession, _Mapping]]] = ...) -> None: ...

class RuntimeSession(_message.Message):
    __slots__ = ("account", "runtime_id", "session", "key_id")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_ID_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    account: str
    runtime_id: str
    session: Session
    key_id: str
    def __init__(self, account: _Optional[str] = ..., runtime_id: _Optional[str] = ..., session: _Optional[_Union[Session, _Mapping]] = ..., key_id: _Optional[str] = ...) -> None: ...

class ReportSessionsResponse(_message.Message):
    __slots__ = ("revoked_runtime_ids", "revoked_key_ids")
    REVOKED_RUNTIME_IDS_FIELD_NUMBER: _ClassVar[int]
    REVOKED_KEY_IDS_FIELD_NUMBER: _ClassVar[int]
    revoked_runtime_ids: _containers.RepeatedScalarFieldContainer[str]
    revoked_key_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, revoked_runtime_ids: _Optional[_Iterable[str]] = ..., revoked_key_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ResolveRuntimeRequest(_message.Message):
    __slots__ = ("account", "runtime_id")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_ID_FIELD_NUMBER: _ClassVar[int]
    account: str
    runtime_id: str
    def __init__(self, account: _Optional[str] = ..., runtime_id: _Optional[str] = ...) -> None: ...

class ResolveRuntimeResponse(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...
