from causeway.access.v1 import access_pb2 as _access_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WorkflowOutcome(_message.Message):
    __slots__ = ("repeated_request", "name", "resource_version", "unchanged")
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    repeated_request: bool
    name: str
    resource_version: int
    unchanged: bool
    def __init__(self, repeated_request: _Optional[bool] = ..., name: _Optional[str] = ..., resource_version: _Optional[int] = ..., unchanged: _Optional[bool] = ...) -> None: ...

class WorkflowParameter(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class StopWorkflowRequest(_message.Message):
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

class StopWorkflowResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: WorkflowOutcome
    def __init__(self, outcome: _Optional[_Union[WorkflowOutcome, _Mapping]] = ...) -> None: ...

class TerminateWorkflowRequest(_message.Message):
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

class TerminateWorkflowResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: WorkflowOutcome
    def __init__(self, outcome: _Optional[_Union[WorkflowOutcome, _Mapping]] = ...) -> None: ...

class SuspendWorkflowRequest(_message.Message):
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

class SuspendWorkflowResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: WorkflowOutcome
    def __init__(self, outcome: _Optional[_Union[WorkflowOutcome, _Mapping]] = ...) -> None: ...

class ResumeWorkflowRequest(_message.Message):
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

class ResumeWorkflowResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: WorkflowOutcome
    def __init__(self, outcome: _Optional[_Union[WorkflowOutcome, _Mapping]] = ...) -> None: ...

class RetryWorkflowRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "restart_successful", "parameters")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    RESTART_SUCCESSFUL_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    restart_successful: str
    parameters: _containers.RepeatedCompositeFieldContainer[WorkflowParameter]
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., restart_successful: _Optional[str] = ..., parameters: _Optional[_Iterable[_Union[WorkflowParameter, _Mapping]]] = ...) -> None: ...

class RetryWorkflowResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: WorkflowOutcome
    def __init__(self, outcome: _Optional[_Union[WorkflowOutcome, _Mapping]] = ...) -> None: ...

class ResubmitWorkflowRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "parameters")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    parameters: _containers.RepeatedCompositeFieldContainer[WorkflowParameter]
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., parameters: _Optional[_Iterable[_Union[WorkflowParameter, _Mapping]]] = ...) -> None: ...

class ResubmitWorkflowResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: WorkflowOutcome
    def __init__(self, outcome: _Optional[_Union[WorkflowOutcome, _Mapping]] = ...) -> None: ...

class SubmitWorkflowRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "request_id", "parameters", "kind", "entrypoint")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ENTRYPOINT_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    request_id: str
    parameters: _containers.RepeatedCompositeFieldContainer[WorkflowParameter]
    kind: str
    entrypoint: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., parameters: _Optional[_Iterable[_Union[WorkflowParameter, _Mapping]]] = ..., kind: _Optional[str] = ..., entrypoint: _Optional[str] = ...) -> None: ...

class SubmitWorkflowResponse(_message.Message):
    __slots__ = ("outcome",)
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    outcome: WorkflowOutcome
    def __init__(self, outcome: _Optional[_Union[WorkflowOutcome, _Mapping]] = ...) -> None: ...
