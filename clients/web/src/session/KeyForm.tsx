import { useState, type SubmitEvent } from "react";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { formatDuration } from "@/format/time";
import { reasons } from "@/reasons";
import { JsonFailure, postForm } from "./json";
import { announceSignIn } from "./session";

/** Exchanges an API key for a session of this browser; the key itself is not stored. */
export function KeyForm({ onSignedIn, isAccent }: { onSignedIn: () => void; isAccent?: boolean }) {
  const [key, setKey] = useState("");
  const [error, setError] = useState<string>();
  const [isPending, setPending] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setPending(true);
    setError(undefined);
    try {
      await postForm("/auth/key", { key: key.trim() });
      await announceSignIn();
      onSignedIn();
    } catch (failure) {
      setError(keyError(failure));
    } finally {
      setPending(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      <TextField
        label="API key"
        type="password"
        mono
        autoComplete="off"
        isRequired
        value={key}
        onChange={setKey}
        error={error}
        hint="The session ends with the key, after 12 hours at most."
      />
      <Button type="submit" tone={isAccent ? "accent" : "plain"} isDisabled={isPending || key.trim() === ""}>
        {isPending ? "Signing in…" : "Sign in with the key"}
      </Button>
    </form>
  );
}

function keyError(error: unknown): string {
  if (!(error instanceof JsonFailure)) return "The platform does not answer. Check the connection and try again.";
  if (error.retryAfter) return `Too many attempts. Try again in ${formatDuration(error.retryAfter)}.`;
  return error.reason === "FIELD_INVALID" ? error.message : (reasons[error.reason] ?? error.message);
}
