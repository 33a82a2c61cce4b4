import datetime

from causeway.access.v1 import access_pb2 as _access_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class WebhookProvider(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    WEBHOOK_PROVIDER_UNSPECIFIED: _ClassVar[WebhookProvider]
    WEBHOOK_PROVIDER_GITHUB: _ClassVar[WebhookProvider]
    WEBHOOK_PROVIDER_GITLAB: _ClassVar[WebhookProvider]
    WEBHOOK_PROVIDER_BITBUCKET_CLOUD: _ClassVar[WebhookProvider]
    WEBHOOK_PROVIDER_BITBUCKET_DATA_CENTER: _ClassVar[WebhookProvider]
    WEBHOOK_PROVIDER_AZURE_DEVOPS: _ClassVar[WebhookProvider]
    WEBHOOK_PROVIDER_GITEA: _ClassVar[WebhookProvider]
    WEBHOOK_PROVIDER_STANDARD: _ClassVar[WebhookProvider]

class DeliveryState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DELIVERY_STATE_UNSPECIFIED: _ClassVar[DeliveryState]
    DELIVERY_STATE_PENDING: _ClassVar[DeliveryState]
    DELIVERY_STATE_DONE: _ClassVar[DeliveryState]
    DELIVERY_STATE_DEAD: _ClassVar[DeliveryState]
WEBHOOK_PROVIDER_UNSPECIFIED: WebhookProvider
WEBHOOK_PROVIDER_GITHUB: WebhookProvider
WEBHOOK_PROVIDER_GITLAB: WebhookProvider
WEBHOOK_PROVIDER_BITBUCKET_CLOUD: WebhookProvider
WEBHOOK_PROVIDER_BITBUCKET_DATA_CENTER: WebhookProvider
WEBHOOK_PROVIDER_AZURE_DEVOPS: WebhookProvider
WEBHOOK_PROVIDER_GITEA: WebhookProvider
WEBHOOK_PROVIDER_STANDARD: WebhookProvider
DELIVERY_STATE_UNSPECIFIED: DeliveryState
DELIVERY_STATE_PENDING: DeliveryState
DELIVERY_STATE_DONE: DeliveryState
DELIVERY_STATE_DEAD: DeliveryState

class ReceiveWebhookRequest(_message.Message):
    __slots__ = ("head", "body", "end")
    HEAD_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    head: WebhookHead
    body: bytes
    end: WebhookEnd
    def __init__(self, head: _Optional[_Union[WebhookHead, _Mapping]] = ..., body: _Optional[bytes] = ..., end: _Optional[_Union[WebhookEnd, _Mapping]] = ...) -> None: ...

class WebhookEnd(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class WebhookHead(_message.Message):
    __slots__ = ("route", "headers")
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    route: str
    headers: _containers.RepeatedCompositeFieldContainer[WebhookHeader]
    def __init__(self, route: _Optional[str] = ..., headers: _Optional[_Iterable[_Union[WebhookHeader, _Mapping]]] = ...) -> None: ...

class WebhookHeader(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: bytes
    def __init__(self, name: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...

class ReceiveWebhookResponse(_message.Message):
    __slots__ = ("number", "duplicate")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    DUPLICATE_FIELD_NUMBER: _ClassVar[int]
    number: int
    duplicate: bool
    def __init__(self, number: _Optional[int] = ..., duplicate: _Optional[bool] = ...) -> None: ...

class ListWebhookRoutesRequest(_message.Message):
    __slots__ = ("runtime",)
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    def __init__(self, runtime: _Optional[str] = ...) -> None: ...

class ListWebhookRoutesResponse(_message.Message):
    __slots__ = ("routes",)
    ROUTES_FIELD_NUMBER: _ClassVar[int]
    routes: _containers.RepeatedCompositeFieldContainer[WebhookRoute]
    def __init__(self, routes: _Optional[_Iterable[_Union[WebhookRoute, _Mapping]]] = ...) -> None: ...

class WebhookRoute(_message.Message):
    __slots__ = ("name", "provider", "max_bytes", "path", "platform_path", "rotating")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    PLATFORM_PATH_FIELD_NUMBER: _ClassVar[int]
    ROTATING_FIELD_NUMBER: _ClassVar[int]
    name: str
    provider: WebhookProvider
    max_bytes: int
    path: str
    platform_path: str
    rotating: bool
    def __init__(self, name: _Optional[str] = ..., provider: _Optional[_Union[WebhookProvider, str]] = ..., max_bytes: _Optional[int] = ..., path: _Optional[str] = ..., platform_path: _Optional[str] = ..., rotating: _Optional[bool] = ...) -> None: ...

class ListWebhookDeliveriesRequest(_message.Message):
    __slots__ = ("runtime", "route", "state", "page_size", "page_token")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    route: str
    state: DeliveryState
    page_size: int
    page_token: str
    def __init__(self, runtime: _Optional[str] = ..., route: _Optional[str] = ..., state: _Optional[_Union[DeliveryState, str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListWebhookDeliveriesResponse(_message.Message):
    __slots__ = ("deliveries", "next_page_token")
    DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    deliveries: _containers.RepeatedCompositeFieldContainer[WebhookDelivery]
    next_page_token: str
    def __init__(self, deliveries: _Optional[_Iterable[_Union[WebhookDelivery, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class WebhookDelivery(_message.Message):
    __slots__ = ("number", "route", "provider", "delivery_id", "event", "received_at", "repositories", "references", "pull_request", "body_bytes", "redeliveries", "outcomes", "headers", "body")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    DELIVERY_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_AT_FIELD_NUMBER: _ClassVar[int]
    REPOSITORIES_FIELD_NUMBER: _ClassVar[int]
    REFERENCES_FIELD_NUMBER: _ClassVar[int]
    PULL_REQUEST_FIELD_NUMBER: _ClassVar[int]
    BODY_BYTES_FIELD_NUMBER: _ClassVar[int]
    REDELIVERIES_FIELD_NUMBER: _ClassVar[int]
    OUTCOMES_FIELD_NUMBER: _ClassVar[int]
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    number: int
    route: str
    provider: WebhookProvider
    delivery_id: str
    event: str
    received_at: _timestamp_pb2.Timestamp
    repositories: _containers.RepeatedScalarFieldContainer[str]
    references: _containers.RepeatedCompositeFieldContainer[WebhookReference]
    pull_request: int
    body_bytes: int
    redeliveries: int
    outcomes: _containers.RepeatedCompositeFieldContainer[DeliveryOutcome]
    headers: _containers.RepeatedCompositeFieldContainer[WebhookHeader]
    body: bytes
    def __init__(self, number: _Optional[int] = ..., route: _Optional[str] = ..., provider: _Optional[_Union[WebhookProvider, str]] = ..., delivery_id: _Optional[str] = ..., event: _Optional[str] = ..., received_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., repositories: _Optional[_Iterable[str]] = ..., references: _Optional[_Iterable[_Union[WebhookReference, _Mapping]]] = ..., pull_request: _Optional[int] = ..., body_bytes: _Optional[int] = ..., redeliveries: _Optional[int] = ..., outcomes: _Optional[_Iterable[_Union[DeliveryOutcome, _Mapping]]] = ..., headers: _Optional[_Iterable[_Union[WebhookHeader, _Mapping]]] = ..., body: _Optional[bytes] = ...) -> None: ...

class WebhookReference(_message.Message):
    __slots__ = ("name", "before", "after")
    NAME_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    name: str
    before: str
    after: str
    def __init__(self, name: _Optional[str] = ..., before: _Optional[str] = ..., after: _Optional[str] = ...) -> None: ...

class DeliveryOutcome(_message.Message):
    __slots__ = ("subscriber", "state", "tries", "detail", "changed_at")
    SUBSCRIBER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    TRIES_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    CHANGED_AT_FIELD_NUMBER: _ClassVar[int]
    subscriber: str
    state: DeliveryState
    tries: int
    detail: str
    changed_at: _timestamp_pb2.Timestamp
    def __init__(self, subscriber: _Optional[str] = ..., state: _Optional[_Union[DeliveryState, str]] = ..., tries: _Optional[int] = ..., detail: _Optional[str] = ..., changed_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class GetWebhookDeliveryRequest(_message.Message):
    __slots__ = ("runtime", "number")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    number: str
    def __init__(self, runtime: _Optional[str] = ..., number: _Optional[str] = ...) -> None: ...

class GetWebhookDeliveryResponse(_message.Message):
    __slots__ = ("delivery",)
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    delivery: WebhookDelivery
    def __init__(self, delivery: _Optional[_Union[WebhookDelivery, _Mapping]] = ...) -> None: ...

class ReplayWebhookDeliveryRequest(_message.Message):
    __slots__ = ("runtime", "number", "request_id")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    number: str
    request_id: str
    def __init__(self, runtime: _Optional[str] = ..., number: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ReplayWebhookDeliveryResponse(_message.Message):
    __slots__ = ("delivery", "request_id")
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    delivery: WebhookDelivery
    request_id: str
    def __init__(self, delivery: _Optional[_Union[WebhookDelivery, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...

class TestWebhookRouteRequest(_message.Message):
    __slots__ = ("runtime", "route", "request_id")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    ROUTE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    route: str
    request_id: str
    def __init__(self, runtime: _Optional[str] = ..., route: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class TestWebhookRouteResponse(_message.Message):
    __slots__ = ("delivery", "request_id")
    DELIVERY_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    delivery: WebhookDelivery
    request_id: str
    def __init__(self, delivery: _Optional[_Union[WebhookDelivery, _Mapping]] = ..., request_id: _Optional[str] = ...) -> None: ...
