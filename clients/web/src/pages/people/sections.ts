import { lazy } from "react";

/** The sections of the page: one line each. */
export const sections = [
  { id: "users", text: "Users", content: lazy(() => import("./users/Users")) },
  { id: "roles", text: "Roles", content: lazy(() => import("./roles/Roles")) },
  { id: "check", text: "Who can", content: lazy(() => import("./roles/WhoCan")) },
  { id: "keys", text: "API keys", content: lazy(() => import("./keys/ApiKeys")) },
  { id: "service-accounts", text: "Service accounts", content: lazy(() => import("./accounts/ServiceAccounts")) },
  { id: "sessions", text: "Sessions", content: lazy(() => import("./sessions/Sessions")) },
] as const;
