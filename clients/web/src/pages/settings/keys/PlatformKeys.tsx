import { KeyService, SigningKeyState, type SigningKey } from "@contract/causeway/platform/v1/key_service_pb";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import { ChangeDialog, Loaded, useChange, useGuard } from "@/admin";
import { useSigningKeys } from "@/data/reads/platform";
import { Time } from "@/format";
import { notify } from "@/shell";
import { StateMark } from "@/state";
import type { State } from "@/words";
import { Checkbox, CopyButton, GuardedButton, Table, type Column } from "@/ui";

const states: Record<SigningKeyState, { state: State; word: string }> = {
  [SigningKeyState.UNSPECIFIED]: { state: "unknown", word: "unknown" },
  [SigningKeyState.WAITING]: { state: "waiting", word: "waiting" },
  [SigningKeyState.SIGNING]: { state: "healthy", word: "signing" },
  [SigningKeyState.LEAVING]: { state: "suspended", word: "leaving" },
};

const columns: readonly Column<SigningKey>[] = [
  { id: "id", title: "Key", isHeader: true, cell: ({ keyId }) => <span className="inline-flex items-center gap-1"><code className="font-mono text-label">{keyId}</code><CopyButton text={keyId} what="key id" /></span> },
  { id: "state", title: "State", cell: ({ state }) => <StateMark state={states[state]?.state ?? "unknown"}>{states[state]?.word ?? "unknown"}</StateMark> },
  { id: "from", title: "Signs from", align: "right", isSecondary: true, cell: ({ signsFrom }) => <Time at={signsFrom} /> },
  { id: "until", title: "Valid until", align: "right", cell: ({ notAfter }) => <Time at={notAfter} /> },
];

/** The keys by which the platform signs for users, and the one that seals sign-ins. */
export default function PlatformKeys() {
  const read = useSigningKeys({ interval: 15_000 });
  const reason = useGuard()("key.rotate");
  const [rotated, setRotated] = useState<"signing" | "sealing">();
  return (
    <div className="flex flex-col gap-6">
      <section>
        <div className="mb-1 flex flex-wrap items-center gap-3">
          <h2 className="grow text-h2 font-semibold">Signing keys</h2>
          <GuardedButton icon={<KeyRound size={14} aria-hidden />} reason={reason} onPress={() => setRotated("signing")}>Rotate…</GuardedButton>
        </div>
        <p className="mt-0 mb-2 max-w-[80ch] text-dim">They sign the assertions that runtimes accept, and the audit chain. The root key, which runtimes pin when they join, certifies each of them.</p>
        <Loaded read={{ ...read, data: read.data?.keys }} what="list signing keys" rows={2}>
          {(keys) => <Table label="Signing keys" columns={columns} rows={keys} rowKey={({ keyId }) => keyId} />}
        </Loaded>
      </section>
      <section>
        <div className="mb-1 flex flex-wrap items-center gap-3">
          <h2 className="grow text-h2 font-semibold">Sealing key</h2>
          <GuardedButton icon={<KeyRound size={14} aria-hidden />} reason={reason} onPress={() => setRotated("sealing")}>Rotate…</GuardedButton>
        </div>
        <p className="m-0 max-w-[80ch] text-dim">It seals pending sign-ins and the client secrets of sign-in providers. It never leaves the platform.</p>
      </section>
      <RotateSigning isOpen={rotated === "signing"} onClose={() => setRotated(undefined)} />
      <RotateSealing isOpen={rotated === "sealing"} onClose={() => setRotated(undefined)} />
    </div>
  );
}

interface RotateProps {
  isOpen: boolean;
  onClose: () => void;
}

function RotateSigning({ isOpen, onClose }: RotateProps) {
  const [atOnce, setAtOnce] = useState(false);
  const change = useChange(KeyService.method.rotateSigningKey, {
    onDone: () => {
      onClose();
      notify({ state: "healthy", text: atOnce ? "All previous signing keys are revoked." : "The next signing key signs in 2 minutes." });
    },
  });
  return (
    <ChangeDialog title="Rotate the signing key?" isOpen={isOpen} onClose={onClose} change={change} what="rotate the signing key" submit={atOnce ? "Revoke and rotate" : "Rotate"} onSubmit={() => change.run({ atOnce })} isDanger={atOnce} command={`causeway key rotate${atOnce ? " --at-once" : ""}`} size="small">
      <p className="m-0">
        {atOnce
          ? "All previous keys are revoked within 3 seconds. Calls in progress fail, and assertions in use are refused: users and pipelines repeat their calls."
          : "The next key is published now and signs after 2 minutes, when all verifiers know it. Previous ones stay valid until what they signed has expired. Calls go on."}
      </p>
      <Checkbox isSelected={atOnce} onChange={setAtOnce}>A key may be compromised: revoke the previous ones</Checkbox>
    </ChangeDialog>
  );
}

function RotateSealing({ isOpen, onClose }: RotateProps) {
  const [atOnce, setAtOnce] = useState(false);
  const change = useChange(KeyService.method.rotateSealingKey, {
    onDone: () => {
      onClose();
      notify({ state: "healthy", text: atOnce ? "The new sealing key seals now." : "The next sealing key seals in 2 minutes." });
    },
  });
  return (
    <ChangeDialog title="Rotate the sealing key?" isOpen={isOpen} onClose={onClose} change={change} what="rotate the sealing key" submit={atOnce ? "Rotate at once" : "Rotate"} onSubmit={() => change.run({ atOnce })} isDanger={atOnce} command={`causeway key rotate --sign-in${atOnce ? " --at-once" : ""}`} size="small">
      <p className="m-0">
        {atOnce
          ? "Pending sign-ins are rejected: who signs in now has to start again. Sessions stay."
          : "It seals after 2 minutes; client secrets are then sealed again. Sign-ins that have begun are accepted for another 30 minutes."}
      </p>
      <Checkbox isSelected={atOnce} onChange={setAtOnce}>The old key may be compromised: use the new one at once</Checkbox>
    </ChangeDialog>
  );
}
