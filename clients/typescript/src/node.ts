/** Opens connections from Node: gRPC over HTTP/2 with a key. */

import { readFileSync } from "node:fs";
import type { Interceptor, Transport } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";

/** How long nothing may be heard, and how long the answer to a ping may take. */
const PING_EVERY_MS = 15_000;
const PING_ANSWER_MS = 10_000;

/**
 * A transport to the platform at a URL, for example https://causeway.example.com, with an API key or a session's token.
 * `authorities` are certificates to trust in place of the system's, as PEM. Nothing is opened yet: the first call connects.
 */
export function connect(address: string, key: string, authorities?: string): Transport {
  const { protocol } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") {
    throw new TypeError(`the address ${address} is no URL of http or https`);
  }
  const bearer: Interceptor = (next) => (request) => {
    request.header.set("authorization", `Bearer ${key}`);
    return next(request);
  };
  return createGrpcTransport({
    baseUrl: address,
    interceptors: [bearer],
    pingIntervalMs: PING_EVERY_MS,
    pingTimeoutMs: PING_ANSWER_MS,
    ...(authorities === undefined ? {} : { nodeOptions: { ca: authorities } }),
  });
}

/** A transport to CAUSEWAY_ADDRESS with the key in CAUSEWAY_API_KEY_FILE, as the command line has it, and CAUSEWAY_CA_FILE. */
export function fromEnvironment(): Transport {
  const { CAUSEWAY_ADDRESS: address, CAUSEWAY_API_KEY_FILE: key, CAUSEWAY_CA_FILE: trusted } = process.env;
  if (!address || !key) {
    throw new TypeError("set CAUSEWAY_ADDRESS, and CAUSEWAY_API_KEY_FILE to a file with an API key");
  }
  const authorities = trusted ? readFileSync(trusted, "utf8") : undefined;
  return connect(address, readFileSync(key, "utf8").trim(), authorities);
}
