import { describe, expect, test } from "vitest";
import { LineRing, plainText, Positions, splitTime } from "./ring";

const line = (text: string) => ({ source: "p/c", time: undefined, text });

describe("LineRing", () => {
  test("keeps the last lines in order and counts what fell out", () => {
    const ring = new LineRing(5_000);
    for (let index = 0; index < 12_345; index += 1) ring.push(line(`${index}`));
    expect(ring.length).toBeLessThanOrEqual(5_000);
    expect(ring.length).toBeGreaterThan(3_900);
    expect(ring.dropped + ring.length).toBe(12_345);
    expect(ring.at(0)?.text).toBe(`${ring.dropped}`);
    expect(ring.at(ring.length - 1)?.text).toBe("12344");
    expect([...ring].map(({ text }) => text)).toEqual(Array.from({ length: ring.length }, (_, index) => `${index + ring.dropped}`));
  });

  test("has nothing behind its end", () => {
    const ring = new LineRing();
    ring.push(line("a"));
    expect(ring.at(1)).toBeUndefined();
  });
});

describe("Positions", () => {
  const stream: [string, bigint][] = [["p/a", 1n], ["p/a", 2n], ["p/a", 2n], ["p/b", 1n], ["p/a", 3n]];

  test("a stream that starts again from the beginning gives no line twice", () => {
    const positions = new Positions();
    const first = stream.filter(([source, time]) => positions.isNew(source, time));
    positions.restart();
    const again = [...stream, ["p/a", 3n] as [string, bigint], ["p/b", 4n] as [string, bigint]].filter(([source, time]) => positions.isNew(source, time));
    expect(first).toEqual(stream);
    expect(again).toEqual([["p/a", 3n], ["p/b", 4n]]);
  });

  test("uses the sequence that the stream tells", () => {
    const positions = new Positions();
    expect(positions.isNew("p/a", 5n, 7)).toBe(true);
    positions.restart();
    expect(positions.isNew("p/a", 5n, 7)).toBe(false);
    expect(positions.isNew("p/a", 5n, 8)).toBe(true);
  });

  test("knows the earliest of what was read", () => {
    const positions = new Positions();
    expect(positions.earliest()).toBeUndefined();
    for (const [source, time] of stream) positions.isNew(source, time);
    expect(positions.earliest()).toBe(1n);
  });
});

test("splitTime reads nanoseconds and leaves other lines as they are", () => {
  expect(splitTime("2026-03-01T10:00:00.000000001Z hello")).toEqual([BigInt(Date.UTC(2026, 2, 1, 10)) * 1_000_000n + 1n, "hello"]);
  expect(splitTime("2026-03-01T12:00:00+02:00 x")).toEqual([BigInt(Date.UTC(2026, 2, 1, 10)) * 1_000_000n, "x"]);
  expect(splitTime("no time")).toEqual([undefined, "no time"]);
});

test("plainText removes colours, titles, links, clipboard writes and direction signs", () => {
  expect(plainText("\u001b[31mred\u001b[0m")).toBe("red");
  expect(plainText("\u001b]52;c;aGk=\u0007a\u001b]8;;javascript:alert(1)\u001b\\link\u001b]8;;\u001b\\")).toBe("alink");
  expect(plainText("a\u202eb\u0000c\td")).toBe("abc\td");
});
