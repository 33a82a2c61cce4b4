import { RuntimeService, type JoinToken } from "@contract/causeway/platform/v1/runtime_service_pb";
import { useState } from "react";
import { ConfirmDialog, Loaded, useChange, useGuard } from "@/admin";
import { useJoinTokens } from "@/data/reads/platform";
import { Time } from "@/format";
import { Chip, GuardedButton, Table, type Column } from "@/ui";

/** Unused join tokens. */
export function OpenTokens() {
  const read = useJoinTokens({ interval: 15_000 });
  const [revoked, setRevoked] = useState<JoinToken>();
  const reason = useGuard()("runtime.create");
  const change = useChange(RuntimeService.method.revokeJoinToken, { onDone: () => setRevoked(undefined) });
  const columns: readonly Column<JoinToken>[] = [
    { id: "runtime", title: "Runtime", isHeader: true, cell: (token) => <>{token.runtime} {token.rejoins && <Chip>rejoin</Chip>}</> },
    { id: "by", title: "Created by", cell: (token) => token.createdBy },
    { id: "at", title: "Created", align: "right", isSecondary: true, cell: (token) => <Time at={token.createdAt} /> },
    { id: "ends", title: "Ends", align: "right", cell: (token) => <Time at={token.expiresAt} /> },
    { id: "revoke", title: "", align: "right", cell: (token) => <GuardedButton tone="quiet" reason={reason} onPress={() => setRevoked(token)}>Revoke…</GuardedButton> },
  ];
  return (
    <section>
      <h2 className="mb-1 text-h2 font-semibold">Open join tokens</h2>
      <Loaded read={{ ...read, data: read.joinTokens }} what="list join tokens" rows={2}>
        {(tokens) =>
          tokens.length === 0 ? (
            <p className="text-dim">No token waits to be used.</p>
          ) : (
            <Table label="Open join tokens" columns={columns} rows={tokens} rowKey={(token) => token.joinTokenId} />
          )
        }
      </Loaded>
      <ConfirmDialog
        title={`Revoke the token of ${revoked?.runtime ?? ""}`}
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        change={change}
        onConfirm={() => revoked && change.run({ joinTokenId: revoked.joinTokenId })}
      >
        <p className="m-0">A command that carries this token stops working. A runtime that has joined stays.</p>
      </ConfirmDialog>
    </section>
  );
}
