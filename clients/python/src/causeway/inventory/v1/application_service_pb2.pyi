import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.inventory.v1 import application_pb2 as _application_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ApplicationView(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    APPLICATION_VIEW_UNSPECIFIED: _ClassVar[ApplicationView]
    APPLICATION_VIEW_BASIC: _ClassVar[ApplicationView]
    APPLICATION_VIEW_FULL: _ClassVar[ApplicationView]
    APPLICATION_VIEW_ROW: _ClassVar[ApplicationView]

class SourceKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SOURCE_KIND_UNSPECIFIED: _ClassVar[SourceKind]
    SOURCE_KIND_GIT: _ClassVar[SourceKind]
    SOURCE_KIND_HELM: _ClassVar[SourceKind]
    SOURCE_KIND_SEVERAL: _ClassVar[SourceKind]

class ApplicationSort(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    APPLICATION_SORT_UNSPECIFIED: _ClassVar[ApplicationSort]
    APPLICATION_SORT_RUNTIME: _ClassVar[ApplicationSort]
    APPLICATION_SORT_NAME: _ClassVar[ApplicationSort]
    APPLICATION_SORT_NAMESPACE: _ClassVar[ApplicationSort]
    APPLICATION_SORT_PROJECT: _ClassVar[ApplicationSort]
    APPLICATION_SORT_SYNC: _ClassVar[ApplicationSort]
    APPLICATION_SORT_HEALTH: _ClassVar[ApplicationSort]
    APPLICATION_SORT_CHANGED: _ClassVar[ApplicationSort]
    APPLICATION_SORT_CREATED: _ClassVar[ApplicationSort]
    APPLICATION_SORT_CLUSTER: _ClassVar[ApplicationSort]
    APPLICATION_SORT_LAST_OPERATION: _ClassVar[ApplicationSort]

class ApplicationField(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    APPLICATION_FIELD_UNSPECIFIED: _ClassVar[ApplicationField]
    APPLICATION_FIELD_RUNTIME: _ClassVar[ApplicationField]
    APPLICATION_FIELD_CLUSTER: _ClassVar[ApplicationField]
    APPLICATION_FIELD_NAMESPACE: _ClassVar[ApplicationField]
    APPLICATION_FIELD_PROJECT: _ClassVar[ApplicationField]
    APPLICATION_FIELD_SYNC: _ClassVar[ApplicationField]
    APPLICATION_FIELD_HEALTH: _ClassVar[ApplicationField]
    APPLICATION_FIELD_SOURCE: _ClassVar[ApplicationField]
    APPLICATION_FIELD_OPERATION: _ClassVar[ApplicationField]
    APPLICATION_FIELD_AUTOMATED: _ClassVar[ApplicationField]
    APPLICATION_FIELD_LABEL: _ClassVar[ApplicationField]
APPLICATION_VIEW_UNSPECIFIED: ApplicationView
APPLICATION_VIEW_BASIC: ApplicationView
APPLICATION_VIEW_FULL: ApplicationView
APPLICATION_VIEW_ROW: ApplicationView
SOURCE_KIND_UNSPECIFIED: SourceKind
SOURCE_KIND_GIT: SourceKind
SOURCE_KIND_HELM: SourceKind
SOURCE_KIND_SEVERAL: SourceKind
APPLICATION_SORT_UNSPECIFIED: ApplicationSort
APPLICATION_SORT_RUNTIME: ApplicationSort
APPLICATION_SORT_NAME: ApplicationSort
APPLICATION_SORT_NAMESPACE: ApplicationSort
APPLICATION_SORT_PROJECT: ApplicationSort
APPLICATION_SORT_SYNC: ApplicationSort
APPLICATION_SORT_HEALTH: ApplicationSort
APPLICATION_SORT_CHANGED: ApplicationSort
APPLICATION_SORT_CREATED: ApplicationSort
APPLICATION_SORT_CLUSTER: ApplicationSort
APPLICATION_SORT_LAST_OPERATION: ApplicationSort
APPLICATION_FIELD_UNSPECIFIED: ApplicationField
APPLICATION_FIELD_RUNTIME: ApplicationField
APPLICATION_FIELD_CLUSTER: ApplicationField
APPLICATION_FIELD_NAMESPACE: ApplicationField
APPLICATION_FIELD_PROJECT: ApplicationField
APPLICATION_FIELD_SYNC: ApplicationField
APPLICATION_FIELD_HEALTH: ApplicationField
APPLICATION_FIELD_SOURCE: ApplicationField
APPLICATION_FIELD_OPERATION: ApplicationField
APPLICATION_FIELD_AUTOMATED: ApplicationField
APPLICATION_FIELD_LABEL: ApplicationField

class ApplicationFilter(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "project", "sync", "health", "cluster", "label_selector", "text", "source", "runtimes", "clusters", "namespaces", "projects", "names", "operation", "automated", "repositories", "parents", "changed_since", "keys", "exclude")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    SYNC_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    LABEL_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    RUNTIMES_FIELD_NUMBER: _ClassVar[int]
    CLUSTERS_FIELD_NUMBER: _ClassVar[int]
    NAMESPACES_FIELD_NUMBER: _ClassVar[int]
    PROJECTS_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    AUTOMATED_FIELD_NUMBER: _ClassVar[int]
    REPOSITORIES_FIELD_NUMBER: _ClassVar[int]
    PARENTS_FIELD_NUMBER: _ClassVar[int]
    CHANGED_SINCE_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    EXCLUDE_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    project: str
    sync: _containers.RepeatedScalarFieldContainer[_application_pb2.SyncStatus]
    health: _containers.RepeatedScalarFieldContainer[_application_pb2.HealthStatus]
    cluster: str
    label_selector: str
    text: str
    source: _containers.RepeatedScalarFieldContainer[SourceKind]
    runtimes: _containers.RepeatedScalarFieldContainer[str]
    clusters: _containers.RepeatedScalarFieldContainer[str]
    namespaces: _containers.RepeatedScalarFieldContainer[str]
    projects: _containers.RepeatedScalarFieldContainer[str]
    names: _containers.RepeatedScalarFieldContainer[str]
    operation: _containers.RepeatedScalarFieldContainer[_application_pb2.OperationPhase]
    automated: bool
    repositories: _containers.RepeatedScalarFieldContainer[str]
    parents: _containers.RepeatedScalarFieldContainer[str]
    changed_since: _timestamp_pb2.Timestamp
    keys: _containers.RepeatedScalarFieldContainer[str]
    exclude: ApplicationExclusion
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., project: _Optional[str] = ..., sync: _Optional[_Iterable[_Union[_application_pb2.SyncStatus, str]]] = ..., health: _Optional[_Iterable[_Union[_application_pb2.HealthStatus, str]]] = ..., cluster: _Optional[str] = ..., label_selector: _Optional[str] = ..., text: _Optional[str] = ..., source: _Optional[_Iterable[_Union[SourceKind, str]]] = ..., runtimes: _Optional[_Iterable[str]] = ..., clusters: _Optional[_Iterable[str]] = ..., namespaces: _Optional[_Iterable[str]] = ..., projects: _Optional[_Iterable[str]] = ..., names: _Optional[_Iterable[str]] = ..., operation: _Optional[_Iterable[_Union[_application_pb2.OperationPhase, str]]] = ..., automated: _Optional[bool] = ..., repositories: _Optional[_Iterable[str]] = ..., parents: _Optional[_Iterable[str]] = ..., changed_since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., keys: _Optional[_Iterable[str]] = ..., exclude: _Optional[_Union[ApplicationExclusion, _Mapping]] = ...) -> None: ...

class ApplicationExclusion(_message.Message):
    __slots__ = ("runtimes", "clusters", "namespaces", "projects", "names", "sync", "health", "label_selector")
    RUNTIMES_FIELD_NUMBER: _ClassVar[int]
    CLUSTERS_FIELD_NUMBER: _ClassVar[int]
    NAMESPACES_FIELD_NUMBER: _ClassVar[int]
    PROJECTS_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    SYNC_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    LABEL_SELECTOR_FIELD_NUMBER: _ClassVar[int]
    runtimes: _containers.RepeatedScalarFieldContainer[str]
    clusters: _containers.RepeatedScalarFieldContainer[str]
    namespaces: _containers.RepeatedScalarFieldContainer[str]
    projects: _containers.RepeatedScalarFieldContainer[str]
    names: _containers.RepeatedScalarFieldContainer[str]
    sync: _containers.RepeatedScalarFieldContainer[_application_pb2.SyncStatus]
    health: _containers.RepeatedScalarFieldContainer[_application_pb2.HealthStatus]
    label_selector: str
    def __init__(self, runtimes: _Optional[_Iterable[str]] = ..., clusters: _Optional[_Iterable[str]] = ..., namespaces: _Optional[_Iterable[str]] = ..., projects: _Optional[_Iterable[str]] = ..., names: _Optional[_Iterable[str]] = ..., sync: _Optional[_Iterable[_Union[_application_pb2.SyncStatus, str]]] = ..., health: _Optional[_Iterable[_Union[_application_pb2.HealthStatus, str]]] = ..., label_selector: _Optional[str] = ...) -> None: ...

class ListApplicationsRequest(_message.Message):
    __slots__ = ("filter", "view", "page_size", "page_token", "sort", "offset", "descending")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SORT_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    DESCENDING_FIELD_NUMBER: _ClassVar[int]
    filter: ApplicationFilter
    view: ApplicationView
    page_size: int
    page_token: str
    sort: ApplicationSort
    offset: int
    descending: bool
    def __init__(self, filter: _Optional[_Union[ApplicationFilter, _Mapping]] = ..., view: _Optional[_Union[ApplicationView, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., sort: _Optional[_Union[ApplicationSort, str]] = ..., offset: _Optional[int] = ..., descending: _Optional[bool] = ...) -> None: ...

class ListApplicationsResponse(_message.Message):
    __slots__ = ("applications", "next_page_token", "total", "cursor")
    APPLICATIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    applications: _containers.RepeatedCompositeFieldContainer[_application_pb2.Application]
    next_page_token: str
    total: int
    cursor: str
    def __init__(self, applications: _Optional[_Iterable[_Union[_application_pb2.Application, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., total: _Optional[int] = ..., cursor: _Optional[str] = ...) -> None: ...

class ListApplicationFacetsRequest(_message.Message):
    __slots__ = ("filter", "fields", "most_values", "own_condition_left_out", "label_keys")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    MOST_VALUES_FIELD_NUMBER: _ClassVar[int]
    OWN_CONDITION_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    LABEL_KEYS_FIELD_NUMBER: _ClassVar[int]
    filter: ApplicationFilter
    fields: _containers.RepeatedScalarFieldContainer[ApplicationField]
    most_values: int
    own_condition_left_out: bool
    label_keys: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, filter: _Optional[_Union[ApplicationFilter, _Mapping]] = ..., fields: _Optional[_Iterable[_Union[ApplicationField, str]]] = ..., most_values: _Optional[int] = ..., own_condition_left_out: _Optional[bool] = ..., label_keys: _Optional[_Iterable[str]] = ...) -> None: ...

class ListApplicationFacetsResponse(_message.Message):
    __slots__ = ("total", "facets", "label_keys")
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    FACETS_FIELD_NUMBER: _ClassVar[int]
    LABEL_KEYS_FIELD_NUMBER: _ClassVar[int]
    total: int
    facets: _containers.RepeatedCompositeFieldContainer[ApplicationFacet]
    label_keys: _containers.RepeatedCompositeFieldContainer[FacetValue]
    def __init__(self, total: _Optional[int] = ..., facets: _Optional[_Iterable[_Union[ApplicationFacet, _Mapping]]] = ..., label_keys: _Optional[_Iterable[_Union[FacetValue, _Mapping]]] = ...) -> None: ...

class ApplicationFacet(_message.Message):
    __slots__ = ("field", "values", "others", "label_key")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    OTHERS_FIELD_NUMBER: _ClassVar[int]
    LABEL_KEY_FIELD_NUMBER: _ClassVar[int]
    field: ApplicationField
    values: _containers.RepeatedCompositeFieldContainer[FacetValue]
    others: int
    label_key: str
    def __init__(self, field: _Optional[_Union[ApplicationField, str]] = ..., values: _Optional[_Iterable[_Union[FacetValue, _Mapping]]] = ..., others: _Optional[int] = ..., label_key: _Optional[str] = ...) -> None: ...

class FacetValue(_message.Message):
    __slots__ = ("value", "count")
    VALUE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    value: str
    count: int
    def __init__(self, value: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class GetApplicationRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "cluster", "at")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    cluster: str
    at: _timestamp_pb2.Timestamp
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., cluster: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetApplicationResponse(_message.Message):
    __slots__ = ("application",)
    APPLICATION_FIELD_NUMBER: _ClassVar[int]
    application: _application_pb2.Application
    def __init__(self, application: _Optional[_Union[_application_pb2.Application, _Mapping]] = ...) -> None: ...

class ListApplicationStatesRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "cluster", "page_size", "page_token")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    cluster: str
    page_size: int
    page_token: str
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., cluster: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListApplicationStatesResponse(_message.Message):
    __slots__ = ("states", "next_page_token")
    STATES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    states: _containers.RepeatedCompositeFieldContainer[AcceptedState]
    next_page_token: str
    def __init__(self, states: _Optional[_Iterable[_Union[AcceptedState, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class AcceptedState(_message.Message):
    __slots__ = ("received_at", "resource_version", "gone", "sync", "health", "revisions", "operation")
    RECEIVED_AT_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_VERSION_FIELD_NUMBER: _ClassVar[int]
    GONE_FIELD_NUMBER: _ClassVar[int]
    SYNC_FIELD_NUMBER: _ClassVar[int]
    HEALTH_FIELD_NUMBER: _ClassVar[int]
    REVISIONS_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    received_at: _timestamp_pb2.Timestamp
    resource_version: int
    gone: bool
    sync: _application_pb2.SyncStatus
    health: _application_pb2.HealthStatus
    revisions: _containers.RepeatedScalarFieldContainer[str]
    operation: _application_pb2.OperationPhase
    def __init__(self, received_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., resource_version: _Optional[int] = ..., gone: _Optional[bool] = ..., sync: _Optional[_Union[_application_pb2.SyncStatus, str]] = ..., health: _Optional[_Union[_application_pb2.HealthStatus, str]] = ..., revisions: _Optional[_Iterable[str]] = ..., operation: _Optional[_Union[_application_pb2.OperationPhase, str]] = ...) -> None: ...

class DiffApplicationRequest(_message.Message):
    __slots__ = ("runtime", "namespace", "name", "cluster", "to")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    namespace: str
    name: str
    cluster: str
    to: _timestamp_pb2.Timestamp
    def __init__(self, runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., cluster: _Optional[str] = ..., to: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., **kwargs) -> None: ...

class DiffApplicationResponse(_message.Message):
    __slots__ = ("to", "resources", "resources_left_off")
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    RESOURCES_LEFT_OFF_FIELD_NUMBER: _ClassVar[int]
    to: _application_pb2.Application
    resources: _containers.RepeatedCompositeFieldContainer[ResourceDifference]
    resources_left_off: int
    def __init__(self, to: _Optional[_Union[_application_pb2.Application, _Mapping]] = ..., resources: _Optional[_Iterable[_Union[ResourceDifference, _Mapping]]] = ..., resources_left_off: _Optional[int] = ..., **kwargs) -> None: ...

class ResourceDifference(_message.Message):
    __slots__ = ("to",)
    FROM_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    to: _application_pb2.Resource
    def __init__(self, to: _Optional[_Union[_application_pb2.Resource, _Mapping]] = ..., **kwargs) -> None: ...

class WatchApplicationsRequest(_message.Message):
    __slots__ = ("filter", "view", "cursor")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    filter: ApplicationFilter
    view: ApplicationView
    cursor: str
    def __init__(self, filter: _Optional[_Union[ApplicationFilter, _Mapping]] = ..., view: _Optional[_Union[ApplicationView, str]] = ..., cursor: _Optional[str] = ...) -> None: ...

class WatchApplicationsResponse(_message.Message):
    __slots__ = ("updated", "deleted", "bookmark", "cursor")
    UPDATED_FIELD_NUMBER: _ClassVar[int]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    BOOKMARK_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    updated: _application_pb2.Application
    deleted: ApplicationDeleted
    bookmark: WatchBookmark
    cursor: str
    def __init__(self, updated: _Optional[_Union[_application_pb2.Application, _Mapping]] = ..., deleted: _Optional[_Union[ApplicationDeleted, _Mapping]] = ..., bookmark: _Optional[_Union[WatchBookmark, _Mapping]] = ..., cursor: _Optional[str] = ...) -> None: ...

class ApplicationDeleted(_message.Message):
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

class WatchBookmark(_message.Message):
    __slots__ = ("initial_state_sent",)
    INITIAL_STATE_SENT_FIELD_NUMBER: _ClassVar[int]
    initial_state_sent: bool
    def __init__(self, initial_state_sent: _Optional[bool] = ...) -> None: ...

class GetManifestRequest(_message.Message):
    __slots__ = ("digest_hex", "runtime", "namespace", "name", "cluster", "at")
    DIGEST_HEX_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    digest_hex: str
    runtime: str
    namespace: str
    name: str
    cluster: str
    at: _timestamp_pb2.Timestamp
    def __init__(self, digest_hex: _Optional[str] = ..., runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., cluster: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class BatchGetManifestsRequest(_message.Message):
    __slots__ = ("digests_hex", "runtime", "namespace", "name", "cluster", "at")
    DIGESTS_HEX_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    digests_hex: _containers.RepeatedScalarFieldContainer[str]
    runtime: str
    namespace: str
    name: str
    cluster: str
    at: _timestamp_pb2.Timestamp
    def __init__(self, digests_hex: _Optional[_Iterable[str]] = ..., runtime: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., cluster: _Optional[str] = ..., at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class BatchGetManifestsResponse(_message.Message):
    __slots__ = ("manifests", "omitted")
    MANIFESTS_FIELD_NUMBER: _ClassVar[int]
    OMITTED_FIELD_NUMBER: _ClassVar[int]
    manifests: _containers.RepeatedCompositeFieldContainer[FoundManifest]
    omitted: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, manifests: _Optional[_Iterable[_Union[FoundManifest, _Mapping]]] = ..., omitted: _Optional[_Iterable[str]] = ...) -> None: ...

class FoundManifest(_message.Message):
    __slots__ = ("digest_hex", "content")
    DIGEST_HEX_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    digest_hex: str
    content: bytes
    def __init__(self, digest_hex: _Optional[str] = ..., content: _Optional[bytes] = ...) -> None: ...

class GetManifestResponse(_message.Message):
    __slots__ = ("content",)
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    content: bytes
    def __init__(self, content: _Optional[bytes] = ...) -> None: ...

class ListDeploymentsRequest(_message.Message):
    __slots__ = ("filter", "phases", "started_from", "started_before", "page_size", "page_token")
    FILTER_FIELD_NUMBER: _ClassVar[int]
    PHASES_FIELD_NUMBER: _ClassVar[int]
    STARTED_FROM_FIELD_NUMBER: _ClassVar[int]
    STARTED_BEFORE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    filter: ApplicationFilter
    phases: _containers.RepeatedScalarFieldContainer[_application_pb2.OperationPhase]
    started_from: _timestamp_pb2.Timestamp
    started_before: _timestamp_pb2.Timestamp
    page_size: int
    page_token: str
    def __init__(self, filter: _Optional[_Union[ApplicationFilter, _Mapping]] = ..., phases: _Optional[_Iterable[_Union[_application_pb2.OperationPhase, str]]] = ..., started_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., started_before: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListDeploymentsResponse(_message.Message):
    __slots__ = ("deployments", "next_page_token")
    DEPLOYMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    deployments: _containers.RepeatedCompositeFieldContainer[DeploymentRecord]
    next_page_token: str
    def __init__(self, deployments: _Optional[_Iterable[_Union[DeploymentRecord, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class DeploymentRecord(_message.Message):
    __slots__ = ("runtime", "cluster", "namespace", "name", "uid", "project", "operation", "recorded_at")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    OPERATION_FIELD_NUMBER: _ClassVar[int]
    RECORDED_AT_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    cluster: str
    namespace: str
    name: str
    uid: str
    project: str
    operation: _application_pb2.OperationRecord
    recorded_at: _timestamp_pb2.Timestamp
    def __init__(self, runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., project: _Optional[str] = ..., operation: _Optional[_Union[_application_pb2.OperationRecord, _Mapping]] = ..., recorded_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...
