import type { Resource } from "@contract/causeway/inventory/v1/application_pb";
import { newRequestId } from "@client/request-id";
import type { FitAddon } from "@xterm/addon-fit";
import type { Terminal as Screen } from "@xterm/xterm";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { plainLine } from "@/format";
import { StateMark } from "@/state";
import { Banner, Button, Command, EmptyState, Select, TextField } from "@/ui";
import { useApp } from "../context";
import { plainText } from "../logs/ring";
import { ExecSession } from "./session";
import { withoutStyleElements } from "./styles";
import { terminalTheme } from "./theme";

const shells = {
  sh: { text: "sh", command: ["sh"] },
  bash: { text: "bash", command: ["bash"] },
  ash: { text: "ash", command: ["ash"] },
} as const;
type Shell = keyof typeof shells;

type Status = { kind: "idle" | "opening" } | { kind: "open"; pod: string; container: string } | { kind: "ended"; exitCode: number | undefined; error: string | undefined };

/** A shell in a container of a resource; what is passed stands before its fields. */
export default function Terminal({ resource, children }: { resource: Resource; children?: ReactNode }) {
  const { key, reason } = useApp();
  const [shell, setShell] = useState<Shell>("sh");
  const [container, setContainer] = useState("");
  const [status, setStatus] = useState<Status>({ kind: "idle" });
  const frame = useRef<HTMLDivElement>(null);
  const screen = useScreen(frame);
  const session = useRef<ExecSession>(undefined);
  useEffect(() => () => session.current?.close(), []);

  const open = async () => {
    session.current?.close();
    const { terminal, fit } = await screen();
    fit.fit();
    setStatus({ kind: "opening" });
    const encoder = new TextEncoder();
    const own = new ExecSession(
      {
        runtime: key.runtime, applicationNamespace: key.namespace, application: key.name,
        group: resource.group, kind: resource.kind, namespace: resource.namespace, name: resource.name,
        container: container.trim(), requestId: newRequestId(), command: [...shells[shell].command], stdin: true, tty: true,
        size: { columns: terminal.cols, rows: terminal.rows },
      },
      {
        onBegin: ({ pod, container }) => setStatus({ kind: "open", pod, container }),
        onOutput: (output) => terminal.write(output),
        onEnd: ({ exitCode, error }) => {
          terminal.write(`\r\n\u001b[2m── ${error === undefined ? `exited with code ${exitCode}` : plainText(plainLine(error))} ──\u001b[0m\r\n`);
          setStatus({ kind: "ended", exitCode, error });
        },
      },
    );
    session.current = own;
    const listeners = [terminal.onData((data) => own.input(encoder.encode(data))), terminal.onResize(({ cols, rows }) => own.resize(cols, rows))];
    own.onClosed = () => listeners.forEach((listener) => listener.dispose());
    terminal.focus();
  };

  const refusal = reason("exec.create");
  const command = `causeway app exec ${key.runtime}/${key.namespace}/${key.name} -- sh`;
  if (refusal) {
    return <EmptyState title="No terminal here" action={<Command>{command}</Command>}>{refusal}</EmptyState>;
  }
  const isOpen = status.kind === "open" || status.kind === "opening";
  return (
    <div className="flex min-h-0 grow flex-col gap-2">
      <div className="flex flex-wrap items-end gap-3">
        {children}
        <TextField label="Container" placeholder="the default one" value={container} onChange={setContainer} isDisabled={isOpen} mono className="w-44" />
        <Select<Shell> label="Shell" className="w-36" value={shell} onChange={setShell} isDisabled={isOpen} choices={(Object.keys(shells) as Shell[]).map((each) => ({ key: each, text: shells[each].text }))} />
        {isOpen ? <Button onPress={() => session.current?.end()}>Close</Button> : <Button tone="accent" onPress={() => void open()}>{status.kind === "ended" ? "New shell" : "Open a shell"}</Button>}
        <StatusMark status={status} />
      </div>
      {status.kind === "ended" && status.error && <Banner tone="bad">{status.error}</Banner>}
      <div ref={frame} className="min-h-60 grow overflow-hidden rounded-card border border-line bg-bg p-2" />
    </div>
  );
}

function StatusMark({ status }: { status: Status }) {
  if (status.kind === "opening") return <StateMark state="running">opening</StateMark>;
  if (status.kind === "open") return <StateMark state="healthy">{`${status.pod} ${status.container}`}</StateMark>;
  if (status.kind !== "ended") return null;
  return <StateMark state={status.exitCode === 0 ? "suspended" : "degraded"}>{status.error === undefined ? `exit code ${status.exitCode}` : "failed"}</StateMark>;
}

interface OpenScreen {
  terminal: Screen;
  fit: FitAddon;
}

/** Loads xterm at first use; one screen stays for all shells, so that the old text is kept. */
function useScreen(frame: { current: HTMLDivElement | null }): () => Promise<OpenScreen> {
  const opened = useRef<Promise<OpenScreen>>(undefined);
  useEffect(() => {
    const observer = new ResizeObserver(() => void opened.current?.then(({ fit }) => fit.fit()));
    if (frame.current) observer.observe(frame.current);
    return () => {
      observer.disconnect();
      void opened.current?.then(({ terminal }) => terminal.dispose());
      opened.current = undefined;
    };
  }, [frame]);
  return () => (opened.current ??= openScreen(frame.current));
}

async function openScreen(frame: HTMLDivElement | null): Promise<OpenScreen> {
  const [{ Terminal: Screen }, { FitAddon }] = await Promise.all([import("@xterm/xterm"), import("@xterm/addon-fit"), import("@xterm/xterm/css/xterm.css")]);
  const terminal = new Screen({
    allowProposedApi: true,
    cursorBlink: false,
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace',
    fontSize: 13,
    minimumContrastRatio: 4.5,
    screenReaderMode: true,
    scrollback: 10_000,
    theme: terminalTheme(),
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  // Output must reach neither the clipboard (52) nor make links (8).
  terminal.parser.registerOscHandler(52, () => true);
  terminal.parser.registerOscHandler(8, () => true);
  if (frame) withoutStyleElements(() => terminal.open(frame));
  return { terminal, fit };
}
