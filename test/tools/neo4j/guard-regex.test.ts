import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCypher } from "../../../src/tools/neo4j/cypher-tokens.js";
import { boundedPattern, withBoundedPatterns } from "../../../src/tools/neo4j/guard.js";
import type { GraphRow } from "../../../src/types/knowledge.js";
import { backtracking } from "./backtracking.js";
import { character, EXPONENTIAL, NATURAL, OTHERS, pattern, text } from "./cypher-patterns.js";

describe("patterns after =~", () => {
  test.each(NATURAL)("that people write are accepted with bounds: %s", (pattern) => {
    expect(boundedPattern(pattern)).toBeDefined();
  });

  test.each([...EXPONENTIAL, ...OTHERS])("that are more than words with gaps are refused: %.40s", (pattern) => {
    expect(boundedPattern(pattern)).toBeUndefined();
  });

  test.each([
    ["(?i).*tom.*", "(?i)(?>.*?tom).*+"],
    ["(?i).*tom.*hanks", "(?i)(?>.*?tom).*hanks"],
    ["^.*a.*$|b.+c.*d", "(?>.*?a).*+|b.(?>.*?c).*d"],
    ["A.*.*b\\|c", "A.*b\\|c"],
    ["a", "a"],
    ["", ""],
  ])("are rewritten without backtracking: %j as %j", (pattern, bounded) => {
    expect(boundedPattern(pattern)).toBe(bounded);
  });
});

describe("the patterns of a query", () => {
  const bounded = (cypher: string, parameters: GraphRow = {}) => {
    const read = readCypher(cypher);
    return withBoundedPatterns(read.cypher, read.tokens, parameters);
  };

  test("are replaced in place, even if they are parameters", () => {
    expect(bounded("MATCH (n) WHERE n.a =~ '.*it\\'s\\..*' AND n.b =~ \"A.*\" RETURN n.c =~ $p", { p: ".*x" })).toBe(
      "MATCH (n) WHERE n.a =~ '(?>.*?it\\'s\\\\.).*+' AND n.b =~ 'A.*+' RETURN n.c =~ '.*x'",
    );
    expect(bounded("RETURN CASE $t WHEN =~ '张.*三.*' THEN 1 END AS x")).toContain("=~ '张(?>.*?三).*+'");
  });

  test("are read after Cypher's own escapes", () => {
    expect(bounded("RETURN 'a.b' =~ '.*\\\\..*' AS x")).toBe("RETURN 'a.b' =~ '(?>.*?\\\\.).*+' AS x");
  });

  test.each([
    "MATCH (n) WHERE n.name =~ $bomb RETURN n",
    "MATCH (n) WHERE n.name =~ $many RETURN n",
    "MATCH (n) WHERE n.name =~ '(a' + '*)*b' RETURN n",
    "RETURN CASE $t WHEN =~ '(a+)+' THEN 1 END AS x",
    "MATCH (n) WHERE n.name =~ n.other RETURN n",
    "MATCH (n) WHERE n.name =~ 'a' + n.other RETURN n",
    "MATCH (n) WHERE n.name =~ ('a' + 'b') RETURN n",
    "MATCH (n) WHERE n.name =~ toLower('A') RETURN n",
    "MATCH (n) WHERE n.name =~ $number RETURN n",
    "MATCH (n) WHERE n.name =~ ['a'][0] RETURN n",
    "MATCH (n) WHERE n.name =~ $map.key RETURN n",
  ])("are refused if they are unknown or cannot be bounded: %s", (cypher) => {
    const parameters = { bomb: "(a+)+", many: "(a|a)".repeat(28), number: 1, map: { key: "a" }, t: "a" };
    expect(() => bounded(cypher, parameters)).toThrow(/CONTAINS/);
  });
});

/** Long repetitive texts with an end that does not match. */
const long = fc
  .tuple(fc.array(character, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "\n", "!", "a\n", "\n\n"))
  .map(([again, end]) => again.join("").repeat(60 / again.length) + end);

test("a rewritten pattern matches the same texts as the original", () => {
  let changed = 0;
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 10, maxLength: 10 }), (given, texts) => {
      const bounded = boundedPattern(given) ?? "refused";
      if (bounded !== given) changed++;
      for (const each of texts)
        expect(backtracking(bounded, each).matches, JSON.stringify([given, bounded, each])).toBe(
          backtracking(given, each).matches,
        );
    }),
    { numRuns: 1_000, seed: 12 },
  );
  expect(changed).toBeGreaterThan(200);
}, 60_000);

test("a rewritten pattern takes a number of steps proportional to the text", () => {
  fc.assert(
    fc.property(pattern, long, (given, hostile) => {
      const bounded = boundedPattern(given) ?? "refused";
      const most = 10 * (bounded.length + 1) * (hostile.length + 1);
      expect(backtracking(bounded, hostile).steps, JSON.stringify([given, hostile])).toBeLessThanOrEqual(most);
    }),
    { numRuns: 1_000, seed: 12 },
  );
}, 60_000);

test("the matcher of these tests counts the steps of a pattern that explodes", () => {
  expect(backtracking("(a|a)*b", "a".repeat(12)).steps).toBeGreaterThan(4_000);
  expect(backtracking("(?i)(?>.*?A)b.*+", "xab").matches).toBe(true);
  expect(backtracking("(?>a|ab)c", "abc").matches).toBe(false);
});
