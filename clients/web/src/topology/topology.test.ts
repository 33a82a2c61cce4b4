import { create } from "@bufbuild/protobuf";
import { Side } from "@contract/causeway/access/v1/access_pb";
import { Health, PartStatusSchema } from "@contract/causeway/platform/v1/part_service_pb";
import { Connection, RuntimeSchema } from "@contract/causeway/platform/v1/runtime_service_pb";
import { expect, it } from "vitest";
import { buildTopology, countReporters, isSilent, runtimeNode, shortInstance } from "./model";
import { connectionState, nextStepOf, nextStepOfRuntime, waitsFor } from "./words";

const part = (name: string, runtime = "", health = Health.SERVING, pending: string[] = []) =>
  create(PartStatusSchema, { part: name, runtime, instance: `${runtime}-${name}`, side: runtime ? Side.RUNTIME : Side.PLATFORM, health, pending });
const runtime = (name: string, connection: Connection, servers: string[] = []) =>
  create(RuntimeSchema, { name, connection, sessions: servers.map((server, slot) => ({ server, slot })) });

it("puts each runtime at the tunnel servers that hold its sessions, and shows servers without one", () => {
  const runtimes = [runtime("east", Connection.ONLINE, ["-tunnel-server", "other"]), runtime("far", Connection.OFFLINE), runtime("url", Connection.REPORTING)];
  const topology = buildTopology(runtimes, [part("tunnel-server"), part("inventory"), part("app-proxy", "east")]);
  expect(topology.platform.map(({ name }) => name)).toEqual(["inventory", "tunnel-server"]);
  expect(topology.servers.map(({ server, runtimes }) => [server, runtimes.map((node) => node.runtime.name)])).toEqual([["-tunnel-server", ["east"]], ["other", ["east"]]]);
  expect(topology.detached.map((node) => node.runtime.name)).toEqual(["far", "url"]);
  expect(buildTopology([], [part("tunnel-server")]).servers).toHaveLength(1);
});

it("counts reporters and names what a part waits for, with the next step as a command", () => {
  const waiting = part("application-event-reporter", "east", Health.NOT_SERVING, ["inventory"]);
  const node = runtimeNode(runtime("east", Connection.ONLINE), [waiting, part("resource-event-reporter", "east"), part("app-proxy", "other")]);
  expect(countReporters(node)).toEqual({ serving: 1, all: 2 });
  expect(node.troubled).toEqual([waiting]);
  expect(waitsFor(waiting)).toBe("waits for inventory");
  expect(nextStepOf(waiting).command).toBe("kubectl -n causeway logs deployment/east-application-event-reporter --tail=50");
  expect(waitsFor(part("x", "east", Health.LOST))).toContain("no announcement for 30 s");
});

it("says the connection in the words of the command line, and what to do where it is not online", () => {
  expect([0, 1, 2, 3, 4].map((connection) => connectionState(connection).word)).toEqual(["unknown", "online", "offline", "revoked", "reporting"]);
  expect(isSilent(runtime("far", Connection.OFFLINE))).toBe(true);
  expect(nextStepOfRuntime(runtime("far", Connection.ONLINE))).toBeUndefined();
  expect(nextStepOfRuntime(runtime("far", Connection.REVOKED))?.command).toBe("causeway runtime token far --rejoin");
  expect(shortInstance("01a2227d-e778-730e-bc2c-e5acd78aa7e4")).toBe("e5acd78aa7e4");
});
