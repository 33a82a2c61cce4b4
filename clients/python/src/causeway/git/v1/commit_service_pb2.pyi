from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.proxy.v1 import application_action_service_pb2 as _application_action_service_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FileEdit(_message.Message):
    __slots__ = ("path", "document", "set_value", "remove_value", "append_item", "set_image", "set_kustomize_image", "set_chart_dependency", "write_file", "copy_path", "delete_path")
    PATH_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    SET_VALUE_FIELD_NUMBER: _ClassVar[int]
    REMOVE_VALUE_FIELD_NUMBER: _ClassVar[int]
    APPEND_ITEM_FIELD_NUMBER: _ClassVar[int]
    SET_IMAGE_FIELD_NUMBER: _ClassVar[int]
    SET_KUSTOMIZE_IMAGE_FIELD_NUMBER: _ClassVar[int]
    SET_CHART_DEPENDENCY_FIELD_NUMBER: _ClassVar[int]
    WRITE_FILE_FIELD_NUMBER: _ClassVar[int]
    COPY_PATH_FIELD_NUMBER: _ClassVar[int]
    DELETE_PATH_FIELD_NUMBER: _ClassVar[int]
    path: str
    document: str
    set_value: SetValue
    remove_value: RemoveValue
    append_item: AppendItem
    set_image: SetImage
    set_kustomize_image: SetKustomizeImage
    set_chart_dependency: SetChartDependency
    write_file: WriteFile
    copy_path: CopyPath
    delete_path: DeletePath
    def __init__(self, path: _Optional[str] = ..., document: _Optional[str] = ..., set_value: _Optional[_Union[SetValue, _Mapping]] = ..., remove_value: _Optional[_Union[RemoveValue, _Mapping]] = ..., append_item: _Optional[_Union[AppendItem, _Mapping]] = ..., set_image: _Optional[_Union[SetImage, _Mapping]] = ..., set_kustomize_image: _Optional[_Union[SetKustomizeImage, _Mapping]] = ..., set_chart_dependency: _Optional[_Union[SetChartDependency, _Mapping]] = ..., write_file: _Optional[_Union[WriteFile, _Mapping]] = ..., copy_path: _Optional[_Union[CopyPath, _Mapping]] = ..., delete_path: _Optional[_Union[DeletePath, _Mapping]] = ...) -> None: ...

class SetValue(_message.Message):
    __slots__ = ("at", "value", "expected")
    AT_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    at: str
    value: str
    expected: str
    def __init__(self, at: _Optional[str] = ..., value: _Optional[str] = ..., expected: _Optional[str] = ...) -> None: ...

class RemoveValue(_message.Message):
    __slots__ = ("at", "expected")
    AT_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    at: str
    expected: str
    def __init__(self, at: _Optional[str] = ..., expected: _Optional[str] = ...) -> None: ...

class AppendItem(_message.Message):
    __slots__ = ("at", "value")
    AT_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    at: str
    value: str
    def __init__(self, at: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class SetImage(_message.Message):
    __slots__ = ("at", "image", "expected")
    AT_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    at: str
    image: str
    expected: str
    def __init__(self, at: _Optional[str] = ..., image: _Optional[str] = ..., expected: _Optional[str] = ...) -> None: ...

class SetKustomizeImage(_message.Message):
    __slots__ = ("name", "new_name", "new_tag", "digest", "expected")
    NAME_FIELD_NUMBER: _ClassVar[int]
    NEW_NAME_FIELD_NUMBER: _ClassVar[int]
    NEW_TAG_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    name: str
    new_name: str
    new_tag: str
    digest: str
    expected: str
    def __init__(self, name: _Optional[str] = ..., new_name: _Optional[str] = ..., new_tag: _Optional[str] = ..., digest: _Optional[str] = ..., expected: _Optional[str] = ...) -> None: ...

class SetChartDependency(_message.Message):
    __slots__ = ("name", "version", "expected")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    expected: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., expected: _Optional[str] = ...) -> None: ...

class WriteFile(_message.Message):
    __slots__ = ("content", "expected")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    content: bytes
    expected: str
    def __init__(self, content: _Optional[bytes] = ..., expected: _Optional[str] = ...) -> None: ...

class CopyPath(_message.Message):
    __slots__ = ()
    FROM_FIELD_NUMBER: _ClassVar[int]
    def __init__(self, **kwargs) -> None: ...

class DeletePath(_message.Message):
    __slots__ = ("expected",)
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    expected: str
    def __init__(self, expected: _Optional[str] = ...) -> None: ...

class CommitChangeRequest(_message.Message):
    __slots__ = ("runtime", "integration", "request_id", "repository", "branch", "message", "edits")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    EDITS_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    integration: str
    request_id: str
    repository: str
    branch: str
    message: str
    edits: _containers.RepeatedCompositeFieldContainer[FileEdit]
    def __init__(self, runtime: _Optional[str] = ..., integration: _Optional[str] = ..., request_id: _Optional[str] = ..., repository: _Optional[str] = ..., branch: _Optional[str] = ..., message: _Optional[str] = ..., edits: _Optional[_Iterable[_Union[FileEdit, _Mapping]]] = ...) -> None: ...

class CommitChangeResponse(_message.Message):
    __slots__ = ("commit", "request_id", "repeated_request")
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    commit: str
    request_id: str
    repeated_request: bool
    def __init__(self, commit: _Optional[str] = ..., request_id: _Optional[str] = ..., repeated_request: _Optional[bool] = ...) -> None: ...

class PreviewChangeRequest(_message.Message):
    __slots__ = ("runtime", "integration", "repository", "branch", "edits")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    EDITS_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    integration: str
    repository: str
    branch: str
    edits: _containers.RepeatedCompositeFieldContainer[FileEdit]
    def __init__(self, runtime: _Optional[str] = ..., integration: _Optional[str] = ..., repository: _Optional[str] = ..., branch: _Optional[str] = ..., edits: _Optional[_Iterable[_Union[FileEdit, _Mapping]]] = ...) -> None: ...

class PreviewChangeResponse(_message.Message):
    __slots__ = ("base", "files")
    BASE_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    base: str
    files: _containers.RepeatedCompositeFieldContainer[FileDiff]
    def __init__(self, base: _Optional[str] = ..., files: _Optional[_Iterable[_Union[FileDiff, _Mapping]]] = ...) -> None: ...

class FileDiff(_message.Message):
    __slots__ = ("path", "diff")
    PATH_FIELD_NUMBER: _ClassVar[int]
    DIFF_FIELD_NUMBER: _ClassVar[int]
    path: str
    diff: str
    def __init__(self, path: _Optional[str] = ..., diff: _Optional[str] = ...) -> None: ...

class PlanSourceChangeRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "change", "integration", "file", "branch")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    change: _application_action_service_pb2.SetApplicationSourceRequest
    integration: str
    file: str
    branch: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., change: _Optional[_Union[_application_action_service_pb2.SetApplicationSourceRequest, _Mapping]] = ..., integration: _Optional[str] = ..., file: _Optional[str] = ..., branch: _Optional[str] = ...) -> None: ...

class PlanSourceChangeResponse(_message.Message):
    __slots__ = ("changes",)
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    changes: _containers.RepeatedCompositeFieldContainer[PlannedChange]
    def __init__(self, changes: _Optional[_Iterable[_Union[PlannedChange, _Mapping]]] = ...) -> None: ...

class PlannedChange(_message.Message):
    __slots__ = ("integration", "repository", "branch", "base", "edits", "files")
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    BRANCH_FIELD_NUMBER: _ClassVar[int]
    BASE_FIELD_NUMBER: _ClassVar[int]
    EDITS_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    integration: str
    repository: str
    branch: str
    base: str
    edits: _containers.RepeatedCompositeFieldContainer[FileEdit]
    files: _containers.RepeatedCompositeFieldContainer[FileDiff]
    def __init__(self, integration: _Optional[str] = ..., repository: _Optional[str] = ..., branch: _Optional[str] = ..., base: _Optional[str] = ..., edits: _Optional[_Iterable[_Union[FileEdit, _Mapping]]] = ..., files: _Optional[_Iterable[_Union[FileDiff, _Mapping]]] = ...) -> None: ...
