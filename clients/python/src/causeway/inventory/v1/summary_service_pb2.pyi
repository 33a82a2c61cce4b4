import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.inventory.v1 import application_pb2 as _application_pb2
from causeway.inventory.v1 import application_service_pb2 as _application_service_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetSummaryRequest(_message.Message):
    __slots__ = ("filter", "most_problems")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    MOST_PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    filter: _application_service_pb2.ApplicationFilter
    most_problems: int
    def __init__(self, filter: _Optional[_Union[_application_service_pb2.ApplicationFilter, _Mapping]] = ..., most_problems: _Optional[int] = ...) -> None: ...

class GetSummaryResponse(_message.Message):
    __slots__ = ("total", "health", "sync", "problems", "problems_left_off", "running", "running_total", "paused_rollouts", "silent_runtimes", "drifted")
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    SYNC_FIELD_NUMBER: _ClassVar[int]
    PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    PROBLEMS_LEFT_OFF_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    RUNNING_TOTAL_FIELD_NUMBER: _ClassVar[int]
    PAUSED_ROLLOUTS_FIELD_NUMBER: _ClassVar[int]
    SILENT_RUNTIMES_FIELD_NUMBER: _ClassVar[int]
    DRIFTED_FIELD_NUMBER: _ClassVar[int]
    total: int
    health: _containers.RepeatedCompositeFieldContainer[_application_service_pb2.FacetValue]
    sync: _containers.RepeatedCompositeFieldContainer[_application_service_pb2.FacetValue]
    problems: _containers.RepeatedCompositeFieldContainer[Problem]
    problems_left_off: int
    running: _containers.RepeatedCompositeFieldContainer[RunningOperation]
    running_total: int
    paused_rollouts: _containers.RepeatedCompositeFieldContainer[PausedRollout]
    silent_runtimes: _containers.RepeatedCompositeFieldContainer[SilentRuntime]
    drifted: int
    def __init__(self, total: _Optional[int] = ..., health: _Optional[_Iterable[_Union[_application_service_pb2.FacetValue, _Mapping]]] = ..., sync: _Optional[_Iterable[_Union[_application_service_pb2.FacetValue, _Mapping]]] = ..., problems: _Optional[_Iterable[_Union[Problem, _Mapping]]] = ..., problems_left_off: _Optional[int] = ..., running: _Optional[_Iterable[_Union[RunningOperation, _Mapping]]] = ..., running_total: _Optional[int] = ..., paused_rollouts: _Optional[_Iterable[_Union[PausedRollout, _Mapping]]] = ..., silent_runtimes: _Optional[_Iterable[_Union[SilentRuntime, _Mapping]]] = ..., drifted: _Optional[int] = ...) -> None: ...

class Problem(_message.Message):
    __slots__ = ("type", "message", "example", "count", "since", "keys", "runtimes", "health")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    EXAMPLE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    RUNTIMES_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    type: str
    message: str
    example: str
    count: int
    since: _timestamp_pb2.Timestamp
    keys: _containers.RepeatedScalarFieldContainer[str]
    runtimes: _containers.RepeatedScalarFieldContainer[str]
    health: _application_pb2.HealthStatus
    def __init__(self, type: _Optional[str] = ..., message: _Optional[str] = ..., example: _Optional[str] = ..., count: _Optional[int] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., keys: _Optional[_Iterable[str]] = ..., runtimes: _Optional[_Iterable[str]] = ..., health: _Optional[_Union[_application_pb2.HealthStatus, str]] = ...) -> None: ...

class RunningOperation(_message.Message):
    __slots__ = ("runtime", "cluster", "namespace", "name", "operation")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    cluster: str
    namespace: str
    name: str
    operation: _application_pb2.Operation
    def __init__(self, runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., operation: _Optional[_Union[_application_pb2.Operation, _Mapping]] = ...) -> None: ...

class PausedRollout(_message.Message):
    __slots__ = ("runtime", "cluster", "namespace", "name", "since")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    cluster: str
    namespace: str
    name: str
    since: _timestamp_pb2.Timestamp
    def __init__(self, runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class SilentRuntime(_message.Message):
    __slots__ = ("runtime", "last_heard_at", "applications")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    LAST_HEARD_AT_FIELD_NUMBER: _ClassVar[int]
    APPLICATIONS_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    last_heard_at: _timestamp_pb2.Timestamp
    applications: int
    def __init__(self, runtime: _Optional[str] = ..., last_heard_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., applications: _Optional[int] = ...) -> None: ...

class CountDeploymentsRequest(_message.Message):
    __slots__ = ("filter", "to", "intervals")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    INTERVALS_FIELD_NUMBER: _ClassVar[int]
    filter: _application_service_pb2.ApplicationFilter
    to: _timestamp_pb2.Timestamp
    intervals: int
    def __init__(self, filter: _Optional[_Union[_application_service_pb2.ApplicationFilter, _Mapping]] = ..., to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., intervals: _Optional[int] = ..., **kwargs) -> None: ...

class CountDeploymentsResponse(_message.Message):
    __slots__ = ("intervals", "before")
    INTERVALS_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    intervals: _containers.RepeatedCompositeFieldContainer[DeploymentCounts]
    before: DeploymentCounts
    def __init__(self, intervals: _Optional[_Iterable[_Union[DeploymentCounts, _Mapping]]] = ..., before: _Optional[_Union[DeploymentCounts, _Mapping]] = ...) -> None: ...

class DeploymentCounts(_message.Message):
    __slots__ = ("succeeded", "failed")
    FROM_FIELD_NUMBER: _ClassVar[int]
    SUCCEEDED_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    succeeded: int
    failed: int
    def __init__(self, succeeded: _Optional[int] = ..., failed: _Optional[int] = ..., **kwargs) -> None: ...
