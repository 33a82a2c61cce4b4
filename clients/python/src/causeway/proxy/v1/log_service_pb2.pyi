import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class StreamLogsRequest(_message.Message):
    __slots__ = ("runtime", "application_namespace", "application", "group", "kind", "namespace", "name", "label_selector", "container", "all_containers", "follow", "previous", "timestamps", "since", "tail", "grep", "grep_regex", "grep_ignore_case", "grep_invert", "until", "positions", "resume_after")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    LABEL_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    ALL_CONTAINERS_FIELD_NUMBER: _ClassVar[int]
    FOLLOW_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    TIMESTAMPS_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    TAIL_FIELD_NUMBER: _ClassVar[int]
    GREP_FIELD_NUMBER: _ClassVar[int]
    GREP_REGEX_FIELD_NUMBER: _ClassVar[int]
    GREP_IGNORE_CASE_FIELD_NUMBER: _ClassVar[int]
    GREP_INVERT_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    RESUME_AFTER_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    application_namespace: str
    application: str
    group: str
    kind: str
    namespace: str
    name: str
    label_selector: str
    container: str
    all_containers: bool
    follow: bool
    previous: bool
    timestamps: bool
    since: _timestamp_pb2.Timestamp
    tail: int
    grep: str
    grep_regex: bool
    grep_ignore_case: bool
    grep_invert: bool
    until: _timestamp_pb2.Timestamp
    positions: bool
    resume_after: _containers.RepeatedCompositeFieldContainer[LogPosition]
    def __init__(self, runtime: _Optional[str] = ..., application_namespace: _Optional[str] = ..., application: _Optional[str] = ..., group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., label_selector: _Optional[str] = ..., container: _Optional[str] = ..., all_containers: _Optional[bool] = ..., follow: _Optional[bool] = ..., previous: _Optional[bool] = ..., timestamps: _Optional[bool] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., tail: _Optional[int] = ..., grep: _Optional[str] = ..., grep_regex: _Optional[bool] = ..., grep_ignore_case: _Optional[bool] = ..., grep_invert: _Optional[bool] = ..., until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., positions: _Optional[bool] = ..., resume_after: _Optional[_Iterable[_Union[LogPosition, _Mapping]]] = ...) -> None: ...

class LogPosition(_message.Message):
    __slots__ = ("pod", "container", "time", "sequence")
    POD_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    pod: str
    container: str
    time: _timestamp_pb2.Timestamp
    sequence: int
    def __init__(self, pod: _Optional[str] = ..., container: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., sequence: _Optional[int] = ...) -> None: ...

class LogLine(_message.Message):
    __slots__ = ("time", "sequence", "text")
    TIME_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    time: _timestamp_pb2.Timestamp
    sequence: int
    text: str
    def __init__(self, time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., sequence: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class LogLines(_message.Message):
    __slots__ = ("lines",)
    LINES_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedCompositeFieldContainer[LogLine]
    def __init__(self, lines: _Optional[_Iterable[_Union[LogLine, _Mapping]]] = ...) -> None: ...

class StreamLogsResponse(_message.Message):
    __slots__ = ("namespace", "pod", "container", "begin", "lines", "end", "positioned")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    POD_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    POSITIONED_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    pod: str
    container: str
    begin: LogBegin
    lines: str
    end: LogEnd
    positioned: LogLines
    def __init__(self, namespace: _Optional[str] = ..., pod: _Optional[str] = ..., container: _Optional[str] = ..., begin: _Optional[_Union[LogBegin, _Mapping]] = ..., lines: _Optional[str] = ..., end: _Optional[_Union[LogEnd, _Mapping]] = ..., positioned: _Optional[_Union[LogLines, _Mapping]] = ...) -> None: ...

class LogBegin(_message.Message):
    __slots__ = ("containers", "joined")
    CONTAINERS_FIELD_NUMBER: _ClassVar[int]
    JOINED_FIELD_NUMBER: _ClassVar[int]
    containers: int
    joined: bool
    def __init__(self, containers: _Optional[int] = ..., joined: _Optional[bool] = ...) -> None: ...

class LogEnd(_message.Message):
    __slots__ = ("error",)
    ERROR_FIELD_NUMBER: _ClassVar[int]
    error: str
    def __init__(self, error: _Optional[str] = ...) -> None: ...
