import { expect, test } from "vitest";
import { newestFirst, withoutOlder } from "../../src/reading/newest.js";
import type { Evidence } from "../../src/types/evidence.js";

const part = (uri: string, reviewedAt: string, answers = 0, source: Evidence["source"] = "document") => ({
  evidence: { id: `${uri} ${reviewedAt}`, uri, reviewedAt, source } as Evidence,
  answers,
});

test("the newer parts of a document come before its older ones, in the places of the document", () => {
  const other = part("b", "2020-01-01");
  const [old, undated, now] = [part("a", "2026-02-04"), part("a", ""), part("a", "2026-02-06")];
  expect(newestFirst([undated, other, old, now])).toEqual([now, other, old, undated]);
});

test("an older part is left out if a newer one answers nearly as well", () => {
  const [old, now] = [part("a", "2026-02-04", 0.95), part("a", "2026-02-06", 0.9)];
  expect(withoutOlder([old, now])).toEqual([now]);
  expect(withoutOlder([old, part("a", "2026-02-06", 0.2)])).toHaveLength(2);
});

test("documents, and pages of the web, say what they say, whatever their dates", () => {
  expect(withoutOlder([part("a", "2026-02-04", 0.9), part("b", "2026-02-06", 0.9)])).toHaveLength(2);
  expect(withoutOlder([part("a", "2024", 0.9, "web"), part("a", "2026", 0.9, "web")])).toHaveLength(2);
});
