"""Calls Causeway: opens connections, tells errors by their reasons, lists over all pages, and watches over lost connections.

Messages and stubs of services are in `causeway.<package>.v1` beside it.
"""

from __future__ import annotations

import os
import pathlib
import random
import time
import urllib.parse
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from causeway.error.v1 import reason_pb2
from causeway.inventory.v1 import application_pb2, application_service_pb2, application_service_pb2_grpc

DOMAIN = "causeway"
FIRST_DELAY, MOST_DELAY = 0.2, 10.0
_TRANSIENT = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.ABORTED}
_OPTIONS = [
    ("grpc.keepalive_time_ms", 15_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    # An application with everything in it may have nearly 4 MiB, and a page of them more.
    ("grpc.max_receive_message_length", 64 << 20),
]


class _Bearer(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    """Puts the credential on each call; gRPC's own way to do it refuses plaintext on loopback."""

    def __init__(self, key: str) -> None:
        self._header = ("authorization", f"Bearer {key}")

    def _call(self, proceed: Any, details: Any, request: Any) -> Any:
        metadata = [*(details.metadata or ()), self._header]
        return proceed(details._replace(metadata=metadata), request)

    intercept_unary_unary = _call
    intercept_unary_stream = _call


def connect(address: str, key: str, authorities: bytes | None = None) -> grpc.Channel:
    """A channel to the platform at a URL, for example https://causeway.example.com, with an API key or a session's token.

    `authorities` are certificates to trust in place of the system's, as PEM. Nothing is opened yet: the first call connects.
    Raises ValueError for what is no URL of http or https.
    """
    at = urllib.parse.urlsplit(address)
    if at.scheme not in ("http", "https") or not at.hostname:
        raise ValueError(f"the address {address!r} is no URL of http or https")
    if at.scheme == "http":
        channel = grpc.insecure_channel(f"{at.hostname}:{at.port or 80}", _OPTIONS)
    else:
        trust = grpc.ssl_channel_credentials(authorities)
        channel = grpc.secure_channel(f"{at.hostname}:{at.port or 443}", trust, _OPTIONS)
    return grpc.intercept_channel(channel, _Bearer(key))


def from_environment() -> grpc.Channel:
    """A channel to CAUSEWAY_ADDRESS with the key in CAUSEWAY_API_KEY_FILE, as the command line opens it, and CAUSEWAY_CA_FILE."""
    key = pathlib.Path(os.environ["CAUSEWAY_API_KEY_FILE"]).read_text().strip()
    trusted = os.environ.get("CAUSEWAY_CA_FILE")
    return connect(os.environ["CAUSEWAY_ADDRESS"], key, pathlib.Path(trusted).read_bytes() if trusted else None)


def new_request_id() -> str:
    """An id for one change. A repeat with the same id gives the first outcome, so keep it for the retry."""
    return str(uuid.uuid4())


@dataclass(frozen=True)
class Problem:
    """What a failed call tells."""

    code: grpc.StatusCode
    message: str
    # 0 where none is told, or one that this version does not know yet
    reason: int = reason_pb2.REASON_UNSPECIFIED
    # which fields of the request are wrong, and how
    fields: dict[str, str] = field(default_factory=dict)
    # seconds after which a repeat may succeed
    retry_after: float | None = None

    def __str__(self) -> str:
        """One line: the reason where one is told, else the code, then the message and the fields that are wrong."""
        name = self.reason_name if self.reason else self.code.name
        return "; ".join([f"{name}: {self.message}", *(f"{field}: {wrong}" for field, wrong in self.fields.items())])

    @property
    def reason_name(self) -> str:
        """For example RUNTIME_NOT_CONNECTED."""
        return reason_pb2.Reason.Name(self.reason).removeprefix("REASON_")

    @property
    def transient(self) -> bool:
        """Whether the same call may succeed later without anybody doing something."""
        return self.code in _TRANSIENT


def problem_of(error: grpc.RpcError) -> Problem:
    """Reads what a failed call tells."""
    reason, fields, retry_after = reason_pb2.REASON_UNSPECIFIED, {}, None
    told = rpc_status.from_call(error)
    for detail in told.details if told else ():
        info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
        if detail.Unpack(info) and info.domain == DOMAIN:
            reason = dict(reason_pb2.Reason.items()).get(f"REASON_{info.reason}", reason)
        elif detail.Unpack(bad):
            fields = {each.field: each.description for each in bad.field_violations}
        elif detail.Unpack(retry):
            retry_after = retry.retry_delay.ToTimedelta().total_seconds()
    return Problem(error.code(), error.details() or "", reason, fields, retry_after)


def list_applications(
    platform: grpc.Channel,
    request: application_service_pb2.ListApplicationsRequest | None = None,
) -> Iterator[application_pb2.Application]:
    """The applications of all pages; the platform is what `connect` gives."""
    stub = application_service_pb2_grpc.ApplicationServiceStub(platform)
    asked = application_service_pb2.ListApplicationsRequest()
    asked.CopyFrom(request or asked)
    while True:
        page = stub.ListApplications(asked)
        yield from page.applications
        asked.page_token = page.next_page_token
        if not asked.page_token:
            return


def watch_applications(
    platform: grpc.Channel,
    request: application_service_pb2.WatchApplicationsRequest | None = None,
) -> Iterator[application_service_pb2.WatchApplicationsResponse]:
    """All applications that match, then each change of them, over lost connections and without a gap.

    What went away while nobody was connected, and is not told any more, is given as deleted. Raises the error that no waiting
    mends. Events are updated and deleted, and a bookmark when all that there was has been given. The platform is what `connect`
    gives.
    """
    stub = application_service_pb2_grpc.ApplicationServiceStub(platform)
    asked = application_service_pb2.WatchApplicationsRequest()
    asked.CopyFrom(request or asked)
    held: dict[tuple[str, ...], bool] = {}
    delay, connected = FIRST_DELAY, False
    while True:
        if not asked.cursor:
            held = dict.fromkeys(held, False)
        stream = stub.WatchApplications(asked)
        try:
            for response in stream:
                delay, connected = FIRST_DELAY, True
                asked.cursor = response.cursor
                yield from _told(response, held)
        except grpc.RpcError as error:
            if not _goes_on(problem_of(error), asked, connected):
                raise
        finally:
            stream.cancel()
        time.sleep(random.uniform(0, delay))
        delay = min(2 * delay, MOST_DELAY)


def _goes_on(problem: Problem, asked: application_service_pb2.WatchApplicationsRequest, connected: bool) -> bool:
    if problem.reason == reason_pb2.REASON_CURSOR_EXPIRED and asked.cursor:
        asked.cursor = ""
        return True
    return connected and (problem.transient or problem.code == grpc.StatusCode.DEADLINE_EXCEEDED)


def _told(
    response: application_service_pb2.WatchApplicationsResponse, held: dict[tuple[str, ...], bool]
) -> Iterator[application_service_pb2.WatchApplicationsResponse]:
    """A response, and before the end of a beginning what was not told again since."""
    if response.HasField("updated"):
        held[_key(response.updated)] = True
    elif response.HasField("deleted"):
        held.pop(_key(response.deleted), None)
    elif response.bookmark.initial_state_sent:
        for key in [key for key, told in held.items() if not told]:
            del held[key]
            runtime, cluster, namespace, name = key
            gone = application_service_pb2.ApplicationDeleted(
                runtime=runtime, cluster=cluster, namespace=namespace, name=name
            )
            yield application_service_pb2.WatchApplicationsResponse(deleted=gone, cursor=response.cursor)
    yield response


def _key(it: application_pb2.Application | application_service_pb2.ApplicationDeleted) -> tuple[str, ...]:
    return (it.runtime, it.cluster, it.namespace, it.name)
