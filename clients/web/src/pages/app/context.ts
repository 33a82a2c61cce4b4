import type { Application, Resource } from "@contract/causeway/inventory/v1/application_pb";
import { createContext, useContext } from "react";
import type { ApplicationKey, Decision } from "@/data";

/** What every part of the application page works on. */
export interface AppView {
  key: ApplicationKey;
  /** The application now, or at the chosen time. */
  application: Application;
  resources: readonly Resource[];
  /** The chosen time in milliseconds; undefined for now. */
  at: number | undefined;
  /** The runtime is silent: what is shown is its last report. */
  isSilent: boolean;
  /** If an action may be done. */
  can: (permission: string) => Decision;
  /** Why an action does not act, in words; undefined where it may. */
  reason: (permission: string) => string | undefined;
}

export const AppContext = createContext<AppView | undefined>(undefined);

/** Returns the application that the page shows. */
export function useApp(): AppView {
  const view = useContext(AppContext);
  if (!view) throw new Error("This part belongs on the application page");
  return view;
}

/** The permissions that the page's actions need. */
export const permissions = [
  "application.sync",
  "application.refresh",
  "application.terminate",
  "application.rollback",
  "application.delete",
  "application.update",
  "resource.get",
  "resource.delete",
  "resource.action",
  "rollout.promote",
  "rollout.pause",
  "rollout.resume",
  "rollout.abort",
  "rollout.retry",
  "rollout.restart",
  "rollout.undo",
  "log.get",
  "exec.create",
] as const;
