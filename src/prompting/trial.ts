import { createHash } from "node:crypto";
import { z } from "zod";
import { languageOf } from "../text/language.js";
import { plainWithoutMarks } from "../text/tokens.js";
import type { Chat } from "../tools/chat/port.js";
import type { DraftClaim } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence } from "../types/evidence.js";
import type { Checker, Generator } from "../types/reasoners.js";
import { TRIAL, type TrialSet } from "./trial-rows.js";

const Count = z.object({ right: z.number().int(), all: z.number().int() });

/** How a chat model did on labelled rows, half of them Chinese. Rows that failed or were not reached are not counted. */
export const Trial = z.object({
  /** Questions that one of several passages answers. */
  answers: Count,
  /** Questions that the passages nearly answer. */
  refusals: Count,
  /** Claims about passages, half of them wrong. */
  checks: Count,
  /** The message of the first failure; empty if there was none. */
  failed: z.string(),
});
export type Trial = z.infer<typeof Trial>;

/** What a chat model is used for. */
export interface Trust {
  /** It reads, writes and says whether the evidence answers. */
  answers: boolean;
  /** Its verdicts on claims count. */
  checks: boolean;
}

/** Changes with the rows, so that a model is tried again on new ones. */
export const TRIAL_VERSION = createHash("sha256").update(JSON.stringify(TRIAL)).digest("hex").slice(0, 12);

/**
 * Tries a chat model on about forty rows in at most 28 calls, four at a time. Stops as soon as it has failed, since a weak
 * model is often a slow one.
 * @param options.onRow called with the number of rows done and of all.
 * @throws the signal's reason, if it aborts before any row is done.
 */
export async function tryModel(
  { generator, checker }: { generator: Generator; checker: Checker },
  signal: AbortSignal,
  { onRow = () => {}, untilFailed = true }: { onRow?: (done: number, all: number) => void; untilFailed?: boolean } = {},
): Promise<Trial> {
  const trial: Trial = {
    answers: { right: 0, all: 0 },
    refusals: { right: 0, all: 0 },
    checks: { right: 0, all: 0 },
    failed: "",
  };
  const count = (kind: "answers" | "refusals" | "checks", isRight: boolean) => {
    trial[kind].all += 1;
    trial[kind].right += Number(isRight);
  };
  // Questions come first, with languages and kinds by turns, so that a failure shows early.
  const asked = [0, 1, 2].flatMap((i) =>
    TRIAL.flatMap((set) => [
      async () => {
        const row = set.answers[i];
        if (row) count("answers", isAnswer(await drafted(set, row.question), row));
      },
      async () => {
        const question = set.refusals[i];
        if (question === undefined) return;
        count("refusals", (await drafted(set, question)).claims.length === 0);
      },
    ]),
  );
  const work = [...asked, ...TRIAL.map((set) => () => checked(set))];
  const all = work.length;
  let done = 0;
  const waiting = work.values();
  const works = async () => {
    for (const row of waiting) {
      if (signal.aborted || (untilFailed && hasFailed(trial))) return;
      try {
        // A busy endpoint fails now and then.
        await row().catch(row);
      } catch (error) {
        if (signal.aborted) return;
        trial.failed ||= error instanceof Error ? error.message : String(error);
      }
      onRow(++done, all);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, works));
  if (trial.answers.all + trial.checks.all === 0) signal.throwIfAborted();
  return trial;

  async function drafted({ sources }: TrialSet, question: string) {
    const evidence = sources.map(piece);
    const task = { question, language: languageOf(question), evidence, intent: "other" as const };
    return generator.generate({ ...task, lookUps: { documents: true, graph: false, web: false } }, budget());
  }

  async function checked({ sources, claims }: TrialSet) {
    const evidence = sources.map(piece);
    const cited = claims.map(({ text, source }): DraftClaim => {
      const { id, text: quote } = evidence[source - 1] as Evidence;
      return { text, citations: [{ evidenceId: id, quote }] };
    });
    const task = { question: "", language: languageOf(cited[0]?.text ?? ""), evidence, claims: cited };
    const judged = await checker.check(task, budget());
    for (const [i, { isTrue }] of claims.entries()) count("checks", (judged[i]?.verdict === "supported") === isTrue);
  }

  function budget(): Call {
    return { signal, calls: 2, spent: () => {}, fault: () => {} };
  }
}

/** A chat whose replies are cut where those of a trial should have ended: a weak model goes on and on. */
export const withShortReplies = (chat: Chat): Chat => ({
  ...chat,
  send: (request) => chat.send({ ...request, maxTokens: MAX_TOKENS }),
});

const MAX_TOKENS = 500;

function isAnswer({ claims }: { claims: readonly DraftClaim[] }, row: TrialSet["answers"][number]): boolean {
  const said = plainWithoutMarks(claims.map(({ text }) => text).join(" "));
  const isCited = claims.some(({ citations }) =>
    citations.some(({ evidenceId }) => evidenceId === `trial#${row.source}`),
  );
  return isCited && row.words.some((words) => said.includes(plainWithoutMarks(words)));
}

/** Requests in parallel. */
const AT_ONCE = 4;

/** The most mistakes of each kind. */
const MAX_WRONG = 1;

const wrong = ({ right, all }: z.infer<typeof Count>) => all - right;

/** True if the model can no longer pass as one that answers. */
const hasFailed = ({ answers, refusals }: Trial) => wrong(answers) > MAX_WRONG || wrong(refusals) > MAX_WRONG;

/** True if all rows were done, or the model has failed on those that were. */
export const isConclusive = (trial: Trial): boolean => {
  const { answers, refusals, checks } = trial;
  const rows = TRIAL.flatMap(({ answers, refusals }) => [...answers, ...refusals]);
  const claims = TRIAL.flatMap(({ claims }) => claims);
  return hasFailed(trial) || (answers.all + refusals.all === rows.length && checks.all === claims.length);
};

/** What a trial shows the model to be good for: at most one mistake of a kind. */
export function trustFrom(trial: Trial): Trust {
  const answers = isConclusive(trial) && !hasFailed(trial);
  return { answers, checks: answers && wrong(trial.checks) <= MAX_WRONG };
}

const piece = ({ title, text }: TrialSet["sources"][number], i: number): Evidence => ({
  id: `trial#${i + 1}`,
  source: "document",
  title,
  uri: title,
  section: "",
  text,
  language: languageOf(text),
  score: 1,
  relevance: 1,
  strips: [],
  retrievedAt: "",
  reviewedAt: "",
});
