import { create } from "@bufbuild/protobuf";
import { Health, PartStatusSchema } from "@contract/causeway/platform/v1/part_service_pb";
import { RuntimeSchema } from "@contract/causeway/platform/v1/runtime_service_pb";
import { expect, it } from "vitest";
import { runtimeNode } from "@/topology";
import { helmCommand, initialInstallation, installCommand, nameError } from "./installation";
import { joinSteps } from "./steps";

const token = '"$(causeway runtime token east)"';
const base = { ...initialInstallation, name: "east", platform: "https://p.example" };

/** Written by `causeway runtime install east --print helm`. */
const printed = `helm upgrade --install east helm/causeway-runtime \\
  --namespace causeway-east --create-namespace \\
  --set-json argo-cd.enabled=true \\
  --set-string 'ca.existingSecret=my ca' \\
  --set-json platform.plaintext=true \\
  --set-string platform.url=http://p.example:7400 \\
  --set-string proxy.url=http://proxy:3128 \\
  --set-string joinToken.value=TOKEN`;

it("writes the Helm command that the command line prints", () => {
  const installation = { ...base, namespace: "causeway-east", platform: "http://p.example:7400", argocd: "new", proxy: "http://proxy:3128", caSecret: "my ca" } as const;
  expect(helmCommand(installation, "TOKEN")).toBe(printed);
  expect(installCommand(installation)).toBe(
    "causeway runtime install east --platform-url http://p.example:7400 --namespace causeway-east --new-argocd --proxy http://proxy:3128 --ca-secret 'my ca'",
  );
});

it("quotes what a shell or Helm would read otherwise", () => {
  const command = helmCommand({ ...base, caSecret: "a,b'; rm -rf /" }, token);
  expect(command).toContain(String.raw`--set-string 'ca.existingSecret=a\,b'\''; rm -rf /'`);
});

it("refuses names that the platform refuses, and names that are taken", () => {
  expect(nameError("prod-eu", [])).toBeUndefined();
  expect(nameError("-prod", [])).toContain("starts and ends");
  expect(nameError("a".repeat(64), [])).toContain("63");
  expect(nameError("prod-eu", ["prod-eu"])).toContain("rejoin token");
});

it("turns one step green after the other, and those before a reached one", () => {
  const states = (node: Parameters<typeof joinSteps>[0], apps = 0n) => joinSteps(node, apps).map((step) => step.state);
  const joined = create(RuntimeSchema, { name: "east" });
  const connected = create(RuntimeSchema, { name: "east", sessions: [{ server: "a" }] });
  const reporter = create(PartStatusSchema, { part: "application-event-reporter", runtime: "east", health: Health.SERVING });
  expect(states(undefined)).toEqual(["current", "waiting", "waiting", "waiting"]);
  expect(states(runtimeNode(joined, []))).toEqual(["done", "current", "waiting", "waiting"]);
  expect(states(runtimeNode(connected, [{ ...reporter, health: Health.NOT_SERVING }]))).toEqual(["done", "done", "current", "waiting"]);
  expect(states(runtimeNode(joined, [reporter]))).toEqual(["done", "done", "done", "current"]);
  expect(states(runtimeNode(connected, [reporter]), 3n)).toEqual(["done", "done", "done", "done"]);
});
