"""Lists all applications and syncs the one that is named."""

import sys

import grpc
from causeway import client
from causeway.inventory.v1.application_pb2 import HealthStatus
from causeway.proxy.v1.application_action_service_pb2 import SyncApplicationRequest
from causeway.proxy.v1.application_action_service_pb2_grpc import ApplicationActionServiceStub

with client.from_environment() as platform:
    for application in client.list_applications(platform):
        print(application.runtime, application.name, HealthStatus.Name(application.status.health.status))
    request = SyncApplicationRequest(runtime="local", namespace="argocd", name=sys.argv[1])
    request.request_id = client.new_request_id()
    try:
        answer = ApplicationActionServiceStub(platform).SyncApplication(request)
        print("accepted at", answer.accepted_at.ToDatetime())
    except grpc.RpcError as error:
        sys.exit(str(client.problem_of(error)))
