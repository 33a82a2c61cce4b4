import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.platform.v1 import session_service_pb2 as _session_service_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SignInProvider(_message.Message):
    __slots__ = ("provider", "display_name")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    provider: str
    display_name: str
    def __init__(self, provider: _Optional[str] = ..., display_name: _Optional[str] = ...) -> None: ...

class ListSignInProvidersRequest(_message.Message):
    __slots__ = ("account",)
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    account: str
    def __init__(self, account: _Optional[str] = ...) -> None: ...

class ListSignInProvidersResponse(_message.Message):
    __slots__ = ("providers",)
    PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    providers: _containers.RepeatedCompositeFieldContainer[SignInProvider]
    def __init__(self, providers: _Optional[_Iterable[_Union[SignInProvider, _Mapping]]] = ...) -> None: ...

class StartSignInRequest(_message.Message):
    __slots__ = ("account", "provider", "redirect_uri", "challenge")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    REDIRECT_URI_FIELD_NUMBER: _ClassVar[int]
    CHALLENGE_FIELD_NUMBER: _ClassVar[int]
    account: str
    provider: str
    redirect_uri: str
    challenge: str
    def __init__(self, account: _Optional[str] = ..., provider: _Optional[str] = ..., redirect_uri: _Optional[str] = ..., challenge: _Optional[str] = ...) -> None: ...

class StartSignInResponse(_message.Message):
    __slots__ = ("authorization_url", "state", "expires_at")
    AUTHORIZATION_URL_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    authorization_url: str
    state: str
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, authorization_url: _Optional[str] = ..., state: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class FinishSignInRequest(_message.Message):
    __slots__ = ("state", "code", "verifier", "issuer")
    STATE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    VERIFIER_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    state: str
    code: str
    verifier: str
    issuer: str
    def __init__(self, state: _Optional[str] = ..., code: _Optional[str] = ..., verifier: _Optional[str] = ..., issuer: _Optional[str] = ...) -> None: ...

class FinishSignInResponse(_message.Message):
    __slots__ = ("session_token", "session")
    SESSION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session_token: str
    session: _session_service_pb2.UserSession
    def __init__(self, session_token: _Optional[str] = ..., session: _Optional[_Union[_session_service_pb2.UserSession, _Mapping]] = ...) -> None: ...

class StartDeviceSignInRequest(_message.Message):
    __slots__ = ("account", "provider", "challenge")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    CHALLENGE_FIELD_NUMBER: _ClassVar[int]
    account: str
    provider: str
    challenge: str
    def __init__(self, account: _Optional[str] = ..., provider: _Optional[str] = ..., challenge: _Optional[str] = ...) -> None: ...

class StartDeviceSignInResponse(_message.Message):
    __slots__ = ("state", "user_code", "verification_uri", "verification_uri_complete", "expires_at", "interval_seconds")
    STATE_FIELD_NUMBER: _ClassVar[int]
    USER_CODE_FIELD_NUMBER: _ClassVar[int]
    VERIFICATION_URI_FIELD_NUMBER: _ClassVar[int]
    VERIFICATION_URI_COMPLETE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    state: str
    user_code: str
    verification_uri: str
    verification_uri_complete: str
    expires_at: _timestamp_pb2.Timestamp
    interval_seconds: int
    def __init__(self, state: _Optional[str] = ..., user_code: _Optional[str] = ..., verification_uri: _Optional[str] = ..., verification_uri_complete: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., interval_seconds: _Optional[int] = ...) -> None: ...

class FinishDeviceSignInRequest(_message.Message):
    __slots__ = ("state", "verifier")
    STATE_FIELD_NUMBER: _ClassVar[int]
    VERIFIER_FIELD_NUMBER: _ClassVar[int]
    state: str
    verifier: str
    def __init__(self, state: _Optional[str] = ..., verifier: _Optional[str] = ...) -> None: ...

class FinishDeviceSignInResponse(_message.Message):
    __slots__ = ("pending_interval_seconds", "session_token", "session")
    PENDING_INTERVAL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    SESSION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    pending_interval_seconds: int
    session_token: str
    session: _session_service_pb2.UserSession
    def __init__(self, pending_interval_seconds: _Optional[int] = ..., session_token: _Optional[str] = ..., session: _Optional[_Union[_session_service_pb2.UserSession, _Mapping]] = ...) -> None: ...

class ExchangeTokenRequest(_message.Message):
    __slots__ = ("account", "service_account", "id_token")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    SERVICE_ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    ID_TOKEN_FIELD_NUMBER: _ClassVar[int]
    account: str
    service_account: str
    id_token: str
    def __init__(self, account: _Optional[str] = ..., service_account: _Optional[str] = ..., id_token: _Optional[str] = ...) -> None: ...

class ExchangeTokenResponse(_message.Message):
    __slots__ = ("session_token", "session")
    SESSION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    session_token: str
    session: _session_service_pb2.UserSession
    def __init__(self, session_token: _Optional[str] = ..., session: _Optional[_Union[_session_service_pb2.UserSession, _Mapping]] = ...) -> None: ...
