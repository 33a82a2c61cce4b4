import { expect, it } from "vitest";
import { parseParameters } from "./parameters";

it("reads names and values, with equal signs in values", () => {
  expect(parseParameters("image = web:1\n\nargs=--a=b\nempty=")).toEqual({
    parameters: [{ name: "image", value: "web:1" }, { name: "args", value: "--a=b" }, { name: "empty", value: "" }],
    error: undefined,
  });
});

it("names the line that is no parameter", () => {
  expect(parseParameters("image=web\noops").error).toContain('"oops"');
  expect(parseParameters("=value").error).toContain("NAME=VALUE");
});
