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

class Admission(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ADMISSION_UNSPECIFIED: _ClassVar[Admission]
    ADMISSION_LINKED_OR_MAPPED: _ClassVar[Admission]
    ADMISSION_EVERYBODY: _ClassVar[Admission]
    ADMISSION_LINKED: _ClassVar[Admission]
ADMISSION_UNSPECIFIED: Admission
ADMISSION_LINKED_OR_MAPPED: Admission
ADMISSION_EVERYBODY: Admission
ADMISSION_LINKED: Admission

class GroupRoles(_message.Message):
    __slots__ = ("group", "roles")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    ROLES_FIELD_NUMBER: _ClassVar[int]
    group: str
    roles: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, group: _Optional[str] = ..., roles: _Optional[_Iterable[str]] = ...) -> None: ...

class IdentityProviderSettings(_message.Message):
    __slots__ = ("display_name", "client_id", "scopes", "user_claim", "groups_claim", "group_roles", "allowed_domains", "admission", "ca_certificates")
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCOPES_FIELD_NUMBER: _ClassVar[int]
    USER_CLAIM_FIELD_NUMBER: _ClassVar[int]
    GROUPS_CLAIM_FIELD_NUMBER: _ClassVar[int]
    GROUP_ROLES_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_DOMAINS_FIELD_NUMBER: _ClassVar[int]
    ADMISSION_FIELD_NUMBER: _ClassVar[int]
    CA_CERTIFICATES_FIELD_NUMBER: _ClassVar[int]
    display_name: str
    client_id: str
    scopes: _containers.RepeatedScalarFieldContainer[str]
    user_claim: str
    groups_claim: str
    group_roles: _containers.RepeatedCompositeFieldContainer[GroupRoles]
    allowed_domains: _containers.RepeatedScalarFieldContainer[str]
    admission: Admission
    ca_certificates: str
    def __init__(self, display_name: _Optional[str] = ..., client_id: _Optional[str] = ..., scopes: _Optional[_Iterable[str]] = ..., user_claim: _Optional[str] = ..., groups_claim: _Optional[str] = ..., group_roles: _Optional[_Iterable[_Union[GroupRoles, _Mapping]]] = ..., allowed_domains: _Optional[_Iterable[str]] = ..., admission: _Optional[_Union[Admission, str]] = ..., ca_certificates: _Optional[str] = ...) -> None: ...

class IdentityProvider(_message.Message):
    __slots__ = ("provider", "issuer", "settings", "has_client_secret", "created_at", "version")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    HAS_CLIENT_SECRET_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    provider: str
    issuer: str
    settings: IdentityProviderSettings
    has_client_secret: bool
    created_at: _timestamp_pb2.Timestamp
    version: str
    def __init__(self, provider: _Optional[str] = ..., issuer: _Optional[str] = ..., settings: _Optional[_Union[IdentityProviderSettings, _Mapping]] = ..., has_client_secret: _Optional[bool] = ..., created_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., version: _Optional[str] = ...) -> None: ...

class CreateIdentityProviderRequest(_message.Message):
    __slots__ = ("provider", "issuer", "settings", "client_secret", "request_id")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    ISSUER_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_SECRET_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    provider: str
    issuer: str
    settings: IdentityProviderSettings
    client_secret: str
    request_id: str
    def __init__(self, provider: _Optional[str] = ..., issuer: _Optional[str] = ..., settings: _Optional[_Union[IdentityProviderSettings, _Mapping]] = ..., client_secret: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class CreateIdentityProviderResponse(_message.Message):
    __slots__ = ("provider",)
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    provider: IdentityProvider
    def __init__(self, provider: _Optional[_Union[IdentityProvider, _Mapping]] = ...) -> None: ...

class ListIdentityProvidersRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListIdentityProvidersResponse(_message.Message):
    __slots__ = ("providers", "next_page_token")
    PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    providers: _containers.RepeatedCompositeFieldContainer[IdentityProvider]
    next_page_token: str
    def __init__(self, providers: _Optional[_Iterable[_Union[IdentityProvider, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class UpdateIdentityProviderRequest(_message.Message):
    __slots__ = ("provider", "settings", "client_secret", "request_id", "version", "remove_client_secret")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    CLIENT_SECRET_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    REMOVE_CLIENT_SECRET_FIELD_NUMBER: _ClassVar[int]
    provider: str
    settings: IdentityProviderSettings
    client_secret: str
    request_id: str
    version: str
    remove_client_secret: bool
    def __init__(self, provider: _Optional[str] = ..., settings: _Optional[_Union[IdentityProviderSettings, _Mapping]] = ..., client_secret: _Optional[str] = ..., request_id: _Optional[str] = ..., version: _Optional[str] = ..., remove_client_secret: _Optional[bool] = ...) -> None: ...

class UpdateIdentityProviderResponse(_message.Message):
    __slots__ = ("provider",)
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    provider: IdentityProvider
    def __init__(self, provider: _Optional[_Union[IdentityProvider, _Mapping]] = ...) -> None: ...

class DeleteIdentityProviderRequest(_message.Message):
    __slots__ = ("provider", "request_id")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    provider: str
    request_id: str
    def __init__(self, provider: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class DeleteIdentityProviderResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Identity(_message.Message):
    __slots__ = ("provider", "subject", "name", "user", "linked_at")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    LINKED_AT_FIELD_NUMBER: _ClassVar[int]
    provider: str
    subject: str
    name: str
    user: str
    linked_at: _timestamp_pb2.Timestamp
    def __init__(self, provider: _Optional[str] = ..., subject: _Optional[str] = ..., name: _Optional[str] = ..., user: _Optional[str] = ..., linked_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class LinkIdentityRequest(_message.Message):
    __slots__ = ("user", "provider", "subject", "name", "request_id")
    USER_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    user: str
    provider: str
    subject: str
    name: str
    request_id: str
    def __init__(self, user: _Optional[str] = ..., provider: _Optional[str] = ..., subject: _Optional[str] = ..., name: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class LinkIdentityResponse(_message.Message):
    __slots__ = ("identity",)
    IDENTITY_FIELD_NUMBER: _ClassVar[int]
    identity: Identity
    def __init__(self, identity: _Optional[_Union[Identity, _Mapping]] = ...) -> None: ...

class UnlinkIdentityRequest(_message.Message):
    __slots__ = ("user", "provider", "request_id")
    USER_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    user: str
    provider: str
    request_id: str
    def __init__(self, user: _Optional[str] = ..., provider: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class UnlinkIdentityResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListIdentitiesRequest(_message.Message):
    __slots__ = ("user", "page_size", "page_token")
    USER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    user: str
    page_size: int
    page_token: str
    def __init__(self, user: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListIdentitiesResponse(_message.Message):
    __slots__ = ("identities", "next_page_token")
    IDENTITIES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    identities: _containers.RepeatedCompositeFieldContainer[Identity]
    next_page_token: str
    def __init__(self, identities: _Optional[_Iterable[_Union[Identity, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...
