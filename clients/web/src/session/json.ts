import type { Failure } from "@/failure/failure";

/** A failed call of the JSON interface. */
export class JsonFailure extends Error implements Failure {
  readonly reason: string;
  readonly fields: Record<string, string> = {};
  readonly retryAfter?: number;
  readonly status: number;

  constructor(response: Response, body: unknown) {
    const { message, details } = readStatus(body);
    super(message ?? `the platform answered ${response.status}`);
    this.status = response.status;
    this.reason = details.map((detail) => detail["reason"]).find((reason) => typeof reason === "string") ?? `HTTP ${response.status}`;
    const seconds = Number(response.headers.get("retry-after"));
    if (seconds > 0) this.retryAfter = seconds * 1000;
  }
}

/** Calls a public or own method of the JSON interface before the data layer is loaded. */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answer<T>(await fetch(path, { headers: { accept: "application/json" }, ...(signal ? { signal } : {}) }));
}

/** Posts a form, whose answer may be empty. */
export async function postForm(path: string, fields: Record<string, string>): Promise<void> {
  const response = await fetch(path, {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams(fields),
  });
  if (!response.ok) throw new JsonFailure(response, await response.json().catch(() => undefined));
}

async function answer<T>(response: Response): Promise<T> {
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new JsonFailure(response, body);
  return body as T;
}

interface StatusBody {
  message: string | undefined;
  details: Record<string, unknown>[];
}

function readStatus(body: unknown): StatusBody {
  if (typeof body !== "object" || body === null) return { message: undefined, details: [] };
  const { message, details } = body as Record<string, unknown>;
  return {
    message: typeof message === "string" ? message : undefined,
    details: Array.isArray(details) ? (details as Record<string, unknown>[]) : [],
  };
}
