import { beforeEach, expect, it } from "vitest";
import { arrange } from "./entries";
import { recentVisits, rememberVisit } from "./recent";
import { toResult } from "./search";
import { visitOf } from "./useRememberVisits";

beforeEach(() => localStorage.clear());

const nothing = { found: [], broken: [], commands: [], recent: [] };

it("lists what is broken, recent pages and places before anything is typed", () => {
  const sections = arrange("", { ...nothing, broken: [{ id: "2", text: "search" }], recent: [{ id: "1", text: "checkout", to: "/apps/a/b/c/d" }] });
  expect(sections.map(({ title }) => title)).toEqual(["Broken now", "Recent", "Places"]);
});

it("remembers pages about one object and no lists", () => {
  expect(visitOf("/apps/prod%20eu/in-cluster/argocd/a%2Fb")?.text).toBe("a/b — prod eu");
  expect(visitOf("/runtimes/%E0%A4%A")?.text).toBe("Runtime %E0%A4%A");
  expect(visitOf("/apps")).toBeUndefined();
});

it("matches each word and keeps the server's order", () => {
  const found = [{ id: "b", text: "zeta" }, { id: "a", text: "alpha" }];
  const sections = arrange("dark THEME", { ...nothing, found });
  expect(sections.map(({ title, entries }) => [title, entries.map(({ id }) => id)])).toEqual([
    ["Found", ["b", "a"]],
    ["Commands", ["dark"]],
  ]);
});

it("keeps the last eight visits without doubles, and survives foreign storage", () => {
  for (let index = 0; index < 12; index += 1) rememberVisit({ to: `/apps/${index % 10}`, text: "app" });
  expect(recentVisits().map(({ to }) => to)).toEqual([1, 0, 9, 8, 7, 6, 5, 4].map((index) => `/apps/${index}`));
  localStorage.setItem("causeway.recent", '[{"to":"https://evil.example","text":"x"},{"to":"//evil.example","text":"y"},3,null]');
  expect(recentVisits()).toEqual([]);
});

it("opens the page about a result and leaves out what has none", () => {
  const app = { kind: "SEARCH_KIND_APPLICATION", runtime: "prod eu", cluster: "in-cluster", namespace: "argocd", name: "a/b" };
  expect(toResult(app)[0]?.to).toBe("/apps/prod%20eu/in-cluster/argocd/a%2Fb");
  expect(toResult({ kind: "SEARCH_KIND_RESOURCE", name: "pod" })).toEqual([]);
  expect(toResult({ kind: "SEARCH_KIND_FUTURE" })).toEqual([]);
});
