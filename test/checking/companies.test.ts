import { describe, expect, test } from "vitest";
import { verify } from "../../src/index.js";
import { fakeEncoder } from "../encoder.js";
import type { Kind } from "./companies/claims.js";
import { METERS } from "./companies/meters.js";
import { YIBIAO } from "./companies/yibiao.js";

/**
 * Claims of every kind about two companies' files, in other words than the files', before a judge that believes all of
 * them: what exact code refuses is refused whoever judges. How many true ones it refuses wrongly is what it was when this
 * was written, and may get less.
 */
const credulous = { encoder: fakeEncoder({ judge: () => ({ supported: 0.99 }) }) };
const EXACT: readonly Kind[] = ["number", "unit", "date", "negation", "table row", "list entry"];

describe.each([
  { language: "English", company: METERS, missed: 2, refused: 1 },
  { language: "Chinese", company: YIBIAO, missed: 2, refused: 2 },
])("claims about a company's files in $language", ({ company: { sources, claims }, missed, refused }) => {
  const said = async (text: string) => (await verify(text, sources, { tools: credulous })).claims[0]?.verdict;
  const all = (kinds: readonly Kind[], truth: "wrong" | "right") => kinds.flatMap((kind) => claims[kind][truth]);

  test("wrong ones are refused by exact code, but for few, where it is about numbers, units, dates, denials, rows", async () => {
    const verdicts = await Promise.all(all(EXACT, "wrong").map(said));
    expect(verdicts.filter((verdict) => verdict === "supported").length).toBeLessThanOrEqual(missed);
  });

  test("true ones are not, but for few", async () => {
    const verdicts = await Promise.all(all(Object.keys(claims) as Kind[], "right").map(said));
    expect(verdicts.filter((verdict) => verdict !== "supported").length).toBeLessThanOrEqual(refused);
    expect(verdicts).not.toContain("contradicted");
  });
});
