/** Changes whose end is not known, kept in the session storage, so that a reload asks again with the same request id. */
import { create, fromJson, toJson, type DescMessage, type DescMethodUnary, type JsonValue, type MessageInitShape, type MessageShape } from "@bufbuild/protobuf";
import { newRequestId } from "@client/request-id";

const PREFIX = "causeway.action:";
const secretFields = /secret|password|token|credential/;

/** Returns the request as a message with a request id of its own where it has none. */
export function withRequestId<I extends DescMessage>(schema: I, input: MessageInitShape<I>): MessageShape<I> {
  const request = create(schema, input);
  const named = request as { requestId?: string };
  if (named.requestId === "") named.requestId = newRequestId();
  return request;
}

/** Keeps a change until its end is known; requests with secrets are not kept. */
export function keep<I extends DescMessage>(method: DescMethodUnary<I, DescMessage>, scope: string, request: MessageShape<I>) {
  if (method.input.fields.some((field) => secretFields.test(field.name))) return;
  try {
    sessionStorage.setItem(nameOf(method, scope), JSON.stringify(toJson(method.input, request)));
  } catch {
    // A full storage must not prevent a change; then a reload forgets its id.
  }
}

/** Drops a change whose end is known. */
export function forget(method: DescMethodUnary<DescMessage, DescMessage>, scope: string) {
  sessionStorage.removeItem(nameOf(method, scope));
}

/** Returns the change that was begun before a reload and whose end is not known. */
export function unfinished<I extends DescMessage>(method: DescMethodUnary<I, DescMessage>, scope: string): MessageShape<I> | undefined {
  const text = sessionStorage.getItem(nameOf(method, scope));
  if (text === null) return undefined;
  try {
    return fromJson(method.input, JSON.parse(text) as JsonValue);
  } catch {
    forget(method, scope);
    return undefined;
  }
}

function nameOf(method: DescMethodUnary<DescMessage, DescMessage>, scope: string): string {
  return `${PREFIX}${method.parent.typeName}/${method.name}:${scope}`;
}
