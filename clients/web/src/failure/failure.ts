import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "@contract/google/rpc/error_details_pb";

/** A failed call, as the UI explains it. */
export interface Failure {
  message: string;
  /** The reason's name in the contract, or the gRPC code. */
  reason: string;
  /** Wrong fields and what is wrong with them. */
  fields: Record<string, string>;
  permission?: string;
  runtime?: string;
  requestId?: string;
  /** Milliseconds until a repeat may succeed. */
  retryAfter?: number;
}

/** Reads why a call failed from whatever was thrown. */
export function failureOf(error: unknown): Failure {
  if (isFailure(error)) return error;
  const connect = ConnectError.from(error);
  const info = connect.findDetails(ErrorInfoSchema).find((detail) => detail.domain === "causeway");
  const violations = connect.findDetails(BadRequestSchema).flatMap((detail) => detail.fieldViolations);
  const delay = connect.findDetails(RetryInfoSchema)[0]?.retryDelay;
  const requestId = info?.metadata["request_id"];
  return {
    message: connect.rawMessage,
    reason: info?.reason ?? codeName(connect.code),
    fields: Object.fromEntries(violations.map(({ field, description }) => [field, description])),
    ...defined("permission", info?.metadata["permission"]),
    ...defined("runtime", info?.metadata["runtime"]),
    ...defined("requestId", requestId),
    ...(delay ? { retryAfter: Number(delay.seconds) * 1e3 + delay.nanos / 1e6 } : {}),
  };
}

function isFailure(error: unknown): error is Failure {
  return typeof error === "object" && error !== null && "message" in error && "reason" in error && "fields" in error;
}

function codeName(code: Code): string {
  return Code[code].replace(/(?<=[a-z])[A-Z]/g, "_$&").toUpperCase();
}

function defined<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  return value ? ({ [key]: value } as Record<K, string>) : {};
}

/** Reports if the outcome of the call is not known, so that it may have taken effect. */
export function isOutcomeUnknown({ reason }: Failure): boolean {
  return reason === "OUTCOME_UNKNOWN" || reason === "TUNNEL_LOST";
}

/** Reports if the session is missing or has ended. */
export function isSignedOut({ reason }: Failure): boolean {
  return reason.startsWith("CREDENTIAL_") || reason === "UNAUTHENTICATED";
}
