import type { Entailment } from "../tools/entailment/port.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import type { Call, Checker } from "../tools/reasoner/port.js";
import type { CheckedClaim, CheckStage, DraftClaim, StageCount } from "../types/answer.js";
import type { Evidence } from "../types/evidence.js";
import {
  byChecker,
  byCitations,
  byEntailment,
  byGraph,
  byStatements,
  type CheckingTask,
  citationsOf,
  type Doubt,
  type Finding,
  type Judge,
  statementsOf,
} from "./stages.js";

/** What claims are checked with beside code; what is left out is passed over. */
export interface CheckingTools {
  entailment?: Entailment;
  /** Asked about claims that state a relation between entities that it knows. */
  knowledge?: KnowledgeGraph;
  checker?: Checker;
}

export interface Checked {
  /** One a draft claim, in order. */
  claims: CheckedClaim[];
  /** The stages that were asked, in order. */
  stages: StageCount[];
}

/**
 * Checks claims by a cascade, cheapest first: each stage sees only what those before it left in doubt, and what nobody
 * settles is unsupported. A stage that fails is told by `call.fault` and settles nothing.
 * @throws the reason of `call.signal`, once it is aborted.
 */
export async function checkClaims(
  task: CheckingTask & { claims: readonly DraftClaim[] },
  tools: CheckingTools,
  call: Call,
): Promise<Checked> {
  const { entailment, knowledge, checker } = tools;
  const cascade: readonly [CheckStage, Judge | undefined][] = [
    ["citations", byCitations],
    ["statements", byStatements],
    ["entailment", entailment && byEntailment(entailment)],
    ["graph", knowledge && byGraph(knowledge)],
    ["checker", checker && byChecker(checker)],
  ];
  let all = task.claims.map(unsettled);
  const stages: StageCount[] = [];
  for (const [stage, judge] of cascade) {
    const doubts = all.filter(({ checked }) => checked.settledBy === undefined);
    if (!judge || doubts.length === 0) continue;
    const started = performance.now();
    const { findings, calls } = await asked(judge, doubts);
    all = all.map((one) => withFinding(one, findings[doubts.indexOf(one)], stage));
    const settled = all.filter(({ checked }) => checked.settledBy === stage).length;
    stages.push({ stage, asked: doubts.length, settled, calls, milliseconds: performance.now() - started });
  }
  return { claims: all.map(({ checked }) => checked), stages };

  async function asked(judge: Judge, doubts: typeof all): Promise<{ findings: readonly Finding[]; calls: number }> {
    let calls = 0;
    const counting: Call = {
      signal: call.signal,
      get calls() {
        return call.calls;
      },
      spent: (usage) => {
        calls += usage.calls;
        call.spent(usage);
      },
      fault: (error) => call.fault(error),
    };
    try {
      return { findings: await judge(doubts, task, counting), calls };
    } catch (error) {
      call.fault(error instanceof Error ? error : new Error(String(error)));
      return { findings: [], calls };
    }
  }
}

/** One claim, by its words and its quotes alone: what can be said in the middle of a draft. */
export function checkByCode(claim: DraftClaim, evidence: readonly Evidence[]): CheckedClaim {
  const found = withFinding(unsettled(claim), citationsOf(claim, { evidence }), "citations");
  return (found.checked.settledBy ? found : withFinding(found, statementsOf(found.checked), "statements")).checked;
}

const unsettled = (claim: DraftClaim): Doubt => ({
  claim,
  checked: { text: claim.text, verdict: "unsupported", reason: "", quotes: [] },
  against: false,
});

function withFinding(doubt: Doubt, { against, ...finding }: Finding = {}, stage: CheckStage): Doubt {
  const settled = finding.verdict && { settledBy: stage };
  return { ...doubt, checked: { ...doubt.checked, ...finding, ...settled }, against: against ?? doubt.against };
}
