from causeway.access.v1 import access_pb2 as _access_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ExecRequest(_message.Message):
    __slots__ = ("runtime", "application_namespace", "application", "group", "kind", "namespace", "name", "container", "request_id", "command", "stdin", "tty", "size", "input")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    STDIN_FIELD_NUMBER: _ClassVar[int]
    TTY_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    application_namespace: str
    application: str
    group: str
    kind: str
    namespace: str
    name: str
    container: str
    request_id: str
    command: _containers.RepeatedScalarFieldContainer[str]
    stdin: bool
    tty: bool
    size: TerminalSize
    input: bytes
    def __init__(self, runtime: _Optional[str] = ..., application_namespace: _Optional[str] = ..., application: _Optional[str] = ..., group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., container: _Optional[str] = ..., request_id: _Optional[str] = ..., command: _Optional[_Iterable[str]] = ..., stdin: _Optional[bool] = ..., tty: _Optional[bool] = ..., size: _Optional[_Union[TerminalSize, _Mapping]] = ..., input: _Optional[bytes] = ...) -> None: ...

class TerminalSize(_message.Message):
    __slots__ = ("columns", "rows")
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    columns: int
    rows: int
    def __init__(self, columns: _Optional[int] = ..., rows: _Optional[int] = ...) -> None: ...

class ExecResponse(_message.Message):
    __slots__ = ("begin", "stdout", "stderr", "end")
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    STDOUT_FIELD_NUMBER: _ClassVar[int]
    STDERR_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    begin: ExecBegin
    stdout: bytes
    stderr: bytes
    end: ExecEnd
    def __init__(self, begin: _Optional[_Union[ExecBegin, _Mapping]] = ..., stdout: _Optional[bytes] = ..., stderr: _Optional[bytes] = ..., end: _Optional[_Union[ExecEnd, _Mapping]] = ...) -> None: ...

class ExecBegin(_message.Message):
    __slots__ = ("namespace", "pod", "container")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    POD_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    pod: str
    container: str
    def __init__(self, namespace: _Optional[str] = ..., pod: _Optional[str] = ..., container: _Optional[str] = ...) -> None: ...

class ExecEnd(_message.Message):
    __slots__ = ("exit_code", "error")
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    exit_code: int
    error: str
    def __init__(self, exit_code: _Optional[int] = ..., error: _Optional[str] = ...) -> None: ...
