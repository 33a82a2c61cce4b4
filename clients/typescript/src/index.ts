/** Calls Causeway: opens connections, tells errors by their reasons, lists over all pages, and watches over lost connections. */

export { connect, fromEnvironment, newRequestId } from "./connection.js";
export { isTransient, problemOf, textOf, type Problem } from "./problem.js";
export { listApplications, watchApplications } from "./applications.js";
export { Reason } from "./gen/causeway/error/v1/reason_pb.js";
