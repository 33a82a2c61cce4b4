// Prints each change of all applications until it is stopped.
import { watchApplications } from "@causeway/client";
import { fromEnvironment } from "@causeway/client/node";
import { HealthStatus } from "@causeway/client/causeway/inventory/v1/application_pb";

for await (const { event } of watchApplications(fromEnvironment())) {
  if (event.case === "updated") {
    const { name, status } = event.value;
    console.log("updated", name, status?.sync?.revisions, HealthStatus[status?.health?.status ?? 0]);
  } else if (event.case === "deleted") {
    console.log("deleted", event.value.name);
  }
}
