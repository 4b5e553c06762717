import { describe, expect, test } from "vitest";
import { verify } from "../../src/index.js";
import { fakeEncoder } from "../encoder.js";
import type { Kind } from "./companies/claims.js";
import { METERS } from "./companies/meters.js";
import { YIBIAO } from "./companies/yibiao.js";

/**
 * Claims of every kind about the files of two companies, in words that differ from the files, with a judge that
 * believes every claim, so that only exact code refuses. The numbers of wrong verdicts are those measured when this was
 * written; they may only decrease.
 */
const credulous = { encoder: fakeEncoder({ judge: () => ({ supported: 0.99 }) }) };
const EXACT: readonly Kind[] = ["number", "unit", "date", "negation", "table row", "list entry"];

describe.each([
  { language: "English", company: METERS, missed: 2, refused: 1 },
  { language: "Chinese", company: YIBIAO, missed: 2, refused: 2 },
])("claims about a company's files in $language", ({ company: { sources, claims }, missed, refused }) => {
  const said = async (text: string) => (await verify(text, sources, { tools: credulous })).claims[0]?.verdict;
  const all = (kinds: readonly Kind[], truth: "wrong" | "right") => kinds.flatMap((kind) => claims[kind][truth]);

  test("exact code refuses nearly all wrong claims about numbers, units, dates, denials, rows and list entries", async () => {
    const verdicts = await Promise.all(all(EXACT, "wrong").map(said));
    expect(verdicts.filter((verdict) => verdict === "supported").length).toBeLessThanOrEqual(missed);
  });

  test("exact code refuses nearly none of the true claims", async () => {
    const verdicts = await Promise.all(all(Object.keys(claims) as Kind[], "right").map(said));
    expect(verdicts.filter((verdict) => verdict !== "supported").length).toBeLessThanOrEqual(refused);
    expect(verdicts).not.toContain("contradicted");
  });
});
