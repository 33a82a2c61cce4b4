/** Runtimes, tunnel servers and parts, and how they hang together. */
export { buildTopology, countReporters, groupParts, hasTrouble, isSilent, runtimeNode, shortInstance, type PartGroup, type RuntimeNode, type Topology } from "./model";
export { ConnectionMark, PartMark, PartTrouble, RuntimeStep } from "./PartMark";
export { useApplicationCounts, useRuntimeChanges, useTopology } from "./useTopology";
export { connectionState, nextStepOf, partState, waitsFor } from "./words";
