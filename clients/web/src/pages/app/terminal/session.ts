import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { ExecRequestSchema, ExecResponseSchema, type ExecBegin, type ExecEnd } from "@contract/causeway/proxy/v1/exec_service_pb";

export interface SessionHandlers {
  onBegin: (begin: ExecBegin) => void;
  onOutput: (output: Uint8Array) => void;
  /** The command ended, or could not be run. */
  onEnd: (end: { exitCode?: number; error?: string }) => void;
}

/** Codes above this are 4000 plus the gRPC code. */
const APPLICATION_CODES = 4_000;
const MOST_INPUT = 64 * 1_024;

/** One command in a container, over a WebSocket. */
export class ExecSession {
  private readonly socket: WebSocket;
  private isOver = false;
  /** Called once when nothing more can be sent. */
  onClosed: () => void = () => undefined;

  constructor(first: MessageInitShape<typeof ExecRequestSchema>, private readonly handlers: SessionHandlers) {
    const url = new URL("/v1/exec", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(url);
    this.socket.binaryType = "arraybuffer";
    this.socket.addEventListener("open", () => this.send(first));
    this.socket.addEventListener("message", ({ data }: MessageEvent<ArrayBuffer>) => this.take(new Uint8Array(data)));
    this.socket.addEventListener("close", ({ code, reason }) => this.finish(closeText(code, reason)));
  }

  input(bytes: Uint8Array) {
    for (let start = 0; start < bytes.length; start += MOST_INPUT) this.send({ input: bytes.slice(start, start + MOST_INPUT) });
  }

  resize(columns: number, rows: number) {
    this.send({ size: { columns, rows } });
  }

  /** Ends the shell at the user's wish, and tells so. */
  end() {
    this.finish({ error: "You closed it." });
    this.socket.close();
  }

  /** Ends it in silence, since its page is left. */
  close() {
    this.isOver = true;
    this.onClosed();
    this.socket.close();
  }

  private send(request: MessageInitShape<typeof ExecRequestSchema>) {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send(toBinary(ExecRequestSchema, create(ExecRequestSchema, request)) as Uint8Array<ArrayBuffer>);
  }

  private take(bytes: Uint8Array) {
    const { event } = fromBinary(ExecResponseSchema, bytes);
    if (event.case === "begin") this.handlers.onBegin(event.value);
    if (event.case === "stdout" || event.case === "stderr") this.handlers.onOutput(event.value);
    if (event.case === "end") this.finish(endOf(event.value));
  }

  private finish(end: { exitCode?: number; error?: string }) {
    if (this.isOver) return;
    this.isOver = true;
    this.onClosed();
    this.handlers.onEnd(end);
  }
}

function endOf({ exitCode, error }: ExecEnd): { exitCode?: number; error?: string } {
  return error ? { error } : { exitCode };
}

/** Says in words why a terminal closed. */
export function closeText(code: number, reason: string): { error: string } {
  if (reason) return { error: reason };
  if (code > APPLICATION_CODES) return { error: `The call failed with ${Code[code - APPLICATION_CODES] ?? code}.` };
  if (code === 1000) return { error: "The session was closed." };
  return { error: "The connection was lost, or the platform refused it. Sign in again, or use causeway app exec." };
}
