import { describe, expect, test } from "vitest";
import { type CheckingTools, checkClaims } from "../../src/checking/cascade.js";
import { decisive } from "../../src/checking/decisive.js";
import { fakeChecker, inMemoryKnowledge } from "../../src/testing/index.js";
import type { Entailment } from "../../src/tools/entailment/port.js";
import type { Call } from "../../src/tools/reasoner/port.js";
import type { DraftClaim } from "../../src/types/answer.js";
import type { Evidence } from "../../src/types/evidence.js";

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

const scoring = (score: number): Entailment => ({
  identity: "scripted",
  thresholds: { rejectBelow: 0.2, decideAt: 0.5, acceptAt: 0.9 },
  score: async (pairs) => pairs.map(() => score),
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

describe("claims are settled by the cheapest stage that can", () => {
  test("each stage sees only what those before it left in doubt", async () => {
    const seen: number[] = [];
    const checker = {
      check: async ({ claims }: { claims: readonly DraftClaim[] }) => {
        seen.push(claims.length);
        return claims.map(() => ({ verdict: "supported" as const, reason: "" }));
      },
    };
    const checked = await run([verbatim, fabricated, wrongNumber, otherWords], { entailment: scoring(0.5), checker });
    expect(told(checked)).toEqual([
      "statements: supported",
      "citations: unsupported",
      "statements: unsupported",
      "checker: supported",
    ]);
    expect(seen).toEqual([1]);
    expect(checked.stages).toMatchObject([
      { stage: "citations", asked: 4, settled: 1, calls: 0 },
      { stage: "statements", asked: 3, settled: 2, calls: 0 },
      { stage: "entailment", asked: 1, settled: 0, calls: 0 },
      { stage: "checker", asked: 1, settled: 1, calls: 0 },
    ]);
  });

  test.each([
    [0.95, "entailment: likely"],
    [0.1, "entailment: unsupported"],
    [0.5, "nobody: unsupported"],
  ])("a score of %s", async (score, expected) => {
    const checked = await run([otherWords], { entailment: scoring(score) });
    expect(told(checked)).toEqual([expected]);
    expect(checked.claims[0]?.entailment).toBe(score);
  });

  test("a score decides alone where nobody else is there", async () => {
    expect(told(await run([otherWords], { entailment: decisive(scoring(0.5)) }))).toEqual(["entailment: likely"]);
    expect(told(await run([otherWords], { entailment: decisive(scoring(0.4)) }))).toEqual(["entailment: unsupported"]);
  });

  test("the calls of a stage are counted as its own, and handed on", async () => {
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
    entailment: scoring(0.5),
    knowledge: inMemoryKnowledge(),
    checker: fakeChecker("supported"),
  };

  test("is by what they cost: code, the score, the graph, the model", async () => {
    const { stages } = await run([otherWords], everything);
    expect(stages.map(({ stage }) => stage)).toEqual(["citations", "statements", "entailment", "graph", "checker"]);
  });

  test.each(["entailment", "knowledge", "checker"] as const)("is kept without %s", async (left) => {
    const { [left]: _, ...tools } = everything;
    const { stages } = await run([otherWords], tools);
    const rest = {
      entailment: ["graph", "checker"],
      knowledge: ["entailment", "checker"],
      checker: ["entailment", "graph"],
    };
    expect(stages.map(({ stage }) => stage)).toEqual(["citations", "statements", ...rest[left]]);
  });

  test("spares the graph what the score settles, and the score what code settles", async () => {
    const asked: string[] = [];
    const entailment: Entailment = {
      ...scoring(0.95),
      score: async (pairs) =>
        pairs.map(({ claim }) => {
          asked.push(`score: ${claim}`);
          return 0.95;
        }),
    };
    const knowledge = {
      ...inMemoryKnowledge(),
      facts: async (_: unknown, text: string) => {
        asked.push(`graph: ${text}`);
        return [];
      },
    };
    await run([verbatim, otherWords], { entailment, knowledge });
    expect(asked).toEqual([`score: ${otherWords.text}`]);
  });
});

describe("what is scored together", () => {
  const piece = (id: string, text: string): Evidence => ({ ...evidence, id, text });
  const long = (word: string) => `${`The ${word} desk stands in the hall. `.repeat(30)}Anna Berg leads Procurement.`;
  const said = (...ids: string[]): DraftClaim => ({
    text: "Anna Berg is in charge of Procurement.",
    citations: ids.map((evidenceId) => ({ evidenceId, quote: "Anna Berg leads Procurement." })),
  });
  async function scored(pieces: Evidence[], claims: DraftClaim[], anyText: boolean) {
    const seen: string[][] = [];
    const entailment: Entailment = {
      ...scoring(0),
      score: async (pairs) =>
        pairs.map(({ sources }) => {
          seen.push(sources.map((text) => text.slice(0, 12)));
          return 0.5;
        }),
    };
    const call: Call = { signal: new AbortController().signal, calls: 0, spent: () => {}, fault: () => {} };
    await checkClaims({ question: "", language: "en", evidence: pieces, claims, anyText }, { entailment }, call);
    return seen;
  }

  test.each([true, false])("long sources never are (any text: %s)", async (anyText) => {
    const pieces = [piece("a", long("oak")), piece("b", long("ash"))];
    expect(await scored(pieces, [said("a", "b")], anyText)).toEqual([["The oak desk"], ["The ash desk"]]);
  });

  test("short ones are, with those beside them, up to a long one, where any text is checked", async () => {
    const short = "Anna Berg leads Procurement.";
    const pieces = [
      piece("a", `1. ${short}`),
      piece("b", "2. She is new."),
      piece("c", long("oak")),
      piece("d", `4. ${short}`),
    ];
    expect(await scored(pieces, [said("a"), said("d")], true)).toEqual([
      ["1. Anna Berg", "2. She is ne"],
      ["4. Anna Berg"],
    ]);
  });

  test("in an answer no two passages are, short as they may be", async () => {
    const short = "Anna Berg leads Procurement.";
    const pieces = [piece("a", `1. ${short}`), piece("b", `2. ${short}`)];
    expect(await scored(pieces, [said("a", "b")], false)).toEqual([["1. Anna Berg"], ["2. Anna Berg"]]);
  });

  test("no more of them than fit one another", async () => {
    const pieces = Array.from({ length: 30 }, (_, i) =>
      piece(`${i}`, `${i}. ${"Lamp. ".repeat(60)}Anna Berg leads Procurement.`),
    );
    const [first = []] = await scored(pieces, [said("0")], true);
    expect(first.length).toBeGreaterThan(5);
    expect(first.length).toBeLessThan(15);
  });
});

describe("a stage that fails", () => {
  test("is told, and the next one is asked", async () => {
    const entailment = { ...scoring(1), score: () => Promise.reject(new Error("no weights")) };
    const checked = await run([otherWords], { entailment, checker: fakeChecker("supported") });
    expect(checked.faults).toEqual(["no weights"]);
    expect(told(checked)).toEqual(["checker: supported"]);
  });

  test("leaves a claim unsupported where it was the last", async () => {
    const checked = await run([otherWords], { checker: { check: () => Promise.reject(new Error("no model")) } });
    expect(told(checked)).toEqual(["nobody: unsupported"]);
  });

  test("that judges fewer claims than it was asked leaves the others unsupported", async () => {
    const checker = { check: async () => [{ verdict: "supported" as const, reason: "" }] };
    const second = claim("Procurement is in the hands of Anna Berg.", "Anna Berg leads Procurement");
    expect(told(await run([otherWords, second], { checker }))).toEqual(["checker: supported", "nobody: unsupported"]);
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

describe("however high a score, not even likely is", () => {
  const table = "| Model | Weight |\n|-|-|\n| AR-7 | 1.05 kg |\n| AR-9 | 2.3 kg |";
  test.each([
    ["a value of another row", "The AR-7 weighs 2.3 kg.", table, table, "in different places"],
    [
      "an amount in another unit",
      "Repairs take six months.",
      "Repairs take six working days.",
      undefined,
      "six months",
    ],
    [
      "what is said of another name",
      "Joost Rees leads Sales.",
      "Anna Berg leads Sales, Joost Rees cooks.",
      undefined,
      "Joost Rees",
    ],
    [
      "what is denied",
      "该公司通过了ISO 14001认证。",
      "该公司通过了ISO 9001认证，没有通过ISO 14001认证。",
      undefined,
      "denies",
    ],
    [
      "别的城市的限额",
      "柏林每晚的上限为210元。",
      "| 城市 | 每晚上限 |\n|-|-|\n| 柏林 | 140元 |\n| 苏黎世 | 210元 |",
      undefined,
      "",
    ],
  ])("%s", async (_, text, source, quote, reason) => {
    const pieces = [{ ...evidence, text: source }];
    const claims = [{ text, citations: [{ evidenceId: "office", quote: quote ?? source }] }];
    const call: Call = { signal: new AbortController().signal, calls: 0, spent: () => {}, fault: () => {} };
    const task = { question: "?", language: "en" as const, evidence: pieces, claims };
    const { claims: checked } = await checkClaims(task, { entailment: scoring(0.99) }, call);
    expect(["unsupported", "contradicted"]).toContain(checked[0]?.verdict);
    expect(checked[0]?.reason).toContain(reason);
  });
});

test("a sentence of its quote with a word replaced is left to the score", async () => {
  const swapped = claim("The Lisbon bureau opens at eight.", "The Lisbon office opens at eight.");
  expect(told(await run([swapped]))).toEqual(["nobody: unsupported"]);
  expect(told(await run([swapped], { entailment: scoring(0.99) }))).toEqual(["entailment: likely"]);
});
