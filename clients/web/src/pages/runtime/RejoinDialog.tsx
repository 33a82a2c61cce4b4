import { RuntimeService } from "@contract/causeway/platform/v1/runtime_service_pb";
import { useState } from "react";
import { ChangeDialog, SecretOnce, useChange } from "@/admin";

export interface RejoinDialogProps {
  name: string;
  isOpen: boolean;
  onClose: () => void;
}

/** Creates a token that lets a runtime join again with new keys. */
export function RejoinDialog({ name, isOpen, onClose }: RejoinDialogProps) {
  const [token, setToken] = useState<string>();
  const change = useChange(RuntimeService.method.createRejoinToken, {
    onDone: (response) => {
      onClose();
      setToken(response.token);
    },
  });
  return (
    <>
      <ChangeDialog
        title={`Rejoin token for ${name}`}
        isOpen={isOpen}
        onClose={onClose}
        change={change}
        what={`create a rejoin token for ${name}`}
        submit="Create rejoin token"
        onSubmit={() => change.run({ name })}
        command={`causeway runtime token ${name} --rejoin`}
      >
        <p className="m-0">
          The token is valid once, for 15 minutes. When {name} joins with it, new keys replace the old ones and sessions with old keys
          end. Its id, its name and its reported data stay.
        </p>
      </ChangeDialog>
      <SecretOnce title={`Rejoin token for ${name}`} secret={token} onClose={() => setToken(undefined)}>
        Pass it to the chart as <code className="font-mono">joinToken.value</code>, after the Secret with the old keys is deleted.
      </SecretOnce>
    </>
  );
}
