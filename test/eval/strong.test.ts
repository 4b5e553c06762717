import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { runWith, stateWith } from "../../research/eval/state.js";
import { answerOf } from "../../src/answer/answer.js";
import { checkClaims } from "../../src/checking/cascade.js";
import { checkAnswer } from "../../src/nodes/check-answer.js";
import { generate } from "../../src/nodes/generate.js";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { asEvidence } from "../../src/reading/evidence.js";
import type { State } from "../../src/state/state.js";
import { fakeTools } from "../../src/testing/index.js";
import { meter } from "../../src/testing/reasoners-sample.js";
import { languageOf } from "../../src/text/language.js";
import type { Chat } from "../../src/tools/chat/port.js";
import { NOTHING_SPENT } from "../../src/types/answer.js";
import type { Verdict } from "../../src/types/evidence.js";

/** What a strong model wrote and judged, played again from the evidence it had to what is shown. */
const FOLDER = "research/eval/strong";
const rowsOf = <Row>(file: string, row: z.ZodType<Row>): Row[] =>
  readFileSync(join(FOLDER, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => row.parse(JSON.parse(line)));

const Piece = z.looseObject({ id: z.string(), title: z.string(), uri: z.string(), text: z.string() });
const Row = z.object({
  id: z.string(),
  question: z.string(),
  evidence: z.array(Piece),
  draft: z.string(),
  check: z.string().optional(),
  status: z.enum(["answered", "partial", "refused", "needs_clarification"]),
  /** Read by a person and found right; empty for a refusal. */
  shown: z.string(),
});
const Planted = z.object({
  id: z.string(),
  planted: z.string(),
  true: z.string(),
  false: z.string(),
  verdict: z.enum(["contradicted", "unsupported"]),
  sources: z.array(z.object({ title: z.string(), text: z.string() })),
});

const saying = (reply: (name: string) => string): Chat => ({
  name: "strong",
  identity: crypto.randomUUID(),
  formats: ["prompt"],
  timeoutMs: 1000,
  send: async ({ schemaName }) => ({
    text: reply(schemaName),
    cut: false,
    usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 0 },
  }),
});

const ANSWERS: Verdict = {
  grade: "correct",
  relevance: 1,
  answerability: "full",
  missing: "",
  entities: [],
  clarification: "",
};

const { documents } = fakeTools();

async function shownFor({ question, evidence, draft, check = "" }: z.infer<typeof Row>) {
  const { generator, checker } = modelReasoners({ chat: saying((name) => (name === "check" ? check : draft)) });
  const begun = stateWith(question, evidence.map(asEvidence));
  const evidenceIds = begun.evidence.map(({ id }) => id);
  const understood = { ...begun.understood, question, language: languageOf(question), modelLeads: true };
  const attempt = { query: question, evidenceIds, verdict: ANSWERS, repair: false, spend: NOTHING_SPENT };
  let state = { ...begun, understood, verdict: ANSWERS, attempts: [attempt] } as State;
  for (const node of [generate({ generator, documents }), checkAnswer({ checker })])
    state = { ...state, ...(await node(state, runWith(meter().call))) };
  const { status, text } = answerOf(state, "supported");
  return { status, shown: status === "refused" ? "" : text };
}

describe.each(readdirSync(FOLDER).filter((file) => file !== "planted.jsonl"))("%s", (file) => {
  test.each(rowsOf(file, Row).map((row) => [row.id, row] as const))(
    "%s is shown as it was written and judged",
    async (_, row) => expect(await shownFor(row)).toEqual({ status: row.status, shown: row.shown }),
  );
});

describe("a planted error", () => {
  test.each(rowsOf("planted.jsonl", Planted).map((row) => [row.id, row.planted, row] as const))(
    "%s (%s) is not shown, and the true sentence beside it is",
    async (_id, _planted, row) => {
      const evidence = row.sources.map((source, i) =>
        asEvidence({ ...source, id: `s${i}`, uri: `s${i}`, text: source.text }),
      );
      const citations = evidence.map(({ id, text }) => ({ evidenceId: id, quote: text }));
      const claims = [row.true, row.false].map((text) => ({ text, citations }));
      const judge = saying(() =>
        JSON.stringify({ 1: { words: [], verdict: "supported" }, 2: { words: [], verdict: row.verdict } }),
      );
      const { checker } = modelReasoners({ chat: judge });
      const task = { question: "", language: languageOf(row.true), evidence, claims };
      const checked = await checkClaims(task, { checker }, meter().call);
      expect(checked.claims.map(({ verdict }) => verdict === "supported")).toEqual([true, false]);
    },
  );
});
