from causeway.access.v1 import access_pb2 as _access_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Cascade(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CASCADE_UNSPECIFIED: _ClassVar[Cascade]
    CASCADE_BACKGROUND: _ClassVar[Cascade]
    CASCADE_FOREGROUND: _ClassVar[Cascade]
    CASCADE_ORPHAN: _ClassVar[Cascade]

class Deletion(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DELETION_UNSPECIFIED: _ClassVar[Deletion]
    DELETION_GONE: _ClassVar[Deletion]
    DELETION_PENDING: _ClassVar[Deletion]
    DELETION_ABSENT: _ClassVar[Deletion]

class ManifestSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MANIFEST_SOURCE_UNSPECIFIED: _ClassVar[ManifestSource]
    MANIFEST_SOURCE_LIVE: _ClassVar[ManifestSource]
    MANIFEST_SOURCE_GIT: _ClassVar[ManifestSource]
    MANIFEST_SOURCE_COMPARED: _ClassVar[ManifestSource]
CASCADE_UNSPECIFIED: Cascade
CASCADE_BACKGROUND: Cascade
CASCADE_FOREGROUND: Cascade
CASCADE_ORPHAN: Cascade
DELETION_UNSPECIFIED: Deletion
DELETION_GONE: Deletion
DELETION_PENDING: Deletion
DELETION_ABSENT: Deletion
MANIFEST_SOURCE_UNSPECIFIED: ManifestSource
MANIFEST_SOURCE_LIVE: ManifestSource
MANIFEST_SOURCE_GIT: ManifestSource
MANIFEST_SOURCE_COMPARED: ManifestSource

class GetLiveResourceRequest(_message.Message):
    __slots__ = ("runtime", "group", "kind", "namespace", "name", "uid")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    group: str
    kind: str
    namespace: str
    name: str
    uid: str
    def __init__(self, runtime: _Optional[str] = ..., group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ...) -> None: ...

class GetLiveResourceResponse(_message.Message):
    __slots__ = ("manifest", "uid", "resource_version", "application_namespace", "application")
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    manifest: bytes
    uid: str
    resource_version: int
    application_namespace: str
    application: str
    def __init__(self, manifest: _Optional[bytes] = ..., uid: _Optional[str] = ..., resource_version: _Optional[int] = ..., application_namespace: _Optional[str] = ..., application: _Optional[str] = ...) -> None: ...

class DeleteResourceRequest(_message.Message):
    __slots__ = ("runtime", "group", "kind", "namespace", "name", "uid", "request_id", "cascade", "force")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    CASCADE_FIELD_NUMBER: _ClassVar[int]
    FORCE_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    group: str
    kind: str
    namespace: str
    name: str
    uid: str
    request_id: str
    cascade: Cascade
    force: bool
    def __init__(self, runtime: _Optional[str] = ..., group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., request_id: _Optional[str] = ..., cascade: _Optional[_Union[Cascade, str]] = ..., force: _Optional[bool] = ...) -> None: ...

class DeleteResourceResponse(_message.Message):
    __slots__ = ("request_id", "deletion")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    DELETION_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    deletion: Deletion
    def __init__(self, request_id: _Optional[str] = ..., deletion: _Optional[_Union[Deletion, str]] = ...) -> None: ...

class ListResourceActionsRequest(_message.Message):
    __slots__ = ("runtime", "group", "kind", "namespace", "name", "page_size", "page_token")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    group: str
    kind: str
    namespace: str
    name: str
    page_size: int
    page_token: str
    def __init__(self, runtime: _Optional[str] = ..., group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ResourceAction(_message.Message):
    __slots__ = ("name", "disabled", "display_name")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DISABLED_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    disabled: bool
    display_name: str
    def __init__(self, name: _Optional[str] = ..., disabled: _Optional[bool] = ..., display_name: _Optional[str] = ...) -> None: ...

class ListResourceActionsResponse(_message.Message):
    __slots__ = ("actions", "next_page_token")
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    actions: _containers.RepeatedCompositeFieldContainer[ResourceAction]
    next_page_token: str
    def __init__(self, actions: _Optional[_Iterable[_Union[ResourceAction, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RunResourceActionRequest(_message.Message):
    __slots__ = ("runtime", "group", "kind", "namespace", "name", "request_id", "action", "parameters")
    class ParametersEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    PARAMETERS_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    group: str
    kind: str
    namespace: str
    name: str
    request_id: str
    action: str
    parameters: _containers.ScalarMap[str, str]
    def __init__(self, runtime: _Optional[str] = ..., group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., action: _Optional[str] = ..., parameters: _Optional[_Mapping[str, str]] = ...) -> None: ...

class RunResourceActionResponse(_message.Message):
    __slots__ = ("request_id", "repeated_request")
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    repeated_request: bool
    def __init__(self, request_id: _Optional[str] = ..., repeated_request: _Optional[bool] = ...) -> None: ...

class StreamManifestsRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "source", "revision")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    source: ManifestSource
    revision: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., source: _Optional[_Union[ManifestSource, str]] = ..., revision: _Optional[str] = ...) -> None: ...

class StreamManifestsResponse(_message.Message):
    __slots__ = ("group", "kind", "namespace", "name", "live", "desired")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    LIVE_FIELD_NUMBER: _ClassVar[int]
    DESIRED_FIELD_NUMBER: _ClassVar[int]
    group: str
    kind: str
    namespace: str
    name: str
    live: bytes
    desired: bytes
    def __init__(self, group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., live: _Optional[bytes] = ..., desired: _Optional[bytes] = ...) -> None: ...
