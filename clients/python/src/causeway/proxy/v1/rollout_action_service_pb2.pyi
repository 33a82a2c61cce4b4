import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RolloutOutcome(_message.Message):
    __slots__ = ("repeated_request", "resource_version", "unchanged", "note")
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    repeated_request: bool
    resource_version: int
    unchanged: bool
    note: str
    def __init__(self, repeated_request: _Optional[bool] = ..., resource_version: _Optional[int] = ..., unchanged: _Optional[bool] = ..., note: _Optional[str] = ...) -> None: ...

class PromoteRolloutRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "full")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    FULL_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    full: bool
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., full: _Optional[bool] = ...) -> None: ...

class PromoteRolloutResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: RolloutOutcome
    def __init__(self, outcome: _Optional[_Union[RolloutOutcome, _Mapping]] = ...) -> None: ...

class PauseRolloutRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class PauseRolloutResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: RolloutOutcome
    def __init__(self, outcome: _Optional[_Union[RolloutOutcome, _Mapping]] = ...) -> None: ...

class ResumeRolloutRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ResumeRolloutResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: RolloutOutcome
    def __init__(self, outcome: _Optional[_Union[RolloutOutcome, _Mapping]] = ...) -> None: ...

class AbortRolloutRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class AbortRolloutResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: RolloutOutcome
    def __init__(self, outcome: _Optional[_Union[RolloutOutcome, _Mapping]] = ...) -> None: ...

class RetryRolloutRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class RetryRolloutResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: RolloutOutcome
    def __init__(self, outcome: _Optional[_Union[RolloutOutcome, _Mapping]] = ...) -> None: ...

class RestartRolloutRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "delay")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    delay: _duration_pb2.Duration
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class RestartRolloutResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: RolloutOutcome
    def __init__(self, outcome: _Optional[_Union[RolloutOutcome, _Mapping]] = ...) -> None: ...

class UndoRolloutRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "revision")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    revision: int
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., revision: _Optional[int] = ...) -> None: ...

class UndoRolloutResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: RolloutOutcome
    def __init__(self, outcome: _Optional[_Union[RolloutOutcome, _Mapping]] = ...) -> None: ...

class SetRolloutImageRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "container", "image")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    container: str
    image: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., container: _Optional[str] = ..., image: _Optional[str] = ...) -> None: ...

class SetRolloutImageResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: RolloutOutcome
    def __init__(self, outcome: _Optional[_Union[RolloutOutcome, _Mapping]] = ...) -> None: ...
