// @vitest-environment node
import { expect, it } from "vitest";
import { isAllowed, notices, shippedPackages } from "../scripts/licences.mjs";

it("allows every part of an expression or none", () => {
  expect(isAllowed("a", "MIT")).toBe(true);
  expect(isAllowed("a", "(MIT OR GPL-3.0)")).toBe(true);
  expect(isAllowed("a", "MIT AND EPL-2.0")).toBe(false);
  expect(isAllowed("a", "BSD-3-Clause")).toBe(false);
  expect(isAllowed("@bufbuild/protobuf", "(Apache-2.0 AND BSD-3-Clause)")).toBe(true);
  expect(isAllowed("a", "none")).toBe(false);
});

it("lists what is shipped and no tool of the development, but for those whose code is in the output", () => {
  const packages = {
    "": {},
    "node_modules/react": { version: "19.0.0", license: "MIT" },
    "node_modules/a/node_modules/@b/c": { version: "1.0.0", license: "ISC" },
    "node_modules/vitest": { version: "4.0.0", license: "MIT", dev: true },
    "node_modules/tailwindcss": { version: "4.0.0", license: "MIT", dev: true },
  };
  expect(shippedPackages({ packages }).map(({ name }) => name)).toEqual(["@b/c", "react", "tailwindcss"]);
});

it("has the notice of each package that this lock file ships", () => {
  const text = notices();
  expect(text).toContain("react-aria-components");
  expect(text).toContain("Permission is hereby granted");
});
