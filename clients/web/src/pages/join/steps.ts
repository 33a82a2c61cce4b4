import { Health } from "@contract/causeway/platform/v1/part_service_pb";
import type { RuntimeNode } from "@/topology";

export type StepState = "done" | "current" | "waiting";

export interface JoinStep {
  id: "token" | "session" | "reporter" | "application";
  text: string;
  /** What it waits for, while it is the current one. */
  waits: string;
  state: StepState;
}

/** Tells how far a runtime has come; a later step that is reached counts for those before it. */
export function joinSteps(node: RuntimeNode | undefined, applications: bigint): JoinStep[] {
  const reporters = node?.parts.filter((group) => group.name.endsWith("event-reporter")).flatMap((group) => group.replicas) ?? [];
  const reached = [
    node !== undefined,
    (node?.runtime.sessions.length ?? 0) > 0,
    reporters.some((part) => part.health === Health.SERVING),
    applications > 0n,
  ];
  const last = reached.lastIndexOf(true);
  return texts.map((step, index) => ({ ...step, state: index <= last ? "done" : index === last + 1 ? "current" : "waiting" }));
}

const texts: readonly Omit<JoinStep, "state">[] = [
  { id: "token", text: "Token used", waits: "The pod key-keeper creates the keys and joins with the token." },
  { id: "session", text: "Tunnel session", waits: "tunnel-client dials the tunnel server of this platform." },
  { id: "reporter", text: "Reporter connected", waits: "The reporters list the cluster and send the first report." },
  { id: "application", text: "First application", waits: "Argo CD has no application that the runtime reads yet." },
];
