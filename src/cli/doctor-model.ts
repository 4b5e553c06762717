import { checkByCode } from "../checking/cascade.js";
import { languageOf } from "../text/language.js";
import { plainWithoutMarks } from "../text/tokens.js";
import type { Reasoners } from "../tools/models/fallback.js";
import { holds } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence, Verdict } from "../types/evidence.js";

/** What a model did on a few labelled rows. */
interface Tried {
  /** What is counted: "answers", "refusals", "checks". */
  call: string;
  /** In plain words. */
  said: string;
}

/**
 * Tries a chat model on twenty labelled rows, half of them Chinese: does it answer with words of the source, does it
 * refuse what is not there, does it tell true claims from false ones? Rows that are unfinished when the signal aborts
 * are left out.
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
    // As in a run: the model words what the judge found, and may refuse what the judge cannot tell.
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
  answerability: "full",
  probability: 1,
  missing: "",
  entities: [],
  clarification: "",
};

/** Requests in parallel. */
const AT_ONCE = 2;

/** The share of right rows at which a call is said to help. */
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

/** A question with a source, and the words of a right answer; empty where the source does not answer. */
interface AnswerRow {
  question: string;
  source: string;
  answer: string;
}

/** Half of them cannot be answered: their source is about the same thing, but lacks what is asked. */
export const ANSWER_ROWS: readonly AnswerRow[] = [
  {
    question: "How long is the warranty of the Tern kettle?",
    source: "The Tern kettle holds 1.7 litres and comes with a warranty of 30 months. Descale it every six weeks.",
    answer: "30 months",
  },
  {
    question: "How much does the Tern kettle cost?",
    source: "The Tern kettle holds 1.7 litres and comes with a warranty of 30 months. Descale it every six weeks.",
    answer: "",
  },
  {
    question: "Who approves orders above 2,000 euros?",
    source: "Team leads approve orders of up to 2,000 euros. Larger orders are approved by the head of finance.",
    answer: "head of finance",
  },
  {
    question: "Who is the head of finance?",
    source: "Team leads approve orders of up to 2,000 euros. Larger orders are approved by the head of finance.",
    answer: "",
  },
  {
    question: "When is the pool closed?",
    source: "The pool is open every day from seven to nine. It is closed for cleaning in the first week of March.",
    answer: "first week of March",
  },
  {
    question: "What does a swim cost for children?",
    source: "The pool is open every day from seven to nine. It is closed for cleaning in the first week of March.",
    answer: "",
  },
  {
    question: "Where do visitors park?",
    source: "Visitors park behind the mill. Staff park in the yard and show their badge at the gate.",
    answer: "behind the mill",
  },
  {
    question: "Where do visitors of the Harbour Street office park?",
    source: "At the mill, visitors park behind the building. The Harbour Street office was opened in 2021.",
    answer: "",
  },
  {
    question: "报销单要在几天内提交？",
    source: "出差结束后，报销单应在十五天内提交给财务部。逾期需要部门经理签字。",
    answer: "十五天",
  },
  { question: "出差补贴每天多少钱？", source: "出差结束后，报销单应在十五天内提交给财务部。", answer: "" },
  {
    question: "图书馆周日几点开门？",
    source: "图书馆周一至周六早上八点开门，周日上午十点开门。借书证在一楼办理。",
    answer: "十点",
  },
  { question: "办理借书证要交多少押金？", source: "图书馆周日上午十点开门。借书证在一楼办理。", answer: "" },
  {
    question: "青禾水泵由哪家公司生产？",
    source: "青禾水泵由安澜机械生产，功率为三千瓦，每年检修一次。",
    answer: "安澜机械",
  },
  { question: "青禾水泵是哪一年上市的？", source: "青禾水泵由安澜机械生产，功率为三千瓦，每年检修一次。", answer: "" },
];

/** Claims that do not use the words of their source. */
export const CLAIM_ROWS: readonly { claim: string; source: string; isTrue: boolean }[] = [
  {
    claim: "You can return the lamp free of charge for a month.",
    source: "Lamps may be sent back within 30 days. We pay for the return.",
    isTrue: true,
  },
  {
    claim: "You have to pay for sending the lamp back.",
    source: "Lamps may be sent back within 30 days. We pay for the return.",
    isTrue: false,
  },
  {
    claim: "The guards at the mill wear a uniform.",
    source: "At the quay, guards wear a uniform. The mill has no guards.",
    isTrue: false,
  },
  { claim: "新员工试用期满后可以远程办公。", source: "员工转正以后才能申请在家办公。", isTrue: true },
  { claim: "试用期内也可以在家办公。", source: "员工转正以后才能申请在家办公。", isTrue: false },
  { claim: "水泵每个月都要检修。", source: "青禾水泵每年检修一次。", isTrue: false },
];
