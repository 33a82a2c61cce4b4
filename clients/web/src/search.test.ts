import { expect, it } from "vitest";
import { parseSearch, stringifySearch } from "./search";

it("keeps values as they are, numbers and brackets too", () => {
  const search = { health: "degraded,missing", runtime: "prod-*", q: "a+b & c=1%", at: "123", x: "[true]" };
  expect(parseSearch(stringifySearch(search))).toEqual(search);
});

it("leaves lists and paths readable and drops what is empty", () => {
  expect(stringifySearch({ health: "degraded,missing", drawer: "apps/Deployment", q: "", sort: undefined })).toBe(
    "?health=degraded,missing&drawer=apps/Deployment",
  );
});
