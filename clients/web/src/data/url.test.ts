import { describe, expect, it } from "vitest";
import { HealthStatus, OperationPhase, SyncStatus } from "@contract/causeway/inventory/v1/application_pb";
import { parseSearch, stringifySearch } from "@/search";
import { filterNames, joinList, layouts, noQuery, readQuery, sorts, spanMillis, splitList, toFilter, writeQuery, type ApplicationQuery, type Filters, type SortName } from "./url";

/** A small generator with a fixed start, so that a failure is found again. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const signs = ["prod-*", "a,b", "x\\y", "!test", "ü é", "k=v", "100%", "a+b", "1", "&", "日本"];

function anyQuery(pick: (below: number) => number): ApplicationQuery {
  const filters: Filters = {};
  for (const name of filterNames) {
    const values = Array.from({ length: pick(4) }, () => signs[pick(signs.length)] ?? "");
    if (values.length > 0) filters[name] = values;
  }
  const sort = Object.keys(sorts)[pick(Object.keys(sorts).length)] as SortName;
  return {
    filters,
    text: ["", "pay label:team=a", "\"quoted\" -project:x"][pick(3)] ?? "",
    changed: ["", "30m", "24h", "7d"][pick(4)] ?? "",
    favourites: pick(2) === 1,
    sort,
    descending: pick(2) === 1,
    group: ["", "runtime", "label:team"][pick(3)] ?? "",
    layout: layouts[pick(3)] ?? "table",
  };
}

describe("the URL of the applications page", () => {
  it("gives back every query that was written, and keeps unknown parameters", () => {
    const pick = random(7);
    for (let round = 0; round < 500; round++) {
      const query = anyQuery(pick);
      const search = parseSearch(stringifySearch(writeQuery(query, { future: "a,b", drawer: "x" })));
      expect(readQuery(search)).toEqual(query);
      expect(search).toMatchObject({ future: "a,b", drawer: "x" });
    }
  });

  it("is empty for the default query and ignores what is not valid", () => {
    expect(writeQuery(noQuery, {})).toEqual({});
    expect(readQuery({ sort: "constructor", view: "circle", changed: "soon", health: "" })).toEqual(noQuery);
  });

  it("stays readable", () => {
    const query: ApplicationQuery = { ...noQuery, filters: { health: ["degraded", "missing"], runtime: ["prod-*"] }, sort: "changed", group: "team" };
    expect(stringifySearch(writeQuery(query, {}))).toBe("?health=degraded,missing&runtime=prod-*&sort=changed&group=team");
  });

  it("separates lists at commas and keeps commas in values", () => {
    expect(splitList(joinList(["a,b", "c\\", "d"]))).toEqual(["a,b", "c\\", "d"]);
    expect(splitList(",,a,")).toEqual(["a"]);
  });

  it("reads spans of time and nothing else", () => {
    expect(spanMillis("24h")).toBe(86_400_000);
    expect(spanMillis("24")).toBeUndefined();
    expect(spanMillis("99999d")).toBeUndefined();
  });
});

describe("the filter of the contract", () => {
  it("takes states by their words and excludes values with an exclamation mark", () => {
    const filter = toFilter({ ...noQuery, filters: { health: ["degraded", "!healthy"], sync: ["outOfSync"], runtime: ["prod-*", "!prod-test"] } }, 0);
    expect(filter.health).toEqual([HealthStatus.DEGRADED]);
    expect(filter.sync).toEqual([SyncStatus.OUT_OF_SYNC]);
    expect(filter.runtimes).toEqual(["prod-*"]);
    expect(filter.exclude).toMatchObject({ health: [HealthStatus.HEALTHY], runtimes: ["prod-test"] });
  });

  it("reads conditions in the text and leaves the rest as words to find", () => {
    const filter = toFilter({ ...noQuery, text: "pay is:broken label:team=a -ns:test op:running health:" }, 0);
    expect(filter.text).toBe("pay");
    expect(filter.health).toEqual([HealthStatus.DEGRADED, HealthStatus.MISSING]);
    expect(filter.labelSelector).toBe("team=a");
    expect(filter.exclude).toMatchObject({ namespaces: ["test"] });
    expect(filter.operation).toEqual([OperationPhase.RUNNING]);
  });

  it("takes several values of one label as alternatives", () => {
    const filter = toFilter({ ...noQuery, filters: { label: ["team=a", "tier=gold", "team=b", "!retired"] } }, 0);
    expect(filter.labelSelector).toBe("team in (a,b),tier=gold,!retired");
  });

  it("matches nothing where favourites are wanted and there are none", () => {
    expect(toFilter({ ...noQuery, favourites: true }, 0, []).keys).toEqual(["-/-/-/-"]);
    expect(toFilter({ ...noQuery, favourites: true }, 0, ["a/b/c/d"]).keys).toEqual(["a/b/c/d"]);
  });
});
