/** States as shape, word and colour. */
export { StateMark, StateShape } from "./StateMark";
export { healthState, phaseState, syncState } from "./fromContract";
