import { useGitReason } from "@/git/useGitReason";
import { useApp } from "../context";

/** Returns why nothing of the application can be committed; undefined where it can. */
export function useCommitReason(): string | undefined {
  const { key, application, at, reason } = useApp();
  const git = useGitReason(key.runtime);
  const sources = application.spec?.sources ?? [];
  if (at !== undefined) return reason("application.update");
  if (sources.length > 0 && sources.every(({ chart }) => chart !== "")) return "Its sources are charts of Helm repositories, so that it has no file in Git.";
  return git("repository.commit");
}
