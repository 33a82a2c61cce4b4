from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.platform.v1 import role_service_pb2 as _role_service_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Target(_message.Message):
    __slots__ = ("runtime", "cluster", "project", "namespace", "name", "labels")
    class LabelsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    cluster: str
    project: str
    namespace: str
    name: str
    labels: _containers.ScalarMap[str, str]
    def __init__(self, runtime: _Optional[str] = ..., cluster: _Optional[str] = ..., project: _Optional[str] = ..., namespace: _Optional[str] = ..., name: _Optional[str] = ..., labels: _Optional[_Mapping[str, str]] = ...) -> None: ...

class CheckPermissionRequest(_message.Message):
    __slots__ = ("permission", "target", "user")
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    USER_FIELD_NUMBER: _ClassVar[int]
    permission: str
    target: Target
    user: str
    def __init__(self, permission: _Optional[str] = ..., target: _Optional[_Union[Target, _Mapping]] = ..., user: _Optional[str] = ...) -> None: ...

class CheckPermissionResponse(_message.Message):
    __slots__ = ("allowed", "rules", "limits", "reason", "policy_version")
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    POLICY_VERSION_FIELD_NUMBER: _ClassVar[int]
    allowed: bool
    rules: _containers.RepeatedCompositeFieldContainer[GrantingRule]
    limits: _containers.RepeatedCompositeFieldContainer[GrantingRule]
    reason: str
    policy_version: int
    def __init__(self, allowed: _Optional[bool] = ..., rules: _Optional[_Iterable[_Union[GrantingRule, _Mapping]]] = ..., limits: _Optional[_Iterable[_Union[GrantingRule, _Mapping]]] = ..., reason: _Optional[str] = ..., policy_version: _Optional[int] = ...) -> None: ...

class CheckPermissionsRequest(_message.Message):
    __slots__ = ("permissions", "targets")
    PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
    TARGETS_FIELD_NUMBER: _ClassVar[int]
    permissions: _containers.RepeatedScalarFieldContainer[str]
    targets: _containers.RepeatedCompositeFieldContainer[Target]
    def __init__(self, permissions: _Optional[_Iterable[str]] = ..., targets: _Optional[_Iterable[_Union[Target, _Mapping]]] = ...) -> None: ...

class CheckPermissionsResponse(_message.Message):
    __slots__ = ("decisions", "policy_version")
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    POLICY_VERSION_FIELD_NUMBER: _ClassVar[int]
    decisions: _containers.RepeatedCompositeFieldContainer[PermissionDecision]
    policy_version: int
    def __init__(self, decisions: _Optional[_Iterable[_Union[PermissionDecision, _Mapping]]] = ..., policy_version: _Optional[int] = ...) -> None: ...

class PermissionDecision(_message.Message):
    __slots__ = ("allowed", "reason", "conditional")
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CONDITIONAL_FIELD_NUMBER: _ClassVar[int]
    allowed: bool
    reason: str
    conditional: bool
    def __init__(self, allowed: _Optional[bool] = ..., reason: _Optional[str] = ..., conditional: _Optional[bool] = ...) -> None: ...

class GrantingRule(_message.Message):
    __slots__ = ("role", "number", "rule", "conditional")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    CONDITIONAL_FIELD_NUMBER: _ClassVar[int]
    role: str
    number: int
    rule: _role_service_pb2.Rule
    conditional: bool
    def __init__(self, role: _Optional[str] = ..., number: _Optional[int] = ..., rule: _Optional[_Union[_role_service_pb2.Rule, _Mapping]] = ..., conditional: _Optional[bool] = ...) -> None: ...

class ListPermissionsRequest(_message.Message):
    __slots__ = ("user", "page_size", "page_token")
    USER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    user: str
    page_size: int
    page_token: str
    def __init__(self, user: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListPermissionsResponse(_message.Message):
    __slots__ = ("permissions", "next_page_token")
    PERMISSIONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    permissions: _containers.RepeatedCompositeFieldContainer[HeldPermission]
    next_page_token: str
    def __init__(self, permissions: _Optional[_Iterable[_Union[HeldPermission, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class HeldPermission(_message.Message):
    __slots__ = ("permission", "held", "limited")
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    HELD_FIELD_NUMBER: _ClassVar[int]
    LIMITED_FIELD_NUMBER: _ClassVar[int]
    permission: str
    held: bool
    limited: bool
    def __init__(self, permission: _Optional[str] = ..., held: _Optional[bool] = ..., limited: _Optional[bool] = ...) -> None: ...
