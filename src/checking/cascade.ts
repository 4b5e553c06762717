import { reasonInWords } from "../answer/messages/index.js";
import { toError } from "../errors.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import type { Checker, Task } from "../tools/models/port.js";
import {
  type CheckedClaim,
  type CheckStage,
  type DraftClaim,
  holds,
  type Report,
  type StageCount,
} from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence, Language } from "../types/evidence.js";
import { isTimeUp } from "../waiting.js";
import { byEntailment } from "./by-entailment.js";
import {
  byChecker,
  byCitations,
  byGraph,
  byStatements,
  byWords,
  type CheckingTask,
  checkCitations,
  checkStatements,
  type Doubt,
  type Finding,
  type Stage,
} from "./stages.js";
import { SETTLED } from "./thresholds.js";

/** The tools of the cascade besides code. Stages without their tool are skipped. */
export interface CheckingTools {
  /** Judges what exact code leaves in doubt. Without it, `verify` compares words. */
  encoder?: Encoder;
  /** Asked about claims that state the value of a relation of an entity. */
  knowledge?: KnowledgeGraph;
  checker?: Checker;
}

interface Checked {
  /** One for each draft claim, in order. */
  claims: CheckedClaim[];
  /** The stages that were asked, in order. */
  stages: StageCount[];
}

/**
 * Checks claims by a cascade, cheapest stage first: each sees only what those before it left in doubt. If no stage is
 * sure, the judge's tentative verdict stands; without one, the claim is unsupported. A stage that fails is reported to
 * `call.fault` and settles nothing. When the time is up, only the stages of exact code still run.
 * @throws the reason of `call.signal`, once it is aborted by anything but a deadline.
 */
export async function checkClaims(
  task: CheckingTask & { claims: readonly DraftClaim[] },
  tools: CheckingTools,
  call: Call,
): Promise<Checked> {
  const { encoder, knowledge, checker } = tools;
  const cascade: readonly [CheckStage, Stage | undefined][] = [
    ["citations", byCitations],
    ["statements", byStatements],
    ["entailment", encoder ? byEntailment(encoder) : task.find && byWords],
    ["graph", knowledge && byGraph(knowledge)],
    ["checker", checker && byChecker(checker)],
  ];
  let all = task.claims.map(unsettled);
  const stages: StageCount[] = [];
  for (const [stage, judge] of cascade) {
    const doubts = all.filter(({ checked }) => checked.settledBy === undefined);
    const isCode = stage === "citations" || stage === "statements";
    if (!judge || doubts.length === 0 || (isTimeUp(call.signal) && !isCode)) continue;
    const started = performance.now();
    const { findings, calls } = await asked(judge, doubts);
    all = all.map((one) => withFinding(one, findings[doubts.indexOf(one)], stage));
    stages.push({ stage, asked: doubts.length, settled: 0, calls, milliseconds: performance.now() - started });
  }
  const claims = all.map(
    ({ checked, tentative }): CheckedClaim => (tentative ? { ...checked, settledBy: "entailment" } : checked),
  );
  const settledBy = (stage: CheckStage) => claims.filter((claim) => claim.settledBy === stage).length;
  return { claims, stages: stages.map((count) => ({ ...count, settled: settledBy(count.stage) })) };

  async function asked(judge: Stage, doubts: typeof all): Promise<{ findings: readonly Finding[]; calls: number }> {
    let calls = 0;
    const counting: Call = {
      ...call,
      get calls() {
        return call.calls;
      },
      spent: (usage) => {
        calls += usage.calls;
        call.spent(usage);
      },
    };
    try {
      return { findings: await judge(doubts, task, counting), calls };
    } catch (error) {
      if (!isTimeUp(call.signal)) call.signal.throwIfAborted();
      call.fault(toError(error));
      return { findings: [], calls };
    }
  }
}

/** Checks one claim by exact code alone, while its draft is still being written. */
export function checkByCode(claim: DraftClaim, evidence: readonly Evidence[]): CheckedClaim {
  const found = withFinding(unsettled(claim), checkCitations(claim, { evidence }), "citations");
  return (found.checked.settledBy ? found : withFinding(found, checkStatements(found.checked, evidence), "statements"))
    .checked;
}

const unsettled = (claim: DraftClaim): Doubt => ({
  claim,
  checked: { text: claim.text, verdict: "unsupported", reason: { code: "unchecked" }, quotes: [] },
  tentative: false,
});

function withFinding(doubt: Doubt, { tentative = false, ...finding }: Finding = {}, stage: CheckStage): Doubt {
  if (!finding.verdict) return { ...doubt, checked: { ...doubt.checked, ...finding } };
  const { wrong: _, ...known } = doubt.checked;
  const checked = { ...known, ...finding };
  const probability = finding.probability ?? probabilityOf(checked, stage, doubt.checked.probability);
  return {
    claim: doubt.claim,
    checked: { ...checked, ...(probability !== undefined && { probability }), ...(!tentative && { settledBy: stage }) },
    tentative,
  };
}

/** If both a model and the judge gave a verdict, the mean. */
function probabilityOf(checked: CheckedClaim, stage: CheckStage, judged: number | undefined): number | undefined {
  if (stage === "entailment") return undefined;
  const end = holds(checked) ? "holds" : "fails";
  if (stage !== "checker") return SETTLED.code[end];
  return judged === undefined ? SETTLED.model[end] : (SETTLED.model[end] + judged) / 2;
}

/** Makes a report, with a suggestion for what to correct, in this language. */
export function reportOn(
  { claims, stages }: Checked,
  language: Language,
  rest: Pick<Report, "contextSufficiency" | "missing" | "usefulness">,
): Report {
  const rejected = claims.filter((claim) => !holds(claim));
  return {
    hallucinationDetected: rejected.length > 0,
    claims,
    stages,
    correctionSuggestion: rejected.map((claim) => `“${claim.text}”: ${reasonInWords(claim, language)}`).join("\n"),
    ...rest,
  };
}

/**
 * Asks a model about the claims that are only likely. It may reject a claim, but cannot raise the verdict of one. If it
 * fails, which is reported to `call.fault`, the claims stay as they are.
 */
export async function lowered(
  claims: readonly CheckedClaim[],
  task: Task,
  checker: Checker,
  call: Call,
): Promise<CheckedClaim[]> {
  const likely = claims.filter(({ verdict }) => verdict === "likely");
  if (likely.length === 0) return [...claims];
  try {
    const drafted = likely.map(({ text, quotes }) => ({ text, citations: quotes }));
    const judged = await checker.check({ ...task, claims: drafted }, call);
    const said = new Map(likely.map((claim, i) => [claim, judged[i]]));
    return claims.map((claim) => {
      const { verdict, reason } = said.get(claim) ?? claim;
      return holds({ verdict }) ? claim : { ...claim, verdict, reason, settledBy: "checker" };
    });
  } catch (error) {
    if (!isTimeUp(call.signal)) call.signal.throwIfAborted();
    call.fault(toError(error));
    return [...claims];
  }
}
