import { describe, expect, test } from "vitest";
import { verify } from "../../src/index.js";
import type { Kind } from "./companies/claims.js";
import { METERS } from "./companies/meters.js";
import { YIBIAO } from "./companies/yibiao.js";

/**
 * Claims of every kind about two companies' files, in other words than the files', checked by code and the score alone.
 * How many false ones a score still takes for likely, and how many true ones are held up, are what they were when this was
 * written: they may get better.
 */
describe.each([
  { language: "English", company: METERS, likely: 3, held: 24 },
  { language: "Chinese", company: YIBIAO, likely: 2, held: 22 },
])("claims about a company's files in $language", ({ company: { sources, claims }, likely, held }) => {
  const said = async (text: string) => (await verify(text, sources)).claims.map(({ verdict }) => verdict).join();
  const all = (truth: "wrong" | "right") =>
    (Object.keys(claims) as Kind[]).flatMap((kind) => claims[kind][truth].map((text) => ({ kind, text })));

  test.each(all("wrong"))("a wrong $kind is not supported: $text", async ({ text }) => {
    expect(await said(text)).toMatch(/^(?:likely|unsupported|contradicted)$/);
  });

  test("few that are wrong are likely, and most of what is right is held up", async () => {
    const wrong = await Promise.all(all("wrong").map(({ text }) => said(text)));
    expect(wrong.filter((verdict) => verdict === "likely").length).toBeLessThanOrEqual(likely);
    const right = await Promise.all(all("right").map(({ text }) => said(text)));
    expect(right.filter((verdict) => verdict === "supported" || verdict === "likely").length).toBeGreaterThanOrEqual(
      held,
    );
    expect(right).not.toContain("contradicted");
  });
});
