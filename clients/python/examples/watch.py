"""Prints each change of all applications until it is stopped."""

from causeway import client
from causeway.inventory.v1.application_pb2 import HealthStatus

with client.from_environment() as platform:
    for event in client.watch_applications(platform):
        if event.HasField("updated"):
            status = event.updated.status
            health = HealthStatus.Name(status.health.status)
            print("updated", event.updated.name, list(status.sync.revisions), health, flush=True)
        elif event.HasField("deleted"):
            print("deleted", event.deleted.name, flush=True)
