import type { DescMessage, DescMethodUnary, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createContextKey, createContextValues, type Client, type Interceptor, type Transport } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { onResume, reportSignedOut } from "@/session/session";
import { CallError, toProblem } from "./problem";

/** Set to false for calls that must fail where there is no session. */
const waitsForSession = createContextKey(true, { description: "waits for a session" });

/** After a sign-in in another window the call goes on by itself, with the request id that it has. */
const session: Interceptor = (next) => async (request) => {
  for (;;) {
    try {
      return await next(request);
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unauthenticated) throw error;
      reportSignedOut();
      if (request.stream || !request.contextValues.get(waitsForSession)) throw error;
      await whenResumed(request.signal);
    }
  }
};

function whenResumed(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = onResume(() => (stop(), resolve()));
    signal.addEventListener("abort", () => (stop(), reject(signal.reason as Error)), { once: true });
  });
}

let current: Transport | undefined;

/** Returns the one transport to the platform that served this page. */
export function transport(): Transport {
  current ??= createGrpcWebTransport({ baseUrl: location.origin, interceptors: [session] });
  return current;
}

/** Replaces the transport; tests answer calls in memory with it. */
export function setTransport(replacement: Transport | undefined) {
  current = replacement;
  clients.clear();
}

const clients = new Map<DescService, Client<DescService>>();

/** Returns the client of a service, for streams; single calls are made by `call`. */
export function clientOf<S extends DescService>(service: S): Client<S> {
  if (!clients.has(service)) clients.set(service, createClient(service, transport()));
  return clients.get(service) as Client<S>;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  /** False to fail where there is no session, and not to wait for one. */
  waitsForSession?: boolean;
}

/** Makes one call; throws a CallError. */
export async function call<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  input: MessageInitShape<I>,
  options: CallOptions = {},
): Promise<MessageShape<O>> {
  const context = createContextValues().set(waitsForSession, options.waitsForSession ?? true);
  try {
    const response = await transport().unary(method, options.signal, options.timeoutMs, undefined, input, context);
    return response.message;
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new CallError(toProblem(error));
  }
}
