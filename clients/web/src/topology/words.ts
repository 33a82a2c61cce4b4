import { Health, type PartStatus } from "@contract/causeway/platform/v1/part_service_pb";
import { Connection, type Runtime } from "@contract/causeway/platform/v1/runtime_service_pb";
import { lowerWords, type State } from "@/words";

/** The state of a runtime, in the words of the command line. */
export function connectionState(connection: Connection): { state: State; word: string } {
  const word = connection === Connection.UNSPECIFIED ? "unknown" : lowerWords(Connection[connection]);
  const states: Partial<Record<Connection, State>> = {
    [Connection.ONLINE]: "healthy",
    [Connection.OFFLINE]: "silent",
    [Connection.REPORTING]: "waiting",
    [Connection.REVOKED]: "refused",
  };
  return { state: states[connection] ?? "unknown", word };
}

/** The health of a part, in the words of the command line. */
export function partState(health: Health): { state: State; word: string } {
  const states: Partial<Record<Health, State>> = {
    [Health.SERVING]: "healthy",
    [Health.NOT_SERVING]: "waiting",
    [Health.LOST]: "silent",
  };
  return { state: states[health] ?? "unknown", word: health === Health.UNSPECIFIED ? "unknown" : lowerWords(Health[health]) };
}

/** What to do next, as a sentence and a command. */
export interface NextStep {
  text: string;
  command?: string;
}

/** Returns what a part that does not serve waits for. */
export function waitsFor(part: PartStatus): string {
  if (part.health === Health.LOST) return "no announcement for 30 s: its process ended, or it cannot reach the platform";
  if (part.pending.length > 0) return `waits for ${part.pending.join(", ")}`;
  return part.health === Health.SERVING ? "" : "starts or stops";
}

const steps: Record<string, NextStep> = {
  database: { text: "Check that the database accepts connections.", command: "causeway status" },
  "first tunnel session": { text: "Its log names the address that it cannot reach." },
  applications: { text: "It lists Applications of the cluster; its log names what refuses them." },
  resources: { text: "It lists resources of the cluster; its log names what refuses them." },
};

/** Returns the next step for a part that does not serve, with the command for its log. */
export function nextStepOf(part: PartStatus): NextStep {
  const known = part.pending.map((pending) => steps[pending]).find((step) => step !== undefined);
  const text = known?.text ?? (part.health === Health.LOST ? "Check whether its pod runs, and its log." : "Check its log.");
  return { text, command: known?.command ?? logCommand(part) };
}

function logCommand(part: PartStatus): string {
  return `kubectl -n causeway logs deployment/${part.runtime || "causeway"}-${part.part} --tail=50`;
}

/** Returns the next step for a runtime that is not online; undefined where there is none. */
export function nextStepOfRuntime(runtime: Runtime): NextStep | undefined {
  switch (runtime.connection) {
    case Connection.OFFLINE:
      return {
        text: "The log of tunnel-client names what it cannot reach: the platform, a proxy that refuses WebSockets, or a certificate.",
        command: `kubectl -n causeway logs deployment/${runtime.name}-tunnel-client --tail=50`,
      };
    case Connection.REPORTING:
      return { text: "Reports arrive, but no tunnel: calls reach it by its URL only. Look how tunnel-client is.", command: "causeway status" };
    case Connection.REVOKED:
      return { text: "Its key is rejected. A rejoin token lets it join again.", command: `causeway runtime token ${runtime.name} --rejoin` };
    default:
      return undefined;
  }
}
