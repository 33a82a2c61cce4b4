import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    OUTCOME_SUCCEEDED: _ClassVar[Outcome]
    OUTCOME_FAILED: _ClassVar[Outcome]
    OUTCOME_UNKNOWN: _ClassVar[Outcome]
OUTCOME_UNSPECIFIED: Outcome
OUTCOME_SUCCEEDED: Outcome
OUTCOME_FAILED: Outcome
OUTCOME_UNKNOWN: Outcome

class IssueAssertionRequest(_message.Message):
    __slots__ = ("credential", "method", "runtime")
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    credential: str
    method: str
    runtime: str
    def __init__(self, credential: _Optional[str] = ..., method: _Optional[str] = ..., runtime: _Optional[str] = ...) -> None: ...

class IssueAssertionResponse(_message.Message):
    __slots__ = ("assertion", "expires_at", "part")
    ASSERTION_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    assertion: str
    expires_at: _timestamp_pb2.Timestamp
    part: str
    def __init__(self, assertion: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., part: _Optional[str] = ...) -> None: ...

class AuthorizeRequest(_message.Message):
    __slots__ = ("credential", "method", "runtime", "request_digest", "request_id", "source_address", "trace_id", "target", "going_on")
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_DIGEST_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    GOING_ON_FIELD_NUMBER: _ClassVar[int]
    credential: str
    method: str
    runtime: str
    request_digest: bytes
    request_id: str
    source_address: str
    trace_id: str
    target: str
    going_on: bool
    def __init__(self, credential: _Optional[str] = ..., method: _Optional[str] = ..., runtime: _Optional[str] = ..., request_digest: _Optional[bytes] = ..., request_id: _Optional[str] = ..., source_address: _Optional[str] = ..., trace_id: _Optional[str] = ..., target: _Optional[str] = ..., going_on: _Optional[bool] = ...) -> None: ...

class AuthorizeResponse(_message.Message):
    __slots__ = ("assertion", "expires_at", "audit_id", "account", "runtime_id", "subject", "scope_digest")
    ASSERTION_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    AUDIT_ID_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_ID_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    SCOPE_DIGEST_FIELD_NUMBER: _ClassVar[int]
    assertion: str
    expires_at: _timestamp_pb2.Timestamp
    audit_id: str
    account: str
    runtime_id: str
    subject: str
    scope_digest: bytes
    def __init__(self, assertion: _Optional[str] = ..., expires_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., audit_id: _Optional[str] = ..., account: _Optional[str] = ..., runtime_id: _Optional[str] = ..., subject: _Optional[str] = ..., scope_digest: _Optional[bytes] = ...) -> None: ...

class RecordOutcomeRequest(_message.Message):
    __slots__ = ("audit_id", "outcome", "code", "message")
    AUDIT_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    audit_id: str
    outcome: Outcome
    code: int
    message: str
    def __init__(self, audit_id: _Optional[str] = ..., outcome: _Optional[_Union[Outcome, str]] = ..., code: _Optional[int] = ..., message: _Optional[str] = ...) -> None: ...

class RecordOutcomeResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
