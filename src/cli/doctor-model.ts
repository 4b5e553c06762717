import { checkByCode } from "../checking/cascade.js";
import { languageOf } from "../text/language.js";
import { plainWithoutMarks } from "../text/tokens.js";
import type { Reasoners } from "../tools/models/fallback.js";
import { holds } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence, Verdict } from "../types/evidence.js";
import { ANSWER_ROWS, type AnswerRow, CLAIM_ROWS } from "./doctor-rows.js";

/** What a model did on a few labelled rows. */
interface Tried {
  /** What is counted: "answers", "refusals", "checks". */
  call: string;
  /** In plain words. */
  said: string;
}

/**
 * Tries a chat model on twenty labelled rows, half of them Chinese: does it answer with words of the source, does it refuse
 * what is not there, does it tell true claims from false ones? Rows that are not done when the signal aborts are left out.
 * @param onRow called with the number of rows done.
 */
export async function tryModel(
  { generator, checker }: Pick<Reasoners, "generator" | "checker">,
  signal: AbortSignal,
  onRow: (done: number, all: number) => void,
): Promise<Tried[]> {
  let done = 0;
  const rows = [
    ...ANSWER_ROWS.map((row) => async () => ({ kind: row.answer ? "answers" : "refusals", ...(await answered(row)) })),
    ...(checker ? CLAIM_ROWS : []).map((row) => async () => ({ kind: "checks", ...(await checked(row)) })),
  ];
  const waiting = rows.values();
  const found: { kind: string; isRight: boolean; isGrounded?: boolean }[] = [];
  const failed: string[] = [];
  const work = async () => {
    for (const row of waiting) {
      if (signal.aborted) return;
      try {
        found.push(await row());
      } catch (error) {
        if (!signal.aborted) failed.push(error instanceof Error ? error.message : String(error));
      }
      if (!signal.aborted) onRow(++done, rows.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));

  const told = (kind: string, say: (right: number, all: number) => string): Tried[] => {
    const own = found.filter((row) => row.kind === kind);
    return own.length > 0 ? [{ call: kind, said: say(own.filter(({ isRight }) => isRight).length, own.length) }] : [];
  };
  const grounded = found.filter(({ isGrounded }) => isGrounded).length;
  return [
    ...told("answers", (right, all) => {
      const advice = right >= MOSTLY * all ? "It helps." : "It words answers badly: quotes are shown instead.";
      return `${right} of ${all} questions answered rightly, ${grounded} in words that code finds in the source. ${advice}`;
    }),
    ...told("refusals", (right, all) => {
      const advice = right >= MOSTLY * all ? "It helps." : "It makes answers up: only the checks hold them back.";
      return `${right} of ${all} questions refused that the source does not answer. ${advice}`;
    }),
    ...told("checks", (right, all) => {
      const advice = right >= MOSTLY * all ? "It helps." : "It guesses: leave context.thorough off.";
      return `${right} of ${all} claims judged rightly. ${advice}`;
    }),
    ...(failed.length > 0 ? [{ call: "failures", said: `${failed.length} of ${rows.length} rows: ${failed[0]}` }] : []),
  ];

  async function answered({ question, source, answer }: AnswerRow) {
    const evidence = [piece(source)];
    // As in a run: what the judge finds is worded, and what it cannot tell may be refused.
    const verdict = answer ? FOUND : undefined;
    const task = { ...ask(question), evidence, intent: "other" as const, ...(verdict && { verdict }) };
    const draft = await generator.generate(task, budget());
    const said = plainWithoutMarks(draft.claims.map(({ text }) => text).join(" "));
    const isGrounded = draft.claims.length > 0 && draft.claims.every((claim) => holds(checkByCode(claim, evidence)));
    const isRight = answer ? said.includes(plainWithoutMarks(answer)) : draft.claims.length === 0;
    return { isRight, isGrounded: answer !== "" && isGrounded };
  }

  async function checked({ claim, source, isTrue }: (typeof CLAIM_ROWS)[number]) {
    const claims = [{ text: claim, citations: [{ evidenceId: "row", quote: source }] }];
    const [judged] = (await checker?.check({ ...ask(claim), evidence: [piece(source)], claims }, budget())) ?? [];
    return { isRight: (judged?.verdict === "supported") === isTrue };
  }

  function budget(): Call {
    return { signal, calls: 1, spent: () => {}, fault: () => {} };
  }
}

const FOUND: Verdict = {
  grade: "correct",
  relevance: 1,
  relevant: 1,
  answerability: "full",
  probability: 1,
  missing: "",
  entities: [],
  clarification: "",
  reason: "",
};

/** Requests in parallel. */
const AT_ONCE = 2;

/** The share of right rows from which a call helps. */
const MOSTLY = 0.75;

const ask = (question: string) => ({ question, language: languageOf(question) });

const piece = (text: string): Evidence => ({
  id: "row",
  source: "document",
  title: "",
  uri: "",
  section: "",
  text,
  language: languageOf(text),
  score: 1,
  relevance: 1,
  strips: [],
  retrievedAt: "",
  reviewedAt: "",
});
