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

class Provider(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROVIDER_UNSPECIFIED: _ClassVar[Provider]
    PROVIDER_GIT: _ClassVar[Provider]
    PROVIDER_GITHUB: _ClassVar[Provider]
    PROVIDER_GITLAB: _ClassVar[Provider]
    PROVIDER_BITBUCKET_CLOUD: _ClassVar[Provider]
    PROVIDER_BITBUCKET_DATA_CENTER: _ClassVar[Provider]
    PROVIDER_AZURE_DEVOPS: _ClassVar[Provider]
    PROVIDER_GITEA: _ClassVar[Provider]
PROVIDER_UNSPECIFIED: Provider
PROVIDER_GIT: Provider
PROVIDER_GITHUB: Provider
PROVIDER_GITLAB: Provider
PROVIDER_BITBUCKET_CLOUD: Provider
PROVIDER_BITBUCKET_DATA_CENTER: Provider
PROVIDER_AZURE_DEVOPS: Provider
PROVIDER_GITEA: Provider

class Integration(_message.Message):
    __slots__ = ("name", "provider", "url", "created_at", "created_by")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    CREATED_BY_FIELD_NUMBER: _ClassVar[int]
    name: str
    provider: Provider
    url: str
    created_at: _timestamp_pb2.Timestamp
    created_by: str
    def __init__(self, name: _Optional[str] = ..., provider: _Optional[_Union[Provider, str]] = ..., url: _Optional[str] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., created_by: _Optional[str] = ...) -> None: ...

class Credential(_message.Message):
    __slots__ = ("user", "password", "ssh_key", "signing_key")
    USER_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    SSH_KEY_FIELD_NUMBER: _ClassVar[int]
    SIGNING_KEY_FIELD_NUMBER: _ClassVar[int]
    user: str
    password: str
    ssh_key: SshKey
    signing_key: str
    def __init__(self, user: _Optional[str] = ..., password: _Optional[str] = ..., ssh_key: _Optional[_Union[SshKey, _Mapping]] = ..., signing_key: _Optional[str] = ...) -> None: ...

class SshKey(_message.Message):
    __slots__ = ("private_key", "known_hosts")
    PRIVATE_KEY_FIELD_NUMBER: _ClassVar[int]
    KNOWN_HOSTS_FIELD_NUMBER: _ClassVar[int]
    private_key: str
    known_hosts: str
    def __init__(self, private_key: _Optional[str] = ..., known_hosts: _Optional[str] = ...) -> None: ...

class SealedCredential(_message.Message):
    __slots__ = ("encapsulated_key", "ciphertext")
    ENCAPSULATED_KEY_FIELD_NUMBER: _ClassVar[int]
    CIPHERTEXT_FIELD_NUMBER: _ClassVar[int]
    encapsulated_key: bytes
    ciphertext: bytes
    def __init__(self, encapsulated_key: _Optional[bytes] = ..., ciphertext: _Optional[bytes] = ...) -> None: ...

class CreateIntegrationRequest(_message.Message):
    __slots__ = ("runtime", "name", "request_id", "provider", "url", "credential")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    CREDENTIAL_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    name: str
    request_id: str
    provider: Provider
    url: str
    credential: SealedCredential
    def __init__(self, runtime: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ..., provider: _Optional[_Union[Provider, str]] = ..., url: _Optional[str] = ..., credential: _Optional[_Union[SealedCredential, _Mapping]] = ...) -> None: ...

class CreateIntegrationResponse(_message.Message):
    __slots__ = ("integration", "request_id", "repeated_request")
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    integration: Integration
    request_id: str
    repeated_request: bool
    def __init__(self, integration: _Optional[_Union[Integration, _Mapping]] = ..., request_id: _Optional[str] = ..., repeated_request: _Optional[bool] = ...) -> None: ...

class GetIntegrationRequest(_message.Message):
    __slots__ = ("runtime", "name")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    name: str
    def __init__(self, runtime: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class GetIntegrationResponse(_message.Message):
    __slots__ = ("integration",)
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    integration: Integration
    def __init__(self, integration: _Optional[_Union[Integration, _Mapping]] = ...) -> None: ...

class ListIntegrationsRequest(_message.Message):
    __slots__ = ("runtime",)
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    def __init__(self, runtime: _Optional[str] = ...) -> None: ...

class ListIntegrationsResponse(_message.Message):
    __slots__ = ("integrations",)
    INTEGRATIONS_FIELD_NUMBER: _ClassVar[int]
    integrations: _containers.RepeatedCompositeFieldContainer[Integration]
    def __init__(self, integrations: _Optional[_Iterable[_Union[Integration, _Mapping]]] = ...) -> None: ...

class DeleteIntegrationRequest(_message.Message):
    __slots__ = ("runtime", "name", "request_id")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    name: str
    request_id: str
    def __init__(self, runtime: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteIntegrationResponse(_message.Message):
    __slots__ = ("request_id",)
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    def __init__(self, request_id: _Optional[str] = ...) -> None: ...

class TestIntegrationRequest(_message.Message):
    __slots__ = ("runtime", "name", "repository")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    name: str
    repository: str
    def __init__(self, runtime: _Optional[str] = ..., name: _Optional[str] = ..., repository: _Optional[str] = ...) -> None: ...

class TestIntegrationResponse(_message.Message):
    __slots__ = ("integration", "works", "user", "scopes", "rate_limit", "capabilities", "repository", "problems")
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    WORKS_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    CAPABILITIES_FIELD_NUMBER: _ClassVar[int]
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    PROBLEMS_FIELD_NUMBER: _ClassVar[int]
    integration: Integration
    works: bool
    user: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    rate_limit: RateLimit
    capabilities: HostCapabilities
    repository: RepositoryAccess
    problems: _containers.RepeatedCompositeFieldContainer[IntegrationProblem]
    def __init__(self, integration: _Optional[_Union[Integration, _Mapping]] = ..., works: _Optional[bool] = ..., user: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., rate_limit: _Optional[_Union[RateLimit, _Mapping]] = ..., capabilities: _Optional[_Union[HostCapabilities, _Mapping]] = ..., repository: _Optional[_Union[RepositoryAccess, _Mapping]] = ..., problems: _Optional[_Iterable[_Union[IntegrationProblem, _Mapping]]] = ...) -> None: ...

class RateLimit(_message.Message):
    __slots__ = ("remaining", "limit", "resets_at")
    REMAINING_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    RESETS_AT_FIELD_NUMBER: _ClassVar[int]
    remaining: int
    limit: int
    resets_at: _timestamp_pb2.Timestamp
    def __init__(self, remaining: _Optional[int] = ..., limit: _Optional[int] = ..., resets_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class HostCapabilities(_message.Message):
    __slots__ = ("pull_requests", "head_pin", "auto_merge", "commit_statuses", "webhooks", "webhook_deliveries", "rate_limit")
    PULL_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    HEAD_PIN_FIELD_NUMBER: _ClassVar[int]
    AUTO_MERGE_FIELD_NUMBER: _ClassVar[int]
    COMMIT_STATUSES_FIELD_NUMBER: _ClassVar[int]
    WEBHOOKS_FIELD_NUMBER: _ClassVar[int]
    WEBHOOK_DELIVERIES_FIELD_NUMBER: _ClassVar[int]
    RATE_LIMIT_FIELD_NUMBER: _ClassVar[int]
    pull_requests: bool
    head_pin: bool
    auto_merge: bool
    commit_statuses: bool
    webhooks: bool
    webhook_deliveries: bool
    rate_limit: bool
    def __init__(self, pull_requests: _Optional[bool] = ..., head_pin: _Optional[bool] = ..., auto_merge: _Optional[bool] = ..., commit_statuses: _Optional[bool] = ..., webhooks: _Optional[bool] = ..., webhook_deliveries: _Optional[bool] = ..., rate_limit: _Optional[bool] = ...) -> None: ...

class RepositoryAccess(_message.Message):
    __slots__ = ("url", "can_read", "can_push", "default_branch", "archived")
    URL_FIELD_NUMBER: _ClassVar[int]
    CAN_READ_FIELD_NUMBER: _ClassVar[int]
    CAN_PUSH_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_BRANCH_FIELD_NUMBER: _ClassVar[int]
    ARCHIVED_FIELD_NUMBER: _ClassVar[int]
    url: str
    can_read: bool
    can_push: bool
    default_branch: str
    archived: bool
    def __init__(self, url: _Optional[str] = ..., can_read: _Optional[bool] = ..., can_push: _Optional[bool] = ..., default_branch: _Optional[str] = ..., archived: _Optional[bool] = ...) -> None: ...

class IntegrationProblem(_message.Message):
    __slots__ = ("kind", "message")
    class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        KIND_UNSPECIFIED: _ClassVar[IntegrationProblem.Kind]
        KIND_CREDENTIAL_REFUSED: _ClassVar[IntegrationProblem.Kind]
        KIND_CREDENTIAL_TOO_WEAK: _ClassVar[IntegrationProblem.Kind]
        KIND_OTHER_PROVIDER: _ClassVar[IntegrationProblem.Kind]
        KIND_HTML_ANSWER: _ClassVar[IntegrationProblem.Kind]
        KIND_HOST_FAILED: _ClassVar[IntegrationProblem.Kind]
        KIND_NO_ANSWER: _ClassVar[IntegrationProblem.Kind]
        KIND_RATE_LIMITED: _ClassVar[IntegrationProblem.Kind]
        KIND_REPOSITORY_UNKNOWN: _ClassVar[IntegrationProblem.Kind]
        KIND_REPOSITORY_ARCHIVED: _ClassVar[IntegrationProblem.Kind]
        KIND_RUNTIME_RULE_MISSING: _ClassVar[IntegrationProblem.Kind]
        KIND_URL_UNUSABLE: _ClassVar[IntegrationProblem.Kind]
        KIND_NOT_TESTED: _ClassVar[IntegrationProblem.Kind]
    KIND_UNSPECIFIED: IntegrationProblem.Kind
    KIND_CREDENTIAL_REFUSED: IntegrationProblem.Kind
    KIND_CREDENTIAL_TOO_WEAK: IntegrationProblem.Kind
    KIND_OTHER_PROVIDER: IntegrationProblem.Kind
    KIND_HTML_ANSWER: IntegrationProblem.Kind
    KIND_HOST_FAILED: IntegrationProblem.Kind
    KIND_NO_ANSWER: IntegrationProblem.Kind
    KIND_RATE_LIMITED: IntegrationProblem.Kind
    KIND_REPOSITORY_UNKNOWN: IntegrationProblem.Kind
    KIND_REPOSITORY_ARCHIVED: IntegrationProblem.Kind
    KIND_RUNTIME_RULE_MISSING: IntegrationProblem.Kind
    KIND_URL_UNUSABLE: IntegrationProblem.Kind
    KIND_NOT_TESTED: IntegrationProblem.Kind
    KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    kind: IntegrationProblem.Kind
    message: str
    def __init__(self, kind: _Optional[_Union[IntegrationProblem.Kind, str]] = ..., message: _Optional[str] = ...) -> None: ...
