import { describe, expect, test } from "vitest";
import { checkByCode } from "../../src/checking/cascade.js";
import { sourcesAsEvidence, verify } from "../../src/checking/verify.js";

const claimOf = (text: string, quote = text) => ({ text, citations: [{ evidenceId: "1", quote }] });
const check = (text: string, source: string, quote?: string) =>
  checkByCode(claimOf(text, quote), [sourcesAsEvidence({ text: source }, 0)]);

describe("words of a scan that were read with doubt", () => {
  test.each([
    ["The yearly rent is EUR 4,860 [?].", "The yearly rent is EUR 4,860 [?]. Ask the office."],
    ["年租金为4860元 [?]。", "年租金为4860元 [?]。请咨询办公室。"],
  ])("make a claim likely that is otherwise supported: %s", (claim, source) => {
    expect(check(claim, source)).toMatchObject({
      verdict: "likely",
      reason: { code: "read_with_doubt" },
      probability: 0.7,
    });
  });

  test("in another sentence change nothing", () => {
    const source = "The yearly rent is EUR 4,860. The deposit is EUR 9O0 [?].";
    expect(check("The yearly rent is EUR 4,860.", source)).toMatchObject({ verdict: "supported" });
  });

  test("make a text that is checked only likely", async () => {
    const source = { text: "The yearly rent is EUR 4,860 [?]. Ask the office." };
    const { supported, claims } = await verify("The yearly rent is EUR 4,860 [?].", [source], { tools: {} });
    expect([supported, claims[0]?.verdict]).toEqual([false, "likely"]);
  });
});
