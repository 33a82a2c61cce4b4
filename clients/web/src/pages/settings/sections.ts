import { lazy } from "react";

/** The sections of the settings: one line each. */
export const sections = [
  { id: "appearance", text: "Appearance", content: lazy(() => import("./Appearance")) },
] as const;
