import { type DescMessage, type DescMethodUnary, type DescService, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, createContextKey, createContextValues, type Client, type Interceptor, type Transport } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { setClockOffset } from "@/format/clock";
import { CallError, toProblem } from "./problem";
import { sessionLost, whenRestored } from "./session";

/** Set to false for calls that must fail where there is no session, such as those of the sign-in page. */
const waitsForSession = createContextKey(true, { description: "waits for a session" });

/** Clocks closer than this are equal: the header that tells the time has no milliseconds. */
const SMALLEST_OFFSET = 2_000;

/** After a sign-in in another window the call goes on by itself, with the request id that it has. */
const session: Interceptor = (next) => async (request) => {
  for (;;) {
    try {
      return await next(request);
    } catch (error) {
      if (ConnectError.from(error).code !== Code.Unauthenticated) throw error;
      sessionLost();
      if (request.stream || !request.contextValues.get(waitsForSession)) throw error;
      await whenRestored(request.signal);
    }
  }
};

const clock: Interceptor = (next) => async (request) => {
  const response = await next(request);
  const served = Date.parse(response.header.get("date") ?? "") + 500 - Date.now();
  if (!request.stream && !Number.isNaN(served)) setClockOffset(Math.abs(served) < SMALLEST_OFFSET ? 0 : served);
  return response;
};

let current: Transport | undefined;

/** Returns the one transport to the platform that served this page. */
export function transport(): Transport {
  current ??= createGrpcWebTransport({ baseUrl: location.origin, interceptors: [session, clock] });
  return current;
}

/** Replaces the transport; tests answer calls in memory with it. */
export function setTransport(replacement: Transport | undefined) {
  current = replacement;
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
