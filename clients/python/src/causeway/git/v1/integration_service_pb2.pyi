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
    __slots__ = ("user", "password", "ssh_key")
    USER_FIELD_NUMBER: _ClassVar[int]
    PASSWORD_FIELD_NUMBER: _ClassVar[int]
    SSH_KEY_FIELD_NUMBER: _ClassVar[int]
    user: str
    password: str
    ssh_key: SshKey
    def __init__(self, user: _Optional[str] = ..., password: _Optional[str] = ..., ssh_key: _Optional[_Union[SshKey, _Mapping]] = ...) -> None: ...

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
