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

class SigningKeyState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SIGNING_KEY_STATE_UNSPECIFIED: _ClassVar[SigningKeyState]
    SIGNING_KEY_STATE_WAITING: _ClassVar[SigningKeyState]
    SIGNING_KEY_STATE_SIGNING: _ClassVar[SigningKeyState]
    SIGNING_KEY_STATE_LEAVING: _ClassVar[SigningKeyState]
SIGNING_KEY_STATE_UNSPECIFIED: SigningKeyState
SIGNING_KEY_STATE_WAITING: SigningKeyState
SIGNING_KEY_STATE_SIGNING: SigningKeyState
SIGNING_KEY_STATE_LEAVING: SigningKeyState

class RotateSealingKeyRequest(_message.Message):
    __slots__ = ("request_id", "at_once")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    at_once: bool
    def __init__(self, request_id: _Optional[str] = ..., at_once: _Optional[bool] = ...) -> None: ...

class RotateSealingKeyResponse(_message.Message):
    __slots__ = ("seals_from",)
    SEALS_FROM_FIELD_NUMBER: _ClassVar[int]
    seals_from: _timestamp_pb2.Timestamp
    def __init__(self, seals_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RotateSigningKeyRequest(_message.Message):
    __slots__ = ("request_id", "at_once")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    at_once: bool
    def __init__(self, request_id: _Optional[str] = ..., at_once: _Optional[bool] = ...) -> None: ...

class RotateSigningKeyResponse(_message.Message):
    __slots__ = ("keys",)
    KEYS_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[SigningKey]
    def __init__(self, keys: _Optional[_Iterable[_Union[SigningKey, _Mapping]]] = ...) -> None: ...

class GetVerificationKeyRequest(_message.Message):
    __slots__ = ("key_id",)
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    def __init__(self, key_id: _Optional[str] = ...) -> None: ...

class GetVerificationKeyResponse(_message.Message):
    __slots__ = ("key",)
    KEY_FIELD_NUMBER: _ClassVar[int]
    key: VerificationKey
    def __init__(self, key: _Optional[_Union[VerificationKey, _Mapping]] = ...) -> None: ...

class VerificationKey(_message.Message):
    __slots__ = ("key_id", "public_key", "platform", "platform_part", "runtime")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_PART_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    public_key: bytes
    platform: PlatformAuthority
    platform_part: PlatformPartAuthority
    runtime: RuntimeAuthority
    def __init__(self, key_id: _Optional[str] = ..., public_key: _Optional[bytes] = ..., platform: _Optional[_Union[PlatformAuthority, _Mapping]] = ..., platform_part: _Optional[_Union[PlatformPartAuthority, _Mapping]] = ..., runtime: _Optional[_Union[RuntimeAuthority, _Mapping]] = ...) -> None: ...

class PlatformAuthority(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PlatformPartAuthority(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RuntimeAuthority(_message.Message):
    __slots__ = ("account", "runtime_id")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_ID_FIELD_NUMBER: _ClassVar[int]
    account: str
    runtime_id: str
    def __init__(self, account: _Optional[str] = ..., runtime_id: _Optional[str] = ...) -> None: ...

class WatchRevocationsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WatchRevocationsResponse(_message.Message):
    __slots__ = ("instance", "epoch")
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    instance: str
    epoch: int
    def __init__(self, instance: _Optional[str] = ..., epoch: _Optional[int] = ...) -> None: ...

class ListSigningKeysRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListSigningKeysResponse(_message.Message):
    __slots__ = ("keys",)
    KEYS_FIELD_NUMBER: _ClassVar[int]
    keys: _containers.RepeatedCompositeFieldContainer[SigningKey]
    def __init__(self, keys: _Optional[_Iterable[_Union[SigningKey, _Mapping]]] = ...) -> None: ...

class SigningKey(_message.Message):
    __slots__ = ("key_id", "public_key", "not_before", "not_after", "root_signature", "signs_from", "state")
    KEY_ID_FIELD_NUMBER: _ClassVar[int]
    PUBLIC_KEY_FIELD_NUMBER: _ClassVar[int]
    NOT_BEFORE_FIELD_NUMBER: _ClassVar[int]
    NOT_AFTER_FIELD_NUMBER: _ClassVar[int]
    ROOT_SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    SIGNS_FROM_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    key_id: str
    public_key: bytes
    not_before: _timestamp_pb2.Timestamp
    not_after: _timestamp_pb2.Timestamp
    root_signature: bytes
    signs_from: _timestamp_pb2.Timestamp
    state: SigningKeyState
    def __init__(self, key_id: _Optional[str] = ..., public_key: _Optional[bytes] = ..., not_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., not_after: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., root_signature: _Optional[bytes] = ..., signs_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., state: _Optional[_Union[SigningKeyState, str]] = ...) -> None: ...
