import assert from "node:assert/strict";
import { BudgetSpentError, isModelFailure } from "../errors.js";
import { languageOf } from "../text/language.js";
import { strips } from "../text/strips.js";
import type { DraftClaim } from "../types/answer.js";
import type { Reasoners } from "../types/reasoners.js";
import { type ContractTest, contractOf, type Promises } from "./contract.js";
import { CHINESE, ENGLISH, frozen, meter, type Sample } from "./reasoners-sample.js";

/**
 * What every adapter of Grader, Rewriter, Generator and Checker promises, asked in English and in Chinese. A role that is
 * left out is not tested.
 * @param options.mayFail whether a role may throw EndpointError, MalformedReplyError or BudgetSpentError instead of
 * answering, as small models often do. Default false.
 */
export function reasonersContract(open: () => Promise<Partial<Reasoners>>, { mayFail = false } = {}): ContractTest[] {
  /** The result, or undefined after a model error if the adapter may fail. Any other error is thrown. */
  const outcome = async <T>(work: Promise<T> | undefined): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (mayFail && isModelFailure(error)) return undefined;
      throw error;
    }
  };
  return [ENGLISH, CHINESE].flatMap((sample) =>
    contractOf(PROMISES, async (promise) => promise({ roles: await open(), sample, outcome })).map(({ name, run }) => ({
      name: `${name} (${sample.language})`,
      run,
    })),
  );
}

interface Tested {
  roles: Partial<Reasoners>;
  sample: Sample;
  outcome<T>(work: Promise<T> | undefined): Promise<T | undefined>;
}

const taskOf = ({ question, language, evidence }: Sample) => ({ question, language, evidence });
const gradingOf = (sample: Sample) => ({
  ...taskOf(sample),
  evidence: sample.evidence.map((piece) => ({ ...piece, strips: [], relevance: 0 })),
});
const generatingOf = (sample: Sample) => ({ ...taskOf(sample), intent: "other" as const });
const claimsOf = ({ evidence }: Sample): DraftClaim[] =>
  evidence.slice(0, 2).map(({ id, text }) => ({ text, citations: [{ evidenceId: id, quote: text }] }));

const PROMISES: Promises<Tested> = {
  "grades every strip of every piece of evidence from 0 to 1": async ({ roles: { grader }, sample, outcome }) => {
    const grade = await outcome(grader?.grade(frozen(gradingOf(sample)), meter().call));
    if (!grade) return;
    const expected = sample.evidence.map(({ text }) => strips(text).length);
    assert.deepEqual(
      grade.relevance.map((row) => row.length),
      expected,
    );
    for (const value of grade.relevance.flat()) assert.ok(value >= 0 && value <= 1, `${value}`);
    assert.ok(["full", "partial", "none", "unknown"].includes(grade.answerability));
    for (const entity of grade.entities) assert.ok(sample.question.includes(entity), entity);
    if (grade.missing) assert.equal(languageOf(grade.missing), sample.language);
  },

  "finds no answer without evidence": async ({ roles: { grader, generator }, sample, outcome }) => {
    const grade = await outcome(grader?.grade(frozen({ ...gradingOf(sample), evidence: [] }), meter().call));
    if (grade) assert.deepEqual(grade.relevance, []);
    if (grade) assert.ok(["none", "unknown"].includes(grade.answerability), grade.answerability);
    const draft = await outcome(generator?.generate(frozen({ ...generatingOf(sample), evidence: [] }), meter().call));
    if (draft) assert.deepEqual(draft.claims, []);
  },

  "cites only the given evidence, and emits each claim once, in order": async ({
    roles: { generator },
    sample,
    outcome,
  }) => {
    const told: DraftClaim[] = [];
    const draft = await outcome(
      generator?.generate(frozen(generatingOf(sample)), meter().call, (claim) => told.push(claim)),
    );
    if (!draft) return;
    const ids = sample.evidence.map(({ id }) => id);
    for (const claim of draft.claims) {
      assert.notEqual(claim.text, "");
      assert.ok(claim.citations.length > 0);
      for (const { evidenceId } of claim.citations) assert.ok(ids.includes(evidenceId), evidenceId);
    }
    assert.equal(new Set(told.map((claim) => JSON.stringify(claim))).size, told.length);
    assert.deepEqual(
      told.filter((claim) => draft.claims.some((kept) => same(kept, claim))),
      unique(draft.claims),
    );
  },

  "returns one judgement per claim": async ({ roles: { checker }, sample, outcome }) => {
    if (!checker) return;
    const claims = claimsOf(sample);
    const judgements = await outcome(checker.check(frozen({ ...taskOf(sample), claims }), meter().call));
    if (!judgements) return;
    assert.equal(judgements.length, claims.length);
    for (const { verdict } of judgements)
      assert.ok(["supported", "contradicted", "unsupported"].includes(verdict), verdict);
    assert.deepEqual(await checker.check(frozen({ ...taskOf(sample), claims: [] }), meter().call), []);
  },

  "rewrites to one short query in the question's language": async ({ roles: { rewriter }, sample, outcome }) => {
    const asked = frozen({ ...taskOf(sample), queries: [sample.question], missing: "" });
    const query = await outcome(rewriter?.rewrite(asked, meter().call));
    if (query === undefined) return;
    assert.notEqual(query.trim(), "");
    assert.doesNotMatch(query, /[\r\n]/);
    assert.ok(query.length <= 2 * sample.question.length + 60, query);
    assert.equal(languageOf(query), sample.language);
  },

  "rewrites a follow-up in its language, and leaves a first question unchanged": async ({
    roles: { rewriter },
    sample,
    outcome,
  }) => {
    if (!rewriter) return;
    assert.equal(await rewriter.standalone(sample.question, [], meter().call), sample.question);
    const history = [{ question: sample.question, answer: sample.evidence[0]?.text ?? "" }];
    const said = await outcome(rewriter.standalone(sample.followUp, frozen(history), meter().call));
    if (said === undefined) return;
    assert.notEqual(said.trim(), "");
    assert.equal(languageOf(said), sample.language);
  },

  "fails with the reason of an earlier abort, if at all, and spends nothing": async ({ roles, sample }) => {
    const { grader, rewriter, generator, checker } = roles;
    const reason = new Error("changed my mind");
    const { call, spent } = meter({ signal: AbortSignal.abort(reason) });
    const history = [{ question: sample.question, answer: "" }];
    const ends = await Promise.allSettled([
      grader?.grade(gradingOf(sample), call),
      rewriter?.rewrite({ ...taskOf(sample), queries: [], missing: "" }, call),
      rewriter?.standalone(sample.followUp, history, call),
      generator?.generate(generatingOf(sample), call),
      checker?.check({ ...taskOf(sample), claims: claimsOf(sample) }, call),
    ]);
    // A task that needs no time may still succeed.
    for (const end of ends) if (end.status === "rejected") assert.equal(end.reason, reason);
    assert.deepEqual(spent, []);
  },

  "makes no call if the budget allows none": async ({ roles: { grader, generator }, sample }) => {
    const { call, spent } = meter({ calls: 0 });
    const works = [grader?.grade(gradingOf(sample), call), generator?.generate(generatingOf(sample), call)];
    for (const end of await Promise.allSettled(works))
      if (end.status === "rejected") assert.ok(end.reason instanceof BudgetSpentError, String(end.reason));
    assert.deepEqual(spent, []);
  },
};

const same = (a: DraftClaim, b: DraftClaim) => JSON.stringify(a) === JSON.stringify(b);

const unique = (claims: readonly DraftClaim[]) =>
  claims.filter((claim, i) => claims.findIndex((other) => same(other, claim)) === i);
