import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy before the platform, which sees all calls of browsers and may change their messages. */
export interface Proxy {
  /** Address of the proxy, for example `http://localhost:40123`. */
  readonly address: string;
  /** Paths of the calls that are open now. */
  readonly open: string[];
  /** Ends all connections, and each new one until it is mended. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
}

export interface Changes {
  /** Changes the message that a call sends. */
  request?: (path: string, message: Uint8Array) => Uint8Array;
  /** Changes each message of an answer. */
  answer?: (path: string, message: Uint8Array) => Uint8Array;
}

const CALL = "application/grpc-web";
const HEAD = 5;
const TRAILERS = 0x80;

/** Starts a proxy before the platform at `target`. */
export async function startProxy(target: string, changes: Changes = {}): Promise<Proxy> {
  const open: string[] = [];
  const server = createServer((from, to) => {
    const path = from.url ?? "/";
    open.push(path);
    to.once("close", () => open.splice(open.indexOf(path), 1));
    void pass(target, changes, from, to).catch(() => to.destroy());
  });
  let isCut = false;
  server.on("connection", (socket) => isCut && socket.destroy());
  await new Promise<void>((listens) => server.listen(0, "127.0.0.1", listens));
  const stop = async () => {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
  };
  const cut = () => {
    isCut = true;
    server.closeAllConnections();
  };
  const mend = () => void (isCut = false);
  return { address: `http://localhost:${(server.address() as AddressInfo).port}`, open, cut, mend, stop };
}

async function pass(target: string, { request: changeRequest, answer: changeAnswer }: Changes, from: IncomingMessage, to: ServerResponse) {
  const path = from.url ?? "/";
  const chunks: Buffer[] = [];
  for await (const chunk of from) chunks.push(chunk as Buffer);
  const isCall = from.headers["content-type"]?.startsWith(CALL) ?? false;
  const sent = Buffer.concat(chunks);
  const body = isCall && changeRequest ? frames((message) => changeRequest(path, message))(sent) : sent;
  // The platform sees the address of the proxy as its own, as behind any reverse proxy.
  const headers = { ...from.headers, "accept-encoding": "identity", "content-length": String(body.length) };
  delete headers["transfer-encoding"];
  const up = request(new URL(path, target), { method: from.method ?? "GET", headers }, (answer) => {
    const change = isCall && changeAnswer ? frames((message) => changeAnswer(path, message)) : undefined;
    const { "content-length": length, ...others } = answer.headers;
    to.writeHead(answer.statusCode ?? 502, change || length === undefined ? others : answer.headers);
    to.flushHeaders();
    answer.on("data", (chunk: Buffer) => to.write(change ? change(chunk) : chunk));
    answer.on("end", () => to.end());
    answer.on("error", () => to.destroy());
  });
  up.on("error", () => to.destroy());
  to.once("close", () => up.destroy());
  up.end(body);
}

/** Returns a function that changes each whole message of the chunks that it gets, and keeps the rest for the next one. */
function frames(change: (message: Uint8Array) => Uint8Array): (chunk: Buffer) => Buffer {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const done: Uint8Array[] = [];
    while (rest.length >= HEAD && rest.length >= HEAD + rest.readUInt32BE(1)) {
      const flags = rest.readUInt8(0);
      const end = HEAD + rest.readUInt32BE(1);
      const message = rest.subarray(HEAD, end);
      const next = flags & TRAILERS ? message : change(message);
      const head = Buffer.alloc(HEAD);
      head.writeUInt8(flags, 0);
      head.writeUInt32BE(next.length, 1);
      done.push(head, next);
      rest = rest.subarray(end);
    }
    return Buffer.concat(done);
  };
}
