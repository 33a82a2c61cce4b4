import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.inventory.v1 import application_pb2 as _application_pb2
from causeway.inventory.v1 import application_service_pb2 as _application_service_pb2
from causeway.inventory.v1 import resource_pb2 as _resource_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ResourceView(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESOURCE_VIEW_UNSPECIFIED: _ClassVar[ResourceView]
    RESOURCE_VIEW_BASIC: _ClassVar[ResourceView]
    RESOURCE_VIEW_FULL: _ClassVar[ResourceView]
RESOURCE_VIEW_UNSPECIFIED: ResourceView
RESOURCE_VIEW_BASIC: ResourceView
RESOURCE_VIEW_FULL: ResourceView

class LiveResource(_message.Message):
    __slots__ = ("runtime", "cluster", "resource", "namespace", "name", "uid", "resource_version", "labels", "created_at", "deletion_requested_at", "received_at", "group", "version", "kind", "owners", "application", "health", "images", "manifest_digest", "rollout", "replica_set", "analysis_run", "workflow")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    DELETION_REQUESTED_AT_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_AT_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    OWNERS_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    MANIFEST_DIGEST_FIELD_NUMBER: _ClassVar[int]
    ROLLOUT_FIELD_NUMBER: _ClassVar[int]
    REPLICA_SET_FIELD_NUMBER: _ClassVar[int]
    ANALYSIS_RUN_FIELD_NUMBER: _ClassVar[int]
    WORKFLOW_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    cluster: str
    resource: str
    namespace: str
    name: str
    uid: str
    resource_version: int
    labels: _containers.ScalarMap[str, str]
    created_at: _timestamp_pb2.Timestamp
    deletion_requested_at: _timestamp_pb2.Timestamp
    received_at: _timestamp_pb2.Timestamp
    group: str
    version: str
    kind: str
    owners: _containers.RepeatedCompositeFieldContainer[_resource_pb2.ResourceOwner]
    application: _resource_pb2.ApplicationReference
    health: _application_pb2.HealthState
    images: _containers.RepeatedScalarFieldContainer[str]
    manifest_digest: bytes
    rollout: _resource_pb2.Rollout
    replica_set: _resource_pb2.ReplicaSet
    analysis_run: _resource_pb2.AnalysisRun
    workflow: _resource_pb2.Workflow
    def __init__(self, runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., resource: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., resource_version: _Optional[int] = ..., labels: _Optional[_Mapping[str, str]] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., deletion_requested_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., received_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., group: _Optional[str] = ..., version: _Optional[str] = ..., kind: _Optional[str] = ..., owners: _Optional[_Iterable[_Union[_resource_pb2.ResourceOwner, _Mapping]]] = ..., application: _Optional[_Union[_resource_pb2.ApplicationReference, _Mapping]] = ..., health: _Optional[_Union[_application_pb2.HealthState, _Mapping]] = ..., images: _Optional[_Iterable[str]] = ..., manifest_digest: _Optional[bytes] = ..., rollout: _Optional[_Union[_resource_pb2.Rollout, _Mapping]] = ..., replica_set: _Optional[_Union[_resource_pb2.ReplicaSet, _Mapping]] = ..., analysis_run: _Optional[_Union[_resource_pb2.AnalysisRun, _Mapping]] = ..., workflow: _Optional[_Union[_resource_pb2.Workflow, _Mapping]] = ...) -> None: ...

class ResourceFilter(_message.Message):
    __slots__ = ("runtime", "cluster", "namespace", "kind", "name", "application", "application_namespace", "health", "label_selector")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    LABEL_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    cluster: str
    namespace: str
    kind: str
    name: str
    application: str
    application_namespace: str
    health: _containers.RepeatedScalarFieldContainer[_application_pb2.HealthStatus]
    label_selector: str
    def __init__(self, runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., namespace: _Optional[str] = ..., kind: _Optional[str] = ..., name: _Optional[str] = ..., application: _Optional[str] = ..., application_namespace: _Optional[str] = ..., health: _Optional[_Iterable[_Union[_application_pb2.HealthStatus, str]]] = ..., label_selector: _Optional[str] = ...) -> None: ...

class ListResourcesRequest(_message.Message):
    __slots__ = ("filter", "view", "page_size", "page_token")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    filter: ResourceFilter
    view: ResourceView
    page_size: int
    page_token: str
    def __init__(self, filter: _Optional[_Union[ResourceFilter, _Mapping]] = ..., view: _Optional[_Union[ResourceView, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListResourcesResponse(_message.Message):
    __slots__ = ("resources", "next_page_token")
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    resources: _containers.RepeatedCompositeFieldContainer[LiveResource]
    next_page_token: str
    def __init__(self, resources: _Optional[_Iterable[_Union[LiveResource, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetResourceRequest(_message.Message):
    __slots__ = ("runtime", "kind", "name", "namespace", "cluster", "with_manifest")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    WITH_MANIFEST_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    kind: str
    name: str
    namespace: str
    cluster: str
    with_manifest: bool
    def __init__(self, runtime: _Optional[str] = ..., kind: _Optional[str] = ..., name: _Optional[str] = ..., namespace: _Optional[str] = ..., cluster: _Optional[str] = ..., with_manifest: _Optional[bool] = ...) -> None: ...

class GetResourceResponse(_message.Message):
    __slots__ = ("resource", "manifest")
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    MANIFEST_FIELD_NUMBER: _ClassVar[int]
    resource: LiveResource
    manifest: bytes
    def __init__(self, resource: _Optional[_Union[LiveResource, _Mapping]] = ..., manifest: _Optional[bytes] = ...) -> None: ...

class WatchResourcesRequest(_message.Message):
    __slots__ = ("filter", "view", "cursor")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    filter: ResourceFilter
    view: ResourceView
    cursor: str
    def __init__(self, filter: _Optional[_Union[ResourceFilter, _Mapping]] = ..., view: _Optional[_Union[ResourceView, str]] = ..., cursor: _Optional[str] = ...) -> None: ...

class WatchResourcesResponse(_message.Message):
    __slots__ = ("updated", "deleted", "bookmark", "cursor")
    UPDATED_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    BOOKMARK_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    updated: LiveResource
    deleted: ResourceDeleted
    bookmark: _application_service_pb2.WatchBookmark
    cursor: str
    def __init__(self, updated: _Optional[_Union[LiveResource, _Mapping]] = ..., deleted: _Optional[_Union[ResourceDeleted, _Mapping]] = ..., bookmark: _Optional[_Union[_application_service_pb2.WatchBookmark, _Mapping]] = ..., cursor: _Optional[str] = ...) -> None: ...

class ResourceDeleted(_message.Message):
    __slots__ = ("runtime", "cluster", "resource", "namespace", "name")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    cluster: str
    resource: str
    namespace: str
    name: str
    def __init__(self, runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., resource: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class ListEventsRequest(_message.Message):
    __slots__ = ("runtime", "cluster", "application", "application_namespace", "name", "namespace", "kind", "page_size", "page_token")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    cluster: str
    application: str
    application_namespace: str
    name: str
    namespace: str
    kind: str
    page_size: int
    page_token: str
    def __init__(self, runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., application: _Optional[str] = ..., application_namespace: _Optional[str] = ..., name: _Optional[str] = ..., namespace: _Optional[str] = ..., kind: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListEventsResponse(_message.Message):
    __slots__ = ("events", "next_page_token")
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[ReportedEvent]
    next_page_token: str
    def __init__(self, events: _Optional[_Iterable[_Union[ReportedEvent, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ReportedEvent(_message.Message):
    __slots__ = ("runtime", "cluster", "application", "event")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    cluster: str
    application: _resource_pb2.ApplicationReference
    event: _resource_pb2.KubernetesEvent
    def __init__(self, runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., application: _Optional[_Union[_resource_pb2.ApplicationReference, _Mapping]] = ..., event: _Optional[_Union[_resource_pb2.KubernetesEvent, _Mapping]] = ...) -> None: ...

class ListImagesRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "text", "page_size", "page_token")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    text: str
    page_size: int
    page_token: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., text: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListImagesResponse(_message.Message):
    __slots__ = ("images", "next_page_token")
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    images: _containers.RepeatedCompositeFieldContainer[ImageInUse]
    next_page_token: str
    def __init__(self, images: _Optional[_Iterable[_Union[ImageInUse, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ImageInUse(_message.Message):
    __slots__ = ("repository", "tag", "digest", "applications")
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    TAG_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    APPLICATIONS_FIELD_NUMBER: _ClassVar[int]
    repository: str
    tag: str
    digest: str
    applications: _containers.RepeatedCompositeFieldContainer[ImageUser]
    def __init__(self, repository: _Optional[str] = ..., tag: _Optional[str] = ..., digest: _Optional[str] = ..., applications: _Optional[_Iterable[_Union[ImageUser, _Mapping]]] = ...) -> None: ...

class ImageUser(_message.Message):
    __slots__ = ("runtime", "cluster", "namespace", "name")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    cluster: str
    namespace: str
    name: str
    def __init__(self, runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...
