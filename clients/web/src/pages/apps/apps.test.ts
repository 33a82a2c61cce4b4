import { expect, it } from "vitest";
import { HealthStatus, SyncStatus } from "@contract/causeway/inventory/v1/application_pb";
import { noQuery } from "@/data/url";
import type { Row } from "@/data";
import { appCommand, toCsv } from "./commandLine";
import { nextIndex, nextSort } from "./AppGrid";
import { without } from "./EmptyApps";

const row: Row = {
  key: "prod/in-cluster/argocd/checkout", runtime: "prod", cluster: "in-cluster", namespace: "argocd", name: "checkout", project: "shop", labels: {},
  health: HealthStatus.DEGRADED, healthSince: undefined, healthMessage: "", sync: SyncStatus.OUT_OF_SYNC, revision: "3f1c9a2", targetRevision: "main",
  automated: false, parent: "", operation: undefined, createdAt: 0, receivedAt: 0, isDeleting: false, uid: "1", version: 1,
};

it("writes the command of a selection, and quotes what a shell would read", () => {
  expect(appCommand("sync", [row, { ...row, name: "a b'c" }])).toBe("causeway app sync prod/argocd/checkout 'prod/argocd/a b'\\''c'");
});

it("writes CSV that no spreadsheet takes for a formula", () => {
  const [, line] = toCsv([{ ...row, name: "=cmd()", project: 'a,"b"' }]).split("\r\n");
  expect(line).toBe(`prod,in-cluster,argocd,'=cmd(),"a,""b""",Degraded,OutOfSync,3f1c9a2,,,`);
});

it("moves within the list by keys and not beyond it", () => {
  const to = (key: string, active: number) => nextIndex({ key }, active, 1000, 20);
  expect([to("ArrowDown", 0), to("ArrowUp", 0), to("PageDown", 990), to("End", 3), to("Home", 3), to("x", 3)]).toEqual([1, 0, 999, 999, 0, undefined]);
  expect(nextIndex({ key: "ArrowDown" }, 0, 0, 20)).toBeUndefined();
});

it("turns the order around at the second press and back to the first one at the third", () => {
  expect(nextSort("name", "health", false)).toEqual({ sort: "name", descending: false });
  expect(nextSort("name", "name", false)).toEqual({ sort: "name", descending: true });
  expect(nextSort("name", "name", true)).toEqual({ sort: noQuery.sort, descending: false });
});

it("takes one condition away and leaves the others", () => {
  const query = { ...noQuery, text: "pay", filters: { health: ["degraded"], label: ["a=b:c", "d=e"] } };
  expect(without(query, "label:a=b:c").filters.label).toEqual(["d=e"]);
  expect(without(query, "text")).toMatchObject({ text: "", filters: { health: ["degraded"] } });
});
