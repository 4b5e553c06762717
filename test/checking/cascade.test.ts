import { describe, expect, test } from "vitest";
import { answersPrevious } from "../../src/checking/answers-previous.js";
import { type CheckingTools, checkClaims } from "../../src/checking/cascade.js";
import { fakeChecker, inMemoryKnowledge } from "../../src/testing/index.js";
import type { Encoder, Pair } from "../../src/tools/encoder/port.js";
import type { DraftClaim } from "../../src/types/answer.js";
import type { Call } from "../../src/types/call.js";
import type { Evidence } from "../../src/types/evidence.js";
import type { Judgement } from "../../src/types/reasoners.js";
import { fakeEncoder } from "../encoder.js";

const evidence: Evidence = {
  id: "office",
  source: "document",
  title: "Office",
  uri: "office.md",
  section: "",
  text: "The Lisbon office opens at eight. Anna Berg leads Procurement with Joost Rees. 办公室早上八点开门。",
  language: "en",
  score: 1,
  relevance: 1,
  strips: [],
  retrievedAt: "",
  reviewedAt: "",
};

const claim = (text: string, quote: string): DraftClaim => ({ text, citations: [{ evidenceId: "office", quote }] });
const verbatim = claim("The Lisbon office opens at eight.", "The Lisbon office opens at eight.");
const fabricated = claim("The Lisbon office opens at eight.", "Lisbon opens at eight sharp.");
const wrongNumber = claim("办公室早上九点开门。", "办公室早上八点开门。");
const otherWords = claim("Anna Berg is in charge of Procurement.", "Anna Berg leads Procurement");

const saying = (supported: number, contradicted = 0): Encoder =>
  fakeEncoder({
    judge: () => ({ supported, contradicted, wrong: supported === 0.8 ? [] : [{ start: 0, end: 4 }] }),
  });

async function run(claims: DraftClaim[], tools: CheckingTools = {}) {
  const faults: string[] = [];
  const call: Call = {
    signal: new AbortController().signal,
    calls: 5,
    spent: () => {},
    fault: (error) => faults.push(error.message),
  };
  const task = { question: "?", language: "en" as const, evidence: [evidence], claims };
  return { ...(await checkClaims(task, tools, call)), faults };
}

const told = ({ claims }: Awaited<ReturnType<typeof run>>) =>
  claims.map(({ settledBy, verdict }) => `${settledBy ?? "nobody"}: ${verdict}`);

describe("the cheapest stage that can settle a claim does so", () => {
  test("each stage sees only the claims that earlier stages left in doubt", async () => {
    const seen: number[] = [];
    const checker = {
      check: async ({ claims }: { claims: readonly DraftClaim[] }) => {
        seen.push(claims.length);
        return claims.map(() => ({ verdict: "supported" as const, reason: { code: "stated" as const } }));
      },
    };
    const claims = [verbatim, fabricated, wrongNumber, otherWords];
    const checked = await run(claims, { encoder: saying(0.5) });
    expect(told(checked)).toEqual([
      "statements: supported",
      "citations: unsupported",
      "statements: unsupported",
      "entailment: unsupported",
    ]);
    expect(checked.stages).toMatchObject([
      { stage: "citations", asked: 4, settled: 1, calls: 0 },
      { stage: "statements", asked: 3, settled: 2, calls: 0 },
      { stage: "entailment", asked: 1, settled: 1, calls: 0 },
    ]);
    expect((await run(claims, { encoder: saying(0.5), checker })).stages).toMatchObject([
      { stage: "citations", asked: 4, settled: 0 },
      { stage: "statements", asked: 4, settled: 1 },
      { stage: "checker", asked: 3, settled: 3 },
    ]);
    expect(seen).toEqual([3]);
  });

  test.each([
    ["sure", 0.95, 0, "entailment: supported"],
    ["nearly sure", 0.8, 0, "entailment: likely"],
    ["undecided", 0.5, 0.1, "entailment: unsupported"],
    ["sure that it is not said", 0.05, 0.3, "entailment: unsupported"],
    ["sure that it is denied", 0.05, 0.9, "entailment: contradicted"],
    ["inclined towards a denial", 0.3, 0.6, "entailment: unsupported"],
  ])("a judge that is %s: %s supported, %s contradicted", async (_, supported, contradicted, expected) => {
    const checked = await run([otherWords], { encoder: saying(supported, contradicted) });
    expect(told(checked)).toEqual([expected]);
    expect(checked.claims[0]?.probability).toBe(supported);
  });

  test.each(["supported", "unsupported", "contradicted"] as const)(
    "the verdict of a model is final, whatever the judge would say: %s",
    async (verdict) => {
      for (const encoder of [saying(0.95), saying(0.05, 0.9)])
        expect(told(await run([otherWords], { encoder, checker: fakeChecker(verdict) }))).toEqual([
          `checker: ${verdict}`,
        ]);
    },
  );

  test("a model that is not trusted with claims is not asked about them", async () => {
    const checker = { ...fakeChecker("supported"), leads: async () => false };
    const checked = await run([wrongNumber, otherWords], { encoder: saying(0.05), checker });
    expect(told(checked)).toEqual(["statements: unsupported", "entailment: unsupported"]);
  });

  test("a model that cannot be tried is not asked, with a fault", async () => {
    const checker = { ...fakeChecker("supported"), leads: () => Promise.reject(new Error("no trial")) };
    const checked = await run([wrongNumber, otherWords], { encoder: saying(0.05), checker });
    expect(told(checked)).toEqual(["statements: unsupported", "entailment: unsupported"]);
    expect(checked.faults).toEqual(["no trial"]);
  });

  test("without a judge, a claim that exact code leaves in doubt is unsupported and has no probability", async () => {
    const checked = await run([otherWords]);
    expect(told(checked)).toEqual(["nobody: unsupported"]);
    expect(checked.claims[0]).not.toHaveProperty("probability");
  });

  test("a settled claim has a probability above a half exactly if it is supported", async () => {
    const { claims } = await run([verbatim, fabricated, wrongNumber, otherWords], {
      encoder: saying(0.5),
      checker: fakeChecker("supported"),
    });
    for (const { verdict, probability = -1 } of claims) expect(probability > 0.5).toBe(verdict === "supported");
  });

  test("a claim that is not supported reports the words that its source lacks", async () => {
    const marks = async (encoder: Encoder) => (await run([otherWords], { encoder })).claims[0]?.wrong;
    expect(await marks(saying(0.2))).toEqual([{ start: 0, end: 4 }]);
    expect(await marks(saying(0.95))).toBeUndefined();
    const { claims } = await run([claim("The Lisbon office opens at nine.", "The Lisbon office opens at eight.")]);
    expect(claims[0]?.wrong).toEqual([{ start: 27, end: 31 }]);
  });

  test("the calls of a stage are counted in its report and passed to the caller", async () => {
    let spent = 0;
    const usage = { calls: 1, inputTokens: 9, cachedTokens: 0, outputTokens: 1 };
    const checker: CheckingTools["checker"] = {
      check: async (task, call) => {
        call.spent(usage);
        return fakeChecker("supported").check(task, call);
      },
    };
    const call: Call = { signal: new AbortController().signal, calls: 5, spent: () => spent++, fault: () => {} };
    const task = { question: "?", language: "en" as const, evidence: [evidence], claims: [otherWords] };
    const { stages } = await checkClaims(task, { checker }, call);
    expect(stages.at(-1)).toMatchObject({ stage: "checker", calls: 1 });
    expect(spent).toBe(1);
  });
});

describe("the order of the stages", () => {
  const everything: CheckingTools = {
    encoder: saying(0.5),
    knowledge: inMemoryKnowledge(),
    // Judges none of the claims, so that the others are asked.
    checker: { check: async () => [] },
  };

  test("is code, the model, the judge, the graph", async () => {
    const { stages } = await run([otherWords], everything);
    expect(stages.map(({ stage }) => stage)).toEqual(["citations", "statements", "checker", "entailment", "graph"]);
  });

  test.each(["encoder", "knowledge", "checker"] as const)("stays the same without the %s", async (left) => {
    const { [left]: _, ...tools } = everything;
    const { stages } = await run([otherWords], tools);
    const rest = {
      encoder: ["checker", "graph"],
      knowledge: ["checker", "entailment"],
      checker: ["entailment", "graph"],
    };
    expect(stages.map(({ stage }) => stage)).toEqual(["citations", "statements", ...rest[left]]);
  });

  test("keeps claims that code settled from the judge, and claims that the judge settled from the graph", async () => {
    const asked: string[] = [];
    const encoder = fakeEncoder({
      judge: ({ text }) => {
        asked.push(`judge: ${text}`);
        return { supported: 0.95 };
      },
    });
    const knowledge = {
      ...inMemoryKnowledge(),
      facts: async (_: unknown, text: string) => {
        asked.push(`graph: ${text}`);
        return [];
      },
    };
    await run([verbatim, otherWords], { encoder, knowledge });
    expect(asked).toEqual([`judge: ${otherWords.text}`]);
  });
});

describe("for a claim of an answer, the judge reads", () => {
  const piece = (id: string, text: string): Evidence => ({ ...evidence, id, text, section: "Who leads what" });
  async function read(pieces: Evidence[], draft: DraftClaim) {
    const seen: Pair[] = [];
    const encoder = fakeEncoder({
      judge: (pair) => {
        seen.push(pair);
        return {};
      },
    });
    const call: Call = { signal: new AbortController().signal, calls: 0, spent: () => {}, fault: () => {} };
    await checkClaims({ question: "", language: "en", evidence: pieces, claims: [draft] }, { encoder }, call);
    return seen.map(({ passage }) => passage);
  }
  const lamps = "There is a lamp on the desk. ".repeat(60);

  test("the text around the quote, under its title and headings", async () => {
    const text = `${lamps}She came in May. Anna Berg leads Procurement. ${lamps}`;
    const [passage = "", ...more] = await read([piece("office", text)], otherWords);
    expect(more).toEqual([]);
    expect(passage).toMatch(/^Office - Who leads what\n/);
    expect(passage).toContain("She came in May. Anna Berg leads Procurement.");
    expect(passage.split(" ").length).toBeLessThan(200);
  });

  test("each cited passage separately, even if they are short", async () => {
    const pieces = [piece("a", "Anna Berg leads Procurement."), piece("b", "Anna Berg leads Procurement in Lisbon.")];
    const citations = pieces.map(({ id: evidenceId }) => ({ evidenceId, quote: "Anna Berg leads Procurement" }));
    const passages = await read(pieces, { text: "Anna Berg heads it.", citations });
    expect(passages).toHaveLength(2);
    for (const passage of passages) expect(passage.match(/Anna/g)).toHaveLength(1);
  });

  test("the row of a table with the header of the table", async () => {
    const rows = Array.from({ length: 80 }, (_, i) => `| Desk ${i} | Room ${i} with a lamp |`).join("\n");
    const draft = {
      text: "Desk 70 is in its room.",
      citations: [{ evidenceId: "t", quote: "| Desk 70 | Room 70 with a lamp |" }],
    };
    const [passage = ""] = await read([piece("t", `| What | Where |\n|-|-|\n${rows}`)], draft);
    expect(passage).toContain("| What | Where |\n");
    expect(passage).not.toContain("Desk 3 ");
  });
});

describe("a claim that its window supports, but not with certainty", () => {
  const text = "Anna Berg came in May. Joost Rees leads Procurement. The lamp has a warranty of two years.";
  const pieces = [{ ...evidence, text }];
  const leads = "Joost Rees is the head of Procurement";
  /**
   * Judges the claim with an encoder that gives the whole window .7 or `whole`, and a shorter passage the result of `of`. By
   * its tokens, the sentence with the word `place` states the claim.
   */
  async function look(
    claimed: string,
    of: (passage: string) => number,
    wrong = "",
    { whole = 0.8, place = "Procurement", ...tools }: CheckingTools & { whole?: number; place?: string } = {},
  ) {
    const start = claimed.indexOf(wrong);
    const encoder = fakeEncoder({
      judge: ({ passage, units = [] }) => ({
        supported: passage.includes("May") && passage.includes("lamp") ? whole : of(passage),
        wrong: wrong === "" ? [] : [{ start, end: start + wrong.length }],
        units: units.map((unit) => ({
          answers: 0,
          states: passage.slice(unit.start, unit.end).includes(place) ? 0.9 : 0.1,
        })),
      }),
    });
    const claims = [{ text: claimed, citations: [{ evidenceId: "office", quote: text }] }];
    const call: Call = { signal: new AbortController().signal, calls: 0, spent: () => {}, fault: () => {} };
    const task = { question: "", language: "en" as const, evidence: pieces, claims };
    const checked = await checkClaims(task, { encoder, ...tools }, call);
    return checked.claims[0];
  }

  test("is likely if the sentence that states it by its tokens, with the one before it, supports it too", async () => {
    const both = await look(leads, (passage) => (/May.*Procurement/.test(passage) ? 0.6 : 0.1));
    expect(both).toMatchObject({ verdict: "likely", probability: 0.8 });
  });

  test("is unsupported up to .75, the window and its sentence taken together", async () => {
    expect(await look(leads, () => 0.55, "", { whole: 0.64 })).toMatchObject({ verdict: "unsupported" });
    expect(await look(leads, () => 0.55, "", { whole: 0.76 })).toMatchObject({ verdict: "likely" });
    expect(await look(leads, () => 0.76, "", { whole: 0.74 })).toMatchObject({ verdict: "likely" });
  });

  test("is supported if that sentence supports it with certainty", async () => {
    expect(await look(leads, () => 0.95)).toMatchObject({ verdict: "supported", probability: 0.95 });
  });

  test("is unsupported if that sentence does not support it", async () => {
    expect(await look(leads, () => 0.3)).toMatchObject({ verdict: "unsupported", probability: 0.3 });
  });

  test("is unsupported if the judge marks words that the window lacks", async () => {
    const other = "Priya Nair is the head of Procurement";
    expect(await look(other, () => 0.6, "Priya")).toMatchObject({
      verdict: "unsupported",
      reason: { code: "not_mentioned", missing: ["Priya"] },
    });
    expect(await look(other, () => 0.6)).toMatchObject({ verdict: "likely" });
    const leading = (passage: string) => (passage.includes("Procurement") ? 0.6 : 0.1);
    expect(await look(leads, leading, "Joost")).toMatchObject({ verdict: "likely" });
  });

  test("is unsupported if its nearest sentence lacks an amount that the judge marks", async () => {
    const beside = (passage: string) => (/Procurement.*lamp/.test(passage) ? 0.6 : 0.1);
    const years = "Two years ago Joost Rees was already in charge of Procurement";
    expect(await look(years, beside, "Two years", { place: "lamp" })).toMatchObject({
      verdict: "unsupported",
      reason: { code: "not_mentioned", missing: ["Two years"] },
    });
    expect(await look(years, beside, "", { place: "lamp" })).toMatchObject({ verdict: "likely" });
    const lamp = "The lamp comes with a warranty of two years";
    expect(await look(lamp, beside, "two years", { place: "lamp" })).toMatchObject({ verdict: "likely" });
  });
});

describe("a stage that fails", () => {
  const failing = { check: () => Promise.reject(new Error("no model")) };

  test("is reported, and the next stage is asked", async () => {
    const checked = await run([otherWords], { encoder: saying(0.8), checker: failing });
    expect(checked.faults).toEqual(["no model"]);
    expect(told(checked)).toEqual(["entailment: likely"]);
  });

  test("leaves what exact code found against a claim, even if the judge is sure", async () => {
    const { claims } = await run([fabricated, wrongNumber], { encoder: saying(0.99), checker: failing });
    expect(claims.map(({ verdict }) => verdict)).toEqual(["unsupported", "unsupported"]);
  });

  test("leaves a claim unsupported if it was the last stage", async () => {
    const checked = await run([otherWords], { checker: failing });
    expect(told(checked)).toEqual(["nobody: unsupported"]);
  });

  test("by judging fewer claims than it was given leaves the others unsupported", async () => {
    const checker = { check: async () => [{ verdict: "supported" as const, reason: { code: "stated" as const } }] };
    const second = claim("Procurement is in the hands of Anna Berg.", "Anna Berg leads Procurement");
    expect(told(await run([otherWords, second], { checker }))).toEqual(["checker: supported", "nobody: unsupported"]);
  });
});

describe("a model that checks", () => {
  type Asked = Parameters<NonNullable<CheckingTools["checker"]>["check"]>[0];
  /** Replies with these judgements, and keeps what it was asked. */
  const replying = (...judged: Judgement[]) => {
    const asked: Asked[] = [];
    const checker = {
      check: async (task: Asked) => {
        asked.push(task);
        return judged;
      },
    };
    return { checker, asked };
  };
  const holding = (...words: string[]): Judgement => ({ verdict: "supported", reason: { code: "stated" }, words });

  test("is not told what exact code found against a claim, and may see it differently", async () => {
    const { checker, asked } = replying(holding());
    expect(told(await run([wrongNumber], { checker }))).toEqual(["checker: supported"]);
    expect(asked[0]?.claims).toEqual([wrongNumber]);
  });

  test.each([
    ["a question", claim("Does the Lisbon office open at eight?", verbatim.text)],
    ["a claim without a source", { text: "The Lisbon office opens at eight.", citations: [] }],
    ["a claim that is too long to be checked", claim("x".repeat(5_001), verbatim.text)],
  ])("is not asked about %s", async (_, one) => {
    const { checker, asked } = replying(holding(verbatim.text));
    expect(told(await run([one], { checker }))).toEqual(["citations: unsupported"]);
    expect(asked).toEqual([]);
  });

  test("names the words that decide, whose sentences become the quote where a cited source has them", async () => {
    const quotesAfter = async (...words: string[]) =>
      (await run([otherWords], replying(holding(...words)))).claims[0]?.quotes.map(({ quote }) => quote);
    const [sentence = "", ...others] = (await quotesAfter("Anna Berg leads", "nowhere", "Anna Berg")) ?? [];
    expect(sentence).toMatch(/^Anna Berg leads Procurement.*\.$/);
    expect(others).toEqual([]);
    for (const words of [[], ["Anna Berg runs it all"], ["leads"]])
      expect(await quotesAfter(...words)).toEqual(["Anna Berg leads Procurement"]);
  });

  test("supports no claim without words of its source", async () => {
    const invented = claim("Anna Berg is in charge.", "Anna Berg is in charge of it all");
    expect(told(await run([invented], replying(holding("Anna is the boss"))))).toEqual(["checker: unsupported"]);
    expect(told(await run([invented], replying(holding("Anna Berg leads"))))).toEqual(["checker: supported"]);
  });
});

describe("a relation that the knowledge graph knows", () => {
  const source = { id: "s", documentId: "s", title: "s", uri: "s", section: "", reviewedAt: "", hash: "" };
  const entity = (name: string) => ({ name, type: "", aliases: [] });
  const knowing = async (...objects: string[]) => {
    const knowledge = inMemoryKnowledge();
    const triples = objects.map((object) => ({
      subject: entity("Procurement"),
      predicate: "manager",
      object: entity(object),
      quote: "",
    }));
    await knowledge.upsert([{ source, triples }]);
    return knowledge;
  };
  const said = (text: string) => claim(text, "Anna Berg leads Procurement with Joost Rees.");

  test.each([
    ["The manager of Procurement is Anna Berg.", ["Anna Berg"], "graph: supported"],
    ["The manager of Procurement is Joost Rees.", ["Anna Berg"], "graph: contradicted"],
    ["The manager of Procurement is Joost Rees.", ["Anna Berg", "Joost Rees"], "graph: supported"],
    ["The manager of Procurement is Anna Berg, with Joost Rees.", ["Anna Berg"], "nobody: unsupported"],
    ["Anna Berg is in charge of Procurement.", ["Anna Berg"], "nobody: unsupported"],
  ])("%s, where the graph has %s", async (text, objects, expected) => {
    expect(told(await run([said(text)], { knowledge: await knowing(...objects) }))).toEqual([expected]);
  });
});

describe("even if the judge is sure, a claim is not even likely if it states", () => {
  const table = "| Model | Weight |\n|-|-|\n| AR-7 | 1.05 kg |\n| AR-9 | 2.3 kg |";
  test.each([
    [
      "a value of another row",
      "The AR-7 weighs 2.3 kg.",
      table,
      table,
      { code: "says_otherwise", source: "1.05 kg", claim: "2.3 kg" },
    ],
    [
      "an amount in another unit",
      "Repairs take six months.",
      "Repairs take six working days.",
      undefined,
      { code: "not_mentioned", missing: ["six months"] },
    ],
    [
      "what is denied",
      "该公司通过了ISO 14001认证。",
      "该公司没有通过ISO 14001认证。",
      undefined,
      { code: "source_denies" },
    ],
    [
      "别的城市的限额",
      "柏林每晚的上限为210元。",
      "| 城市 | 每晚上限 |\n|-|-|\n| 柏林 | 140元 |\n| 苏黎世 | 210元 |",
      undefined,
      { code: "says_otherwise", source: "140元", claim: "210元" },
    ],
  ])("%s", async (_, text, source, quote, reason) => {
    const pieces = [{ ...evidence, text: source }];
    const claims = [{ text, citations: [{ evidenceId: "office", quote: quote ?? source }] }];
    const call: Call = { signal: new AbortController().signal, calls: 0, spent: () => {}, fault: () => {} };
    const task = { question: "?", language: "en" as const, evidence: pieces, claims };
    const { claims: checked } = await checkClaims(task, { encoder: saying(0.99) }, call);
    expect(["unsupported", "contradicted"]).toContain(checked[0]?.verdict);
    expect(checked[0]?.reason).toEqual(reason);
    const checker = { check: () => Promise.reject(new Error("no model")) };
    const failing = await checkClaims(task, { encoder: saying(0.99), checker }, call);
    expect(["unsupported", "contradicted"]).toContain(failing.claims[0]?.verdict);
  });
});

test("a claim that replaces one word of its quote is left to the judge", async () => {
  const swapped = claim("The Lisbon bureau opens at eight.", "The Lisbon office opens at eight.");
  expect(told(await run([swapped]))).toEqual(["nobody: unsupported"]);
  expect(told(await run([swapped], { encoder: saying(0.99) }))).toEqual(["entailment: supported"]);
});

test("code does not support a claim that is cut out of a longer sentence, even if its quote says the same", async () => {
  const text = "It is not true that the office opens at eight.";
  const task = { question: "?", language: "en" as const, evidence: [{ ...evidence, text }] };
  const call: Call = { signal: new AbortController().signal, calls: 0, spent: () => {}, fault: () => {} };
  const claims = [claim("The office opens at eight.", "the office opens at eight")];
  expect((await checkClaims({ ...task, claims }, {}, call)).claims[0]?.verdict).not.toBe("supported");
});

test.each([
  ["a question", "May visitors bring their own food?", "May visitors bring their own food?", "unsupported"],
  ["a Chinese question", "可以自带食品吗？", "可以自带食品吗？", "unsupported"],
  ["a heading", "Starting", "Starting", "unsupported"],
  ["what stands under a heading", "Volunteers start in May.", "Volunteers start in May.", "supported"],
  ["more than a heading", "Starting costs nothing.", "Starting", "supported"],
])("%s is supported only if it states something, even if the judge is sure: %s", async (_, text, quote, verdict) => {
  const page = "# Starting\n\nVolunteers start in May. May visitors bring their own food? 可以自带食品吗？";
  const task = { question: "?", language: "en" as const, evidence: [{ ...evidence, text: page }] };
  const call: Call = { signal: new AbortController().signal, calls: 5, spent: () => {}, fault: () => {} };
  const { claims } = await checkClaims({ ...task, claims: [claim(text, quote)] }, { encoder: saying(0.99) }, call);
  expect(claims[0]?.verdict).toBe(verdict);
});

test("once the time is up, only exact code runs, and its verdicts are kept", async () => {
  const faults: Error[] = [];
  const signal = AbortSignal.abort(new DOMException("The time is up.", "TimeoutError"));
  const call: Call = { signal, calls: 9, spent: () => {}, fault: (error) => faults.push(error) };
  const task = { question: "?", language: "en" as const, evidence: [evidence], claims: [verbatim, otherWords] };
  const late = () => Promise.reject(signal.reason);
  const encoder = { ...fakeEncoder(), judge: late, embed: late };
  const { claims, stages } = await checkClaims(task, { encoder, checker: { check: late } }, call);
  expect(claims.map(({ verdict }) => verdict)).toEqual(["supported", "unsupported"]);
  expect(stages.map(({ stage }) => stage)).toEqual(["citations", "statements"]);
  expect(await answersPrevious({ question: "?", previous: "Why?" }, claims, [evidence], encoder, call)).toBe(false);
  expect(faults).toEqual([signal.reason]);
});

test("an abort ends the cascade with the reason of the abort", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  const call: Call = { signal, calls: 0, spent: () => {}, fault: () => {} };
  const task = { question: "?", language: "en" as const, evidence: [evidence], claims: [otherWords] };
  const encoder = { ...fakeEncoder(), judge: () => Promise.reject(new Error("dropped")) };
  await expect(checkClaims(task, { encoder }, call)).rejects.toThrow("enough");
});

describe("what no source has is not shown, whatever the judges say", () => {
  const linked = {
    ...evidence,
    text: "The Lisbon office opens at eight. The portal is at http://portal.example/login.",
  };
  const checking = async (text: string, tools: CheckingTools) => {
    const citations = [{ evidenceId: "office", quote: "The Lisbon office opens at eight." }];
    const call: Call = { signal: new AbortController().signal, calls: 5, spent: () => {}, fault: () => {} };
    const task = { question: "", language: "en" as const, evidence: [linked], claims: [{ text, citations }] };
    return (await checkClaims(task, tools, call)).claims[0];
  };
  const judges = {
    encoder: saying(0.99),
    checker: fakeChecker("supported"),
  };

  test.each([
    ["a picture", "The Lisbon office opens at eight <img src=http://evil.example/x>."],
    ["an address", "The Lisbon office opens at eight (see http://evil.example/login)."],
    ["another path of a known host", "The Lisbon office opens at eight (http://portal.example/login?x=evil)."],
    ["the title of a link", 'The Lisbon office opens at [eight](http://portal.example/login "it is haunted").'],
  ])("%s", async (_, text) => {
    for (const tools of [{}, { encoder: judges.encoder }, { checker: judges.checker }, judges])
      expect(await checking(text, tools)).toMatchObject({ verdict: "unsupported", reason: { code: "added" } });
  });

  test("a link whose target the source has is judged by its words", async () => {
    const claim = await checking("The Lisbon office opens at [eight](http://portal.example/login).", {});
    expect(claim).toMatchObject({ verdict: "supported", reason: { code: "stated" } });
  });

  test("invisible characters are neither judged nor shown", async () => {
    const claim = await checking("The Lis\u200bbon office opens at eight.\u{e0062}\u{e0075}\u{e0072}\u{e006e}", {});
    expect(claim).toMatchObject({ verdict: "supported", text: "The Lisbon office opens at eight." });
  });
});
