import { describe, expect, test } from "vitest";
import { BudgetSpentError, EndpointError, MalformedReplyError } from "../../src/errors.js";
import { languageOf } from "../../src/text/language.js";
import { strips } from "../../src/text/strips.js";
import type { Reasoners } from "../../src/tools/models/fallback.js";
import type { DraftClaim, Usage } from "../../src/types/answer.js";
import type { Call } from "../../src/types/call.js";
import type { Evidence, Language } from "../../src/types/evidence.js";

export interface ReasonerContractOptions {
  /** Whether the adapter may fail with a model error instead of a result, as small models often do. Default: no. */
  mayFail?: boolean;
  timeoutMs?: number;
}

/** Every form of the four reasoners keeps these promises; each form's own test file calls this once. */
export function reasonerContract(name: string, open: () => Promise<Reasoners>, options: ReasonerContractOptions = {}) {
  const { mayFail = false, timeoutMs = 5000 } = options;

  /** The result, or undefined after a model error if the adapter may fail. Any other error is thrown. */
  async function outcome<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      if (mayFail && isModelFailure(error)) return undefined;
      throw error;
    }
  }

  describe.each([ENGLISH, CHINESE])(`${name} keeps the promises of the reasoners ($language)`, (sample) => {
    const task = { question: sample.question, language: sample.language, evidence: sample.evidence };
    const grading = { ...task, evidence: sample.evidence.map((piece) => ({ ...piece, strips: [], relevance: 0 })) };
    const claims: DraftClaim[] = sample.evidence.slice(0, 2).map(({ id, text }) => ({
      text,
      citations: [{ evidenceId: id, quote: text }],
    }));

    test("grades every strip of every piece of evidence from 0 to 1", { timeout: timeoutMs }, async () => {
      const { grader } = await open();
      const grade = await outcome(grader.grade(frozen(grading), meter().call));
      if (!grade) return;
      expect(grade.relevance.map((row) => row.length)).toEqual(sample.evidence.map(({ text }) => strips(text).length));
      for (const value of grade.relevance.flat()) {
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }
      expect(["full", "partial", "none", "unknown"]).toContain(grade.answerability);
      for (const entity of grade.entities) expect(sample.question).toContain(entity);
      if (grade.missing) expect(languageOf(grade.missing)).toBe(sample.language);
    });

    test("finds no answer without evidence", { timeout: timeoutMs }, async () => {
      const { grader, generator } = await open();
      const grade = await outcome(grader.grade(frozen({ ...grading, evidence: [] }), meter().call));
      if (grade) expect(grade.relevance).toEqual([]);
      if (grade) expect(["none", "unknown"]).toContain(grade.answerability);
      const draft = await outcome(
        generator.generate(frozen({ ...task, evidence: [], intent: "other" as const }), meter().call),
      );
      if (draft) expect(draft.claims).toEqual([]);
    });

    test("cites only the given evidence, and emits each claim once, in order", { timeout: timeoutMs }, async () => {
      const { generator } = await open();
      const told: DraftClaim[] = [];
      const generating = frozen({ ...task, intent: "other" as const });
      const draft = await outcome(generator.generate(generating, meter().call, (claim) => told.push(claim)));
      if (!draft) return;
      const ids = sample.evidence.map(({ id }) => id);
      for (const claim of draft.claims) {
        expect(claim.text).not.toBe("");
        expect(claim.citations.length).toBeGreaterThan(0);
        for (const { evidenceId } of claim.citations) expect(ids).toContain(evidenceId);
      }
      expect(new Set(told.map((claim) => JSON.stringify(claim))).size).toBe(told.length);
      expect(told.filter((claim) => draft.claims.some((kept) => same(kept, claim)))).toEqual(unique(draft.claims));
    });

    test("returns one judgement per claim", { timeout: timeoutMs }, async () => {
      const { checker } = await open();
      if (!checker) return;
      const judgements = await outcome(checker.check(frozen({ ...task, claims }), meter().call));
      if (!judgements) return;
      expect(judgements.length).toBe(claims.length);
      for (const { verdict } of judgements) expect(["supported", "contradicted", "unsupported"]).toContain(verdict);
      expect(await checker.check(frozen({ ...task, claims: [] }), meter().call)).toEqual([]);
    });

    test("rewrites to one short query in the question's language", { timeout: timeoutMs }, async () => {
      const { rewriter } = await open();
      const asked = frozen({ ...task, queries: [sample.question], missing: "" });
      const query = await outcome(rewriter.rewrite(asked, meter().call));
      if (query === undefined) return;
      expect(query.trim()).not.toBe("");
      expect(query).not.toMatch(/[\r\n]/);
      expect(query.length).toBeLessThanOrEqual(2 * sample.question.length + 60);
      expect(languageOf(query)).toBe(sample.language);
    });

    test("rewrites a follow-up in its language, and leaves a first question unchanged", {
      timeout: timeoutMs,
    }, async () => {
      const { rewriter } = await open();
      expect(await rewriter.standalone(sample.question, [], meter().call)).toBe(sample.question);
      const history = [{ question: sample.question, answer: sample.evidence[0]?.text ?? "" }];
      const said = await outcome(rewriter.standalone(sample.followUp, frozen(history), meter().call));
      if (said === undefined) return;
      expect(said.trim()).not.toBe("");
      expect(languageOf(said)).toBe(sample.language);
    });

    test("fails with the reason of an earlier abort, if at all, and spends nothing", {
      timeout: timeoutMs,
    }, async () => {
      const { grader, rewriter, generator, checker } = await open();
      const reason = new Error("changed my mind");
      const { call, spent } = meter({ signal: AbortSignal.abort(reason) });
      const history = [{ question: sample.question, answer: "" }];
      const ends = await Promise.allSettled([
        grader.grade(grading, call),
        rewriter.rewrite({ ...task, queries: [], missing: "" }, call),
        rewriter.standalone(sample.followUp, history, call),
        generator.generate({ ...task, intent: "other" }, call),
        checker?.check({ ...task, claims }, call),
      ]);
      // A task that needs no time may still succeed.
      for (const end of ends) if (end.status === "rejected") expect(end.reason).toBe(reason);
      expect(spent).toEqual([]);
    });

    test("makes no call if the budget allows none", { timeout: timeoutMs }, async () => {
      const { grader, generator } = await open();
      const { call, spent } = meter({ calls: 0 });
      for (const work of [grader.grade(grading, call), generator.generate({ ...task, intent: "other" }, call)]) {
        const error = await work.then(
          () => undefined,
          (failure: unknown) => failure,
        );
        if (error !== undefined) expect(error).toBeInstanceOf(BudgetSpentError);
      }
      expect(spent).toEqual([]);
    });
  });
}

const isModelFailure = (error: unknown) =>
  error instanceof EndpointError || error instanceof MalformedReplyError || error instanceof BudgetSpentError;

const same = (a: DraftClaim, b: DraftClaim) => JSON.stringify(a) === JSON.stringify(b);

const unique = (claims: readonly DraftClaim[]) =>
  claims.filter((claim, i) => claims.findIndex((other) => same(other, claim)) === i);

/** A call that records usage and faults. */
export function meter(given: { signal?: AbortSignal; calls?: number } = {}) {
  const spent: Usage[] = [];
  const faults: Error[] = [];
  const call: Call = {
    signal: given.signal ?? new AbortController().signal,
    calls: given.calls ?? 4,
    spent: (usage) => spent.push(usage),
    fault: (error) => faults.push(error),
  };
  return { call, spent, faults };
}

/** Freezes a value deeply, so that a reasoner that modifies its input throws. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

/** Evidence after grading, all of it relevant. */
export function gradedEvidence(id: string, text: string, language: Language, relevance = 0.9): Evidence {
  return {
    id,
    source: "document",
    title: id,
    uri: `${id}.md`,
    section: "",
    text,
    language,
    score: 1,
    relevance,
    strips: strips(text).map((span) => ({ ...span, relevance })),
    retrievedAt: "2026-01-05T09:00:00.000Z",
    reviewedAt: "",
  };
}

export const ENGLISH = {
  language: "en" as const,
  question: "How many days of annual leave do employees of Harbor get?",
  followUp: "And when does it expire?",
  evidence: [
    gradedEvidence("leave", "Employees of Harbor get 25 days of annual leave. Unused days expire on 31 March.", "en"),
    gradedEvidence("office", "The office opens at eight. Visitors sign in at the front desk.", "en"),
  ],
};

export const CHINESE = {
  language: "zh" as const,
  question: "海港公司的员工每年有多少天年假？",
  followUp: "它什么时候过期？",
  evidence: [
    gradedEvidence("休假", "海港公司的员工每年有25天年假。未用的年假在3月31日过期。", "zh"),
    gradedEvidence("办公", "办公室八点开门。访客在前台登记。", "zh"),
  ],
};
