/** Calls Causeway from Node and browsers: tells errors by their reasons, lists over all pages, and watches over lost connections. */

export { newRequestId } from "./request-id.js";
export { isTransient, problemOf, textOf, type Problem } from "./problem.js";
export { listApplications, watchApplications } from "./applications.js";
export { Reason } from "./gen/causeway/error/v1/reason_pb.js";
