import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { DescFile, DescMethod } from "@bufbuild/protobuf";

const GENERATED = resolve("../typescript/src/gen/causeway");

/** Returns all calls of the contract by their path, such as `/causeway.platform.v1.InfoService/GetPlatformInfo`. */
export async function callsOfContract(): Promise<Map<string, DescMethod>> {
  const names = readdirSync(GENERATED, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("_pb.ts"));
  const modules = await Promise.all(names.map((name) => import(pathToFileURL(resolve(GENERATED, name)).href) as Promise<object>));
  const files = modules.flatMap((each) => Object.values(each)).filter((each): each is DescFile => (each as Partial<DescFile>).kind === "file");
  const methods = files.flatMap(({ services }) => services).flatMap((service) => service.methods);
  return new Map(methods.map((method) => [`/${method.parent.typeName}/${method.name}`, method]));
}
