import { ApiKeyService, type ApiKey } from "@contract/causeway/platform/v1/api_key_service_pb";
import { useState } from "react";
import { ChangeDialog, useChange } from "@/admin";
import { Select } from "@/ui";

export interface RotateKeyDialogProps {
  apiKey: ApiKey | undefined;
  onClose: () => void;
  onIssued: (key: ApiKey | undefined, secret: string) => void;
}

const overlaps = [
  { key: "0s", text: "Not at all: it ends now", seconds: 0 },
  { key: "1h", text: "1 hour", seconds: 3_600 },
  { key: "1d", text: "1 day", seconds: 86_400 },
  { key: "7d", text: "7 days", seconds: 604_800 },
] as const;

type Overlap = (typeof overlaps)[number]["key"];

/** Replaces the secret of a key; the old one may stay valid for a while. */
export function RotateKeyDialog({ apiKey, onClose, onIssued }: RotateKeyDialogProps) {
  const [overlap, setOverlap] = useState<Overlap>("1d");
  const { keyId = "", displayName = "" } = apiKey ?? {};
  const change = useChange(ApiKeyService.method.rotateApiKey, {
    onDone: (response) => {
      onClose();
      onIssued(response.apiKey, response.secret);
    },
  });
  const overlapSeconds = overlaps.find(({ key }) => key === overlap)?.seconds ?? 0;
  return (
    <ChangeDialog title={`Rotate ${displayName}`} isOpen={apiKey !== undefined} onClose={onClose} change={change} what={`rotate ${displayName}`} submit="Rotate" onSubmit={() => change.run({ keyId, overlapSeconds })} command={`causeway api-key rotate ${keyId} --overlap ${overlap}`} size="small">
      <p className="m-0">The key keeps its id, its owner and its limit. Its new secret is shown once.</p>
      <Select label="The old secret stays valid for" choices={overlaps} value={overlap} onChange={setOverlap} />
    </ChangeDialog>
  );
}
