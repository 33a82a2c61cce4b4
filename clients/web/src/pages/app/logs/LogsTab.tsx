import { EmptyState } from "@/ui";
import { useApp } from "../context";
import Logs from "./Logs";

/** The logs of all pods of the application, as one. */
export default function LogsTab() {
  const { resources, at } = useApp();
  if (at !== undefined) return <EmptyState title="Logs are of now">Go back to now to read them.</EmptyState>;
  if (!resources.some(({ kind }) => kind === "Pod")) return <EmptyState title="No pod">The application runs no pod, so there is no log.</EmptyState>;
  return <Logs />;
}
