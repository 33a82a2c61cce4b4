import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ApplicationKey(_message.Message):
    __slots__ = ("namespace", "name", "project")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    name: str
    project: str
    def __init__(self, namespace: _Optional[str] = ..., name: _Optional[str] = ..., project: _Optional[str] = ...) -> None: ...

class GetManagedResourcesRequest(_message.Message):
    __slots__ = ("application", "state_key")
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    STATE_KEY_FIELD_NUMBER: _ClassVar[int]
    application: ApplicationKey
    state_key: str
    def __init__(self, application: _Optional[_Union[ApplicationKey, _Mapping]] = ..., state_key: _Optional[str] = ...) -> None: ...

class GetManagedResourcesResponse(_message.Message):
    __slots__ = ("resources",)
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    resources: _containers.RepeatedCompositeFieldContainer[ManagedResource]
    def __init__(self, resources: _Optional[_Iterable[_Union[ManagedResource, _Mapping]]] = ...) -> None: ...

class ManagedResource(_message.Message):
    __slots__ = ("group", "kind", "namespace", "name", "live_json", "desired_json")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    LIVE_JSON_FIELD_NUMBER: _ClassVar[int]
    DESIRED_JSON_FIELD_NUMBER: _ClassVar[int]
    group: str
    kind: str
    namespace: str
    name: str
    live_json: str
    desired_json: str
    def __init__(self, group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., live_json: _Optional[str] = ..., desired_json: _Optional[str] = ...) -> None: ...

class GetResourceTreeRequest(_message.Message):
    __slots__ = ("application", "state_key")
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    STATE_KEY_FIELD_NUMBER: _ClassVar[int]
    application: ApplicationKey
    state_key: str
    def __init__(self, application: _Optional[_Union[ApplicationKey, _Mapping]] = ..., state_key: _Optional[str] = ...) -> None: ...

class GetResourceTreeResponse(_message.Message):
    __slots__ = ("nodes",)
    NODES_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[ResourceNode]
    def __init__(self, nodes: _Optional[_Iterable[_Union[ResourceNode, _Mapping]]] = ...) -> None: ...

class ResourceNode(_message.Message):
    __slots__ = ("group", "version", "kind", "namespace", "name", "uid", "parent_uids", "health", "health_message", "images", "created_at", "info", "network")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    PARENT_UIDS_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    HEALTH_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    INFO_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    group: str
    version: str
    kind: str
    namespace: str
    name: str
    uid: str
    parent_uids: _containers.RepeatedScalarFieldContainer[str]
    health: str
    health_message: str
    images: _containers.RepeatedScalarFieldContainer[str]
    created_at: _timestamp_pb2.Timestamp
    info: _containers.RepeatedCompositeFieldContainer[ResourceNodeInfo]
    network: ResourceNodeNetwork
    def __init__(self, group: _Optional[str] = ..., version: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., parent_uids: _Optional[_Iterable[str]] = ..., health: _Optional[str] = ..., health_message: _Optional[str] = ..., images: _Optional[_Iterable[str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., info: _Optional[_Iterable[_Union[ResourceNodeInfo, _Mapping]]] = ..., network: _Optional[_Union[ResourceNodeNetwork, _Mapping]] = ...) -> None: ...

class ResourceNodeInfo(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class ResourceNodeNetwork(_message.Message):
    __slots__ = ("targets", "ingress", "external_urls")
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    INGRESS_FIELD_NUMBER: _ClassVar[int]
    EXTERNAL_URLS_FIELD_NUMBER: _ClassVar[int]
    targets: _containers.RepeatedCompositeFieldContainer[ResourceNodeTarget]
    ingress: _containers.RepeatedScalarFieldContainer[str]
    external_urls: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, targets: _Optional[_Iterable[_Union[ResourceNodeTarget, _Mapping]]] = ..., ingress: _Optional[_Iterable[str]] = ..., external_urls: _Optional[_Iterable[str]] = ...) -> None: ...

class ResourceNodeTarget(_message.Message):
    __slots__ = ("group", "kind", "namespace", "name")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    group: str
    kind: str
    namespace: str
    name: str
    def __init__(self, group: _Optional[str] = ..., kind: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class GetRevisionMetadataRequest(_message.Message):
    __slots__ = ("application", "revision", "source_index", "repository_url")
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SOURCE_INDEX_FIELD_NUMBER: _ClassVar[int]
    REPOSITORY_URL_FIELD_NUMBER: _ClassVar[int]
    application: ApplicationKey
    revision: str
    source_index: int
    repository_url: str
    def __init__(self, application: _Optional[_Union[ApplicationKey, _Mapping]] = ..., revision: _Optional[str] = ..., source_index: _Optional[int] = ..., repository_url: _Optional[str] = ...) -> None: ...

class GetRevisionMetadataResponse(_message.Message):
    __slots__ = ("author", "message", "committed_at", "tags", "url", "avatar_url")
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    COMMITTED_AT_FIELD_NUMBER: _ClassVar[int]
    TAGS_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    AVATAR_URL_FIELD_NUMBER: _ClassVar[int]
    author: str
    message: str
    committed_at: _timestamp_pb2.Timestamp
    tags: _containers.RepeatedScalarFieldContainer[str]
    url: str
    avatar_url: str
    def __init__(self, author: _Optional[str] = ..., message: _Optional[str] = ..., committed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., tags: _Optional[_Iterable[str]] = ..., url: _Optional[str] = ..., avatar_url: _Optional[str] = ...) -> None: ...
