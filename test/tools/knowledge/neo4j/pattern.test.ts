import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundedPattern } from "../../../../src/tools/knowledge/neo4j/pattern.js";
import { withBoundedPatterns } from "../../../../src/tools/knowledge/neo4j/regex.js";
import { readCypher } from "../../../../src/tools/knowledge/neo4j/tokens.js";
import type { GraphRow } from "../../../../src/types/graph.js";
import { backtracking } from "./backtracking.js";
import { character, EXPONENTIAL, NATURAL, pattern, text } from "./patterns.js";

const LENGTH = 10_000;
const MOST_STEPS = 10_000_000;

describe("patterns after =~", () => {
  test.each(NATURAL)("that people write are bounded: %s", (pattern) => {
    expect(boundedPattern(pattern, LENGTH)?.steps).toBeLessThan(MOST_STEPS / 5);
  });

  test.each(EXPONENTIAL)("that take for ever are not: %.40s", (pattern) => {
    expect(boundedPattern(pattern, LENGTH)?.steps ?? Number.POSITIVE_INFINITY).toBeGreaterThan(MOST_STEPS);
  });

  test.each([
    ["(?i).*tom.*", "(?i)(?>.*tom).*+"],
    ["(?i).*tom.*hanks.*", "(?i)(?>.*?tom)(?>.*hanks).*+"],
    [".*a.*|b.+c.*d", "(?>.*a).*+|b.(?>.*?c).*d"],
    [".*\\d+.*", "(?>.*\\d).*+"],
    // Left as they are.
    ["^A.*", "^A.*"],
    ["(a|b)+?", undefined],
    [".*\n.*x.*", ".*\n.*x.*"],
    ["[^,]+,[^,]+", "[^,]+,[^,]+"],
    [".*\\btom\\b.*", "(?>.*(?=t)\\btom\\b).*+"],
  ])("are written so that nothing is tried twice: %j as %j", (pattern, bounded) => {
    expect(boundedPattern(pattern, LENGTH)?.pattern).toBe(bounded);
  });
});

describe("the patterns of a query", () => {
  const bounded = (cypher: string, parameters: GraphRow = {}) => {
    const read = readCypher(cypher);
    return withBoundedPatterns(read.cypher, read.tokens, parameters);
  };

  test("are replaced where they stand, also where they are parameters or added together", () => {
    expect(
      bounded("MATCH (n) WHERE n.a =~ '.*it\\'s\\d.*' AND n.b =~ \"A.*\" RETURN n.c =~ $p + '.*'", { p: ".*x" }),
    ).toBe("MATCH (n) WHERE n.a =~ '(?>.*it\\'s\\\\d).*+' AND n.b =~ \"A.*\" RETURN n.c =~ '(?>.*x).*+'");
    expect(bounded("RETURN CASE $t WHEN =~ '张.*三.*' THEN 1 END AS x")).toContain("=~ '张(?>.*三).*+'");
  });

  test("are what the server reads in quotes: escapes of Cypher are none of the pattern's", () => {
    expect(bounded("RETURN 'a.b' =~ '.*\\\\..*' AS x")).toBe("RETURN 'a.b' =~ '(?>.*\\\\.).*+' AS x");
    // Only a known escape is one; before any other letter a backslash stands for itself.
    expect(bounded("RETURN 'a1' =~ '.*\\d.*' AS x")).toBe("RETURN 'a1' =~ '(?>.*\\\\d).*+' AS x");
  });

  test.each([
    ["MATCH (n) WHERE n.name =~ $bomb RETURN n", /may hold/],
    ["MATCH (n) WHERE n.name =~ $many RETURN n", /too many ways/],
    ["MATCH (n) WHERE n.name =~ '(a' + '*)*b' RETURN n", /may hold/],
    ["RETURN CASE $t WHEN =~ '(a+)+' THEN 1 END AS x", /may hold/],
    ["MATCH (n) WHERE n.name =~ n.other RETURN n", /CONTAINS/],
    ["MATCH (n) WHERE n.name =~ 'a' + n.other RETURN n", /CONTAINS/],
    ["MATCH (n) WHERE n.name =~ ('a' + 'b') RETURN n", /CONTAINS/],
    ["MATCH (n) WHERE n.name =~ toLower('A') RETURN n", /CONTAINS/],
    ["MATCH (n) WHERE n.name =~ $number RETURN n", /CONTAINS/],
    ["MATCH (n) WHERE n.name =~ ['a'][0] RETURN n", /CONTAINS/],
    ["MATCH (n) WHERE n.name =~ $map.key RETURN n", /CONTAINS/],
  ])("are refused where they are not known or not bounded: %s", (cypher, reason) => {
    const parameters = { bomb: "(a+)+", many: "(a|a)".repeat(28), number: 1, map: { key: "a" }, t: "a" };
    expect(() => bounded(cypher, parameters)).toThrow(reason);
  });

  test("may take as long together as one may", () => {
    const name = (times: number) =>
      `MATCH (n) WHERE ${Array(times).fill("n.name =~ '.*[a-z]{120}.*'").join(" OR ")} RETURN n`;
    expect(() => bounded(name(8))).not.toThrow();
    expect(() => bounded(name(9))).toThrow(/too many ways/);
  });

  test("count more where a loop or a longer text makes them run longer", () => {
    const word = "'.*[a-z]{120}.*'";
    expect(() => bounded("MATCH (n) WHERE any(t IN n.tags WHERE t =~ '(?i).*drama.*') RETURN n")).not.toThrow();
    expect(() => bounded(`MATCH (n) WHERE any(t IN n.tags WHERE t =~ ${word}) RETURN n`)).toThrow(/too many ways/);
    expect(() => bounded(`MATCH (n) WITH n.a + ' ' + n.b AS t WHERE t =~ ${word} RETURN t`)).not.toThrow();
    expect(() => bounded(`MATCH (n) WITH ${"n.a + ".repeat(9)}n.b AS t WHERE t =~ ${word} RETURN t`)).toThrow(
      /too many/,
    );
    expect(() => bounded(`WITH reduce(s = '', x IN $l | s + x) AS t RETURN t =~ ${word} AS x`, { l: [] })).toThrow(
      /too many/,
    );
  });
});

/** The same over and over, and an end that does not match. */
const long = fc
  .tuple(fc.array(character, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "\n", "!", "a\n", "\n\n"))
  .map(([again, end]) => again.join("").repeat(60 / again.length) + end);

test("a pattern that is written in other words matches what it matched", () => {
  let changed = 0;
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 10, maxLength: 10 }), (given, texts) => {
      const bounded = boundedPattern(given, LENGTH);
      if (!bounded || bounded.pattern === given) return;
      changed++;
      for (const each of texts)
        expect(backtracking(bounded.pattern, each).matches, JSON.stringify([given, bounded.pattern, each])).toBe(
          backtracking(given, each).matches,
        );
    }),
    { numRuns: 1_000, seed: 12 },
  );
  expect(changed).toBeGreaterThan(200);
}, 60_000);

test("a pattern takes no more steps than it is said to take", () => {
  fc.assert(
    fc.property(pattern, long, (given, hostile) => {
      const bounded = boundedPattern(given, hostile.length);
      if (!bounded || bounded.steps > 1_000_000) return;
      expect(backtracking(bounded.pattern, hostile).steps, JSON.stringify([given, hostile])).toBeLessThanOrEqual(
        2 * bounded.steps + 10,
      );
    }),
    { numRuns: 1_000, seed: 12 },
  );
}, 60_000);

test("the matcher of these tests counts what explodes", () => {
  expect(backtracking("(a|a)*b", "a".repeat(12)).steps).toBeGreaterThan(4_000);
  expect(backtracking("(?i)(?>.*?A)b.*+", "xab").matches).toBe(true);
  expect(backtracking("(?>a|ab)c", "abc").matches).toBe(false);
});
