// Lists all applications and syncs the one that is named.
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { fromEnvironment } from "@causeway/client/node";
import { listApplications, newRequestId, problemOf, textOf } from "@causeway/client";
import { HealthStatus } from "@causeway/client/causeway/inventory/v1/application_pb";
import { ApplicationActionService } from "@causeway/client/causeway/proxy/v1/application_action_service_pb";

const platform = fromEnvironment();
for await (const { runtime, name, status } of listApplications(platform)) {
  console.log(runtime, name, HealthStatus[status?.health?.status ?? 0]);
}
const request = { runtime: "local", namespace: "argocd", name: process.argv[2], requestId: newRequestId() };
try {
  const answer = await createClient(ApplicationActionService, platform).syncApplication(request);
  console.log("accepted at", answer.acceptedAt && timestampDate(answer.acceptedAt));
} catch (error) {
  console.error(textOf(problemOf(error)));
  process.exit(1);
}
process.exit();
