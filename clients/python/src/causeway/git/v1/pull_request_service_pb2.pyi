from causeway.access.v1 import access_pb2 as _access_pb2
from causeway.git.v1 import commit_service_pb2 as _commit_service_pb2
from google.api import annotations_pb2 as _annotations_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PullRequestState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PULL_REQUEST_STATE_UNSPECIFIED: _ClassVar[PullRequestState]
    PULL_REQUEST_STATE_OPEN: _ClassVar[PullRequestState]
    PULL_REQUEST_STATE_CLOSED: _ClassVar[PullRequestState]
    PULL_REQUEST_STATE_MERGED: _ClassVar[PullRequestState]

class Mergeability(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MERGEABILITY_UNSPECIFIED: _ClassVar[Mergeability]
    MERGEABILITY_MERGEABLE: _ClassVar[Mergeability]
    MERGEABILITY_UNKNOWN: _ClassVar[Mergeability]
    MERGEABILITY_CONFLICTING: _ClassVar[Mergeability]
    MERGEABILITY_BLOCKED: _ClassVar[Mergeability]

class MergeMethod(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MERGE_METHOD_UNSPECIFIED: _ClassVar[MergeMethod]
    MERGE_METHOD_MERGE: _ClassVar[MergeMethod]
    MERGE_METHOD_SQUASH: _ClassVar[MergeMethod]
    MERGE_METHOD_REBASE: _ClassVar[MergeMethod]

class MergeOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MERGE_OUTCOME_UNSPECIFIED: _ClassVar[MergeOutcome]
    MERGE_OUTCOME_MERGED: _ClassVar[MergeOutcome]
    MERGE_OUTCOME_SCHEDULED: _ClassVar[MergeOutcome]
    MERGE_OUTCOME_NOT_YET: _ClassVar[MergeOutcome]
    MERGE_OUTCOME_REFUSED: _ClassVar[MergeOutcome]
    MERGE_OUTCOME_HEAD_MOVED: _ClassVar[MergeOutcome]
    MERGE_OUTCOME_CLOSED: _ClassVar[MergeOutcome]
PULL_REQUEST_STATE_UNSPECIFIED: PullRequestState
PULL_REQUEST_STATE_OPEN: PullRequestState
PULL_REQUEST_STATE_CLOSED: PullRequestState
PULL_REQUEST_STATE_MERGED: PullRequestState
MERGEABILITY_UNSPECIFIED: Mergeability
MERGEABILITY_MERGEABLE: Mergeability
MERGEABILITY_UNKNOWN: Mergeability
MERGEABILITY_CONFLICTING: Mergeability
MERGEABILITY_BLOCKED: Mergeability
MERGE_METHOD_UNSPECIFIED: MergeMethod
MERGE_METHOD_MERGE: MergeMethod
MERGE_METHOD_SQUASH: MergeMethod
MERGE_METHOD_REBASE: MergeMethod
MERGE_OUTCOME_UNSPECIFIED: MergeOutcome
MERGE_OUTCOME_MERGED: MergeOutcome
MERGE_OUTCOME_SCHEDULED: MergeOutcome
MERGE_OUTCOME_NOT_YET: MergeOutcome
MERGE_OUTCOME_REFUSED: MergeOutcome
MERGE_OUTCOME_HEAD_MOVED: MergeOutcome
MERGE_OUTCOME_CLOSED: MergeOutcome

class PullRequest(_message.Message):
    __slots__ = ("number", "title", "head_branch", "base_branch", "head", "state", "mergeability", "blocked_reason", "merge_commit", "url")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    HEAD_BRANCH_FIELD_NUMBER: _ClassVar[int]
    BASE_BRANCH_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    MERGEABILITY_FIELD_NUMBER: _ClassVar[int]
    BLOCKED_REASON_FIELD_NUMBER: _ClassVar[int]
    MERGE_COMMIT_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    number: int
    title: str
    head_branch: str
    base_branch: str
    head: str
    state: PullRequestState
    mergeability: Mergeability
    blocked_reason: str
    merge_commit: str
    url: str
    def __init__(self, number: _Optional[int] = ..., title: _Optional[str] = ..., head_branch: _Optional[str] = ..., base_branch: _Optional[str] = ..., head: _Optional[str] = ..., state: _Optional[_Union[PullRequestState, str]] = ..., mergeability: _Optional[_Union[Mergeability, str]] = ..., blocked_reason: _Optional[str] = ..., merge_commit: _Optional[str] = ..., url: _Optional[str] = ...) -> None: ...

class OpenPullRequestRequest(_message.Message):
    __slots__ = ("runtime", "integration", "request_id", "repository", "base_branch", "title", "description", "edits")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    BASE_BRANCH_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    EDITS_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    integration: str
    request_id: str
    repository: str
    base_branch: str
    title: str
    description: str
    edits: _containers.RepeatedCompositeFieldContainer[_commit_service_pb2.FileEdit]
    def __init__(self, runtime: _Optional[str] = ..., integration: _Optional[str] = ..., request_id: _Optional[str] = ..., repository: _Optional[str] = ..., base_branch: _Optional[str] = ..., title: _Optional[str] = ..., description: _Optional[str] = ..., edits: _Optional[_Iterable[_Union[_commit_service_pb2.FileEdit, _Mapping]]] = ...) -> None: ...

class OpenPullRequestResponse(_message.Message):
    __slots__ = ("pull_request", "commit", "request_id", "repeated_request")
    PULL_REQUEST_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPEATED_REQUEST_FIELD_NUMBER: _ClassVar[int]
    pull_request: PullRequest
    commit: str
    request_id: str
    repeated_request: bool
    def __init__(self, pull_request: _Optional[_Union[PullRequest, _Mapping]] = ..., commit: _Optional[str] = ..., request_id: _Optional[str] = ..., repeated_request: _Optional[bool] = ...) -> None: ...

class GetPullRequestRequest(_message.Message):
    __slots__ = ("runtime", "integration", "repository", "number")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    integration: str
    repository: str
    number: int
    def __init__(self, runtime: _Optional[str] = ..., integration: _Optional[str] = ..., repository: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class GetPullRequestResponse(_message.Message):
    __slots__ = ("pull_request",)
    PULL_REQUEST_FIELD_NUMBER: _ClassVar[int]
    pull_request: PullRequest
    def __init__(self, pull_request: _Optional[_Union[PullRequest, _Mapping]] = ...) -> None: ...

class ListPullRequestsRequest(_message.Message):
    __slots__ = ("runtime", "integration", "repository", "all")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    ALL_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    integration: str
    repository: str
    all: bool
    def __init__(self, runtime: _Optional[str] = ..., integration: _Optional[str] = ..., repository: _Optional[str] = ..., all: _Optional[bool] = ...) -> None: ...

class ListPullRequestsResponse(_message.Message):
    __slots__ = ("pull_requests", "truncated")
    PULL_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    pull_requests: _containers.RepeatedCompositeFieldContainer[PullRequest]
    truncated: bool
    def __init__(self, pull_requests: _Optional[_Iterable[_Union[PullRequest, _Mapping]]] = ..., truncated: _Optional[bool] = ...) -> None: ...

class MergePullRequestRequest(_message.Message):
    __slots__ = ("runtime", "integration", "request_id", "repository", "number", "head", "method", "when_rules_are_met")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    WHEN_RULES_ARE_MET_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    integration: str
    request_id: str
    repository: str
    number: int
    head: str
    method: MergeMethod
    when_rules_are_met: bool
    def __init__(self, runtime: _Optional[str] = ..., integration: _Optional[str] = ..., request_id: _Optional[str] = ..., repository: _Optional[str] = ..., number: _Optional[int] = ..., head: _Optional[str] = ..., method: _Optional[_Union[MergeMethod, str]] = ..., when_rules_are_met: _Optional[bool] = ...) -> None: ...

class MergePullRequestResponse(_message.Message):
    __slots__ = ("outcome", "commit", "reason", "request_id")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    outcome: MergeOutcome
    commit: str
    reason: str
    request_id: str
    def __init__(self, outcome: _Optional[_Union[MergeOutcome, str]] = ..., commit: _Optional[str] = ..., reason: _Optional[str] = ..., request_id: _Optional[str] = ...) -> None: ...

class ClosePullRequestRequest(_message.Message):
    __slots__ = ("runtime", "integration", "request_id", "repository", "number")
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    INTEGRATION_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REPOSITORY_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    runtime: str
    integration: str
    request_id: str
    repository: str
    number: int
    def __init__(self, runtime: _Optional[str] = ..., integration: _Optional[str] = ..., request_id: _Optional[str] = ..., repository: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class ClosePullRequestResponse(_message.Message):
    __slots__ = ("request_id",)
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    request_id: str
    def __init__(self, request_id: _Optional[str] = ...) -> None: ...
