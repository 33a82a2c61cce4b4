import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.platform.v1 import authorization_service_pb2 as _authorization_service_pb2
from causeway.platform.v1 import key_service_pb2 as _key_service_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListAuditRecordsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "since", "until", "subject", "method", "runtime", "target", "outcome", "denied", "pending", "request_id", "platform")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    DENIED_FIELD_NUMBER: _ClassVar[int]
    PENDING_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    subject: str
    method: str
    runtime: str
    target: str
    outcome: _authorization_service_pb2.Outcome
    denied: bool
    pending: bool
    request_id: str
    platform: bool
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., subject: _Optional[str] = ..., method: _Optional[str] = ..., runtime: _Optional[str] = ..., target: _Optional[str] = ..., outcome: _Optional[_Union[_authorization_service_pb2.Outcome, str]] = ..., denied: _Optional[bool] = ..., pending: _Optional[bool] = ..., request_id: _Optional[str] = ..., platform: _Optional[bool] = ...) -> None: ...

class ListAuditRecordsResponse(_message.Message):
    __slots__ = ("records", "next_page_token")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[AuditRecord]
    next_page_token: str
    def __init__(self, records: _Optional[_Iterable[_Union[AuditRecord, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetAuditRecordRequest(_message.Message):
    __slots__ = ("audit_id", "platform")
    AUDIT_ID_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    audit_id: str
    platform: bool
    def __init__(self, audit_id: _Optional[str] = ..., platform: _Optional[bool] = ...) -> None: ...

class GetAuditRecordResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: AuditRecord
    def __init__(self, record: _Optional[_Union[AuditRecord, _Mapping]] = ...) -> None: ...

class GetAuditHeadRequest(_message.Message):
    __slots__ = ("platform",)
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    platform: bool
    def __init__(self, platform: _Optional[bool] = ...) -> None: ...

class GetAuditHeadResponse(_message.Message):
    __slots__ = ("chain", "first_sequence", "sequence", "hash", "signed_at", "seal", "root_key")
    CHAIN_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    SIGNED_AT_FIELD_NUMBER: _ClassVar[int]
    SEAL_FIELD_NUMBER: _ClassVar[int]
    ROOT_KEY_FIELD_NUMBER: _ClassVar[int]
    chain: str
    first_sequence: int
    sequence: int
    hash: bytes
    signed_at: _timestamp_pb2.Timestamp
    seal: AuditSeal
    root_key: bytes
    def __init__(self, chain: _Optional[str] = ..., first_sequence: _Optional[int] = ..., sequence: _Optional[int] = ..., hash: _Optional[bytes] = ..., signed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., seal: _Optional[_Union[AuditSeal, _Mapping]] = ..., root_key: _Optional[bytes] = ...) -> None: ...

class ExportAuditEntriesRequest(_message.Message):
    __slots__ = ("from_sequence", "since", "platform")
    FROM_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_FIELD_NUMBER: _ClassVar[int]
    from_sequence: int
    since: _timestamp_pb2.Timestamp
    platform: bool
    def __init__(self, from_sequence: _Optional[int] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., platform: _Optional[bool] = ...) -> None: ...

class ExportAuditEntriesResponse(_message.Message):
    __slots__ = ("entries",)
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[AuditEntry]
    def __init__(self, entries: _Optional[_Iterable[_Union[AuditEntry, _Mapping]]] = ...) -> None: ...

class AuditRecord(_message.Message):
    __slots__ = ("audit_id", "intended_at", "ended_at", "subject", "method", "runtime", "target", "request_id", "trace_id", "source_address", "outcome", "code", "message", "denied", "credential", "permission", "sequence")
    AUDIT_ID_FIELD_NUMBER: _ClassVar[int]
    INTENDED_AT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DENIED_FIELD_NUMBER: _ClassVar[int]
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    audit_id: str
    intended_at: _timestamp_pb2.Timestamp
    ended_at: _timestamp_pb2.Timestamp
    subject: str
    method: str
    runtime: str
    target: str
    request_id: str
    trace_id: str
    source_address: str
    outcome: _authorization_service_pb2.Outcome
    code: int
    message: str
    denied: bool
    credential: str
    permission: str
    sequence: int
    def __init__(self, audit_id: _Optional[str] = ..., intended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., ended_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., subject: _Optional[str] = ..., method: _Optional[str] = ..., runtime: _Optional[str] = ..., target: _Optional[str] = ..., request_id: _Optional[str] = ..., trace_id: _Optional[str] = ..., source_address: _Optional[str] = ..., outcome: _Optional[_Union[_authorization_service_pb2.Outcome, str]] = ..., code: _Optional[int] = ..., message: _Optional[str] = ..., denied: _Optional[bool] = ..., credential: _Optional[str] = ..., permission: _Optional[str] = ..., sequence: _Optional[int] = ...) -> None: ...

class AuditEntry(_message.Message):
    __slots__ = ("sequence", "at", "hash", "intent", "denial", "outcome", "checkpoint", "retention")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    INTENT_FIELD_NUMBER: _ClassVar[int]
    DENIAL_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINT_FIELD_NUMBER: _ClassVar[int]
    RETENTION_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    at: _timestamp_pb2.Timestamp
    hash: bytes
    intent: AuditIntent
    denial: AuditDenial
    outcome: AuditOutcome
    checkpoint: AuditSeal
    retention: AuditRetention
    def __init__(self, sequence: _Optional[int] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., hash: _Optional[bytes] = ..., intent: _Optional[_Union[AuditIntent, _Mapping]] = ..., denial: _Optional[_Union[AuditDenial, _Mapping]] = ..., outcome: _Optional[_Union[AuditOutcome, _Mapping]] = ..., checkpoint: _Optional[_Union[AuditSeal, _Mapping]] = ..., retention: _Optional[_Union[AuditRetention, _Mapping]] = ...) -> None: ...

class AuditIntent(_message.Message):
    __slots__ = ("audit_id", "subject", "credential", "method", "permission", "runtime", "target", "request_id", "trace_id", "source_address")
    AUDIT_ID_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ADDRESS_FIELD_NUMBER: _ClassVar[int]
    audit_id: str
    subject: str
    credential: str
    method: str
    permission: str
    runtime: str
    target: str
    request_id: str
    trace_id: str
    source_address: str
    def __init__(self, audit_id: _Optional[str] = ..., subject: _Optional[str] = ..., credential: _Optional[str] = ..., method: _Optional[str] = ..., permission: _Optional[str] = ..., runtime: _Optional[str] = ..., target: _Optional[str] = ..., request_id: _Optional[str] = ..., trace_id: _Optional[str] = ..., source_address: _Optional[str] = ...) -> None: ...

class AuditDenial(_message.Message):
    __slots__ = ("intent", "code", "message")
    INTENT_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    intent: AuditIntent
    code: int
    message: str
    def __init__(self, intent: _Optional[_Union[AuditIntent, _Mapping]] = ..., code: _Optional[int] = ..., message: _Optional[str] = ...) -> None: ...

class AuditOutcome(_message.Message):
    __slots__ = ("audit_id", "closes", "outcome", "code", "message")
    AUDIT_ID_FIELD_NUMBER: _ClassVar[int]
    CLOSES_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    audit_id: str
    closes: int
    outcome: _authorization_service_pb2.Outcome
    code: int
    message: str
    def __init__(self, audit_id: _Optional[str] = ..., closes: _Optional[int] = ..., outcome: _Optional[_Union[_authorization_service_pb2.Outcome, str]] = ..., code: _Optional[int] = ..., message: _Optional[str] = ...) -> None: ...

class AuditSeal(_message.Message):
    __slots__ = ("hash", "signing_key", "signature")
    HASH_FIELD_NUMBER: _ClassVar[int]
    SIGNING_KEY_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    hash: bytes
    signing_key: _key_service_pb2.SigningKey
    signature: bytes
    def __init__(self, hash: _Optional[bytes] = ..., signing_key: _Optional[_Union[_key_service_pb2.SigningKey, _Mapping]] = ..., signature: _Optional[bytes] = ...) -> None: ...

class AuditRetention(_message.Message):
    __slots__ = ("through", "before")
    THROUGH_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    through: int
    before: _timestamp_pb2.Timestamp
    def __init__(self, through: _Optional[int] = ..., before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
