import { lazy } from "react";

/** The sections of the settings: one line each. */
export const sections = [
  { id: "appearance", text: "Appearance", content: lazy(() => import("./Appearance")) },
  { id: "providers", text: "Sign-in providers", content: lazy(() => import("./providers/Providers")) },
  { id: "keys", text: "Platform keys", content: lazy(() => import("./keys/PlatformKeys")) },
  { id: "about", text: "About", content: lazy(() => import("./About")) },
] as const;
