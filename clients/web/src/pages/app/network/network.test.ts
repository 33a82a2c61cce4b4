import { create } from "@bufbuild/protobuf";
import { ResourceSchema } from "@contract/causeway/inventory/v1/application_pb";
import { expect, test } from "vitest";
import { deadEndReason, isDeadEnd, waysOf } from "./network";

function resource(kind: string, name: string, targets: [string, string][] = []) {
  const named = targets.map(([kind, name]) => ({ kind, name, namespace: "shop" }));
  return create(ResourceSchema, { kind, name, namespace: "shop", uid: name, network: { targets: named } });
}

test("traffic goes from an ingress over its service to the pods", () => {
  const [way] = waysOf([resource("Pod", "p1"), resource("Service", "api", [["Pod", "p1"]]), resource("Ingress", "web", [["Service", "api"]])]);
  expect(way?.resource.name).toBe("web");
  expect(way?.targets[0]?.targets[0]?.resource.name).toBe("p1");
});

test("a service without pods, and an ingress whose service is absent, are dead ends with a reason", () => {
  const [ingress, service] = waysOf([resource("Service", "api"), resource("Ingress", "web", [["Service", "gone"]])]);
  expect(isDeadEnd(ingress!)).toBe(true);
  expect(deadEndReason(ingress!)).toBe("Service gone is not in the application");
  expect(isDeadEnd(service!)).toBe(true);
  expect(deadEndReason(service!)).toBe("No pod matches its selector");
});

test("resources that lead to each other end the way", () => {
  const ways = waysOf([resource("Service", "a", [["Service", "b"]]), resource("Service", "b", [["Service", "a"]]), resource("Ingress", "web", [["Service", "a"]])]);
  expect(ways).toHaveLength(1);
  expect(ways[0]?.targets[0]?.targets[0]?.targets).toEqual([]);
});
