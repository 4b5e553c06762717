import { reasonInWords } from "../answer/messages/index.js";
import { toError } from "../errors.js";
import { visible } from "../text/decode.js";
import { isUncertain } from "../text/marks.js";
import { CHECKING, SETTLED } from "../thresholds.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import {
  type CheckedClaim,
  type CheckStage,
  type DraftClaim,
  holds,
  type Report,
  type StageCount,
} from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence } from "../types/evidence.js";
import type { Language } from "../types/language.js";
import type { Checker } from "../types/reasoners.js";
import { isTimeUp } from "../waiting.js";
import { byChecker } from "./by-checker.js";
import { byEntailment } from "./by-entailment.js";
import {
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
  wholeSentences,
} from "./stages.js";

/** The tools of the cascade besides code. Stages without their tool are skipped. */
export interface CheckingTools {
  /** A chat model, asked about all claims that exact code does not find in their sources. Its verdicts are final. */
  checker?: Checker;
  /** Judges what is left in doubt: all of it without a checker. Without the encoder, `verify` compares words. */
  encoder?: Encoder;
  /** Asked last, about claims that state the value of a relation of an entity. */
  knowledge?: KnowledgeGraph;
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
  const isTrusted = checker !== undefined && (await trusted(checker, call));
  const cascade: readonly [CheckStage, Stage | false | undefined][] = [
    ["citations", byCitations],
    ["statements", byStatements],
    ["checker", checker && isTrusted && byChecker(checker, encoder)],
    ["entailment", encoder ? byEntailment(encoder) : task.find && byWords],
    ["graph", knowledge && byGraph(knowledge)],
  ];
  let all = task.claims.map(unsettled);
  const stages: StageCount[] = [];
  for (const [stage, judge] of cascade) {
    const doubts = all.filter(({ checked }) => checked.settledBy === undefined);
    const isCode = stage === "citations" || stage === "statements";
    if (!judge || doubts.length === 0 || (isTimeUp(call.signal) && !isCode)) continue;
    const started = performance.now();
    const { findings, calls } = await asked(stage, judge, doubts);
    const isOpen = isTrusted && isCode;
    all = all.map((one) => withFinding(one, opened(findings[doubts.indexOf(one)], isOpen), stage));
    stages.push({ stage, asked: doubts.length, settled: 0, calls, milliseconds: performance.now() - started });
  }
  const claims = all.map(
    ({ checked, tentative }): CheckedClaim =>
      withDoubt(tentative ? { ...checked, settledBy: tentative } : checked, task.evidence),
  );
  const settledBy = (stage: CheckStage) => claims.filter((claim) => claim.settledBy === stage).length;
  return { claims, stages: stages.map((count) => ({ ...count, settled: settledBy(count.stage) })) };

  async function asked(stage: CheckStage, judge: Stage, doubts: typeof all) {
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
      call.fault(
        toError(error),
        stage === "entailment" ? "encoder" : stage === "graph" ? "knowledge_graph" : undefined,
      );
      return { findings: [], calls };
    }
  }
}

/** A checker that cannot be tried is not trusted. */
async function trusted(checker: Checker, call: Call): Promise<boolean> {
  try {
    return (await checker.leads?.(call)) ?? true;
  } catch (error) {
    if (!isTimeUp(call.signal)) call.signal.throwIfAborted();
    call.fault(toError(error));
    return false;
  }
}

/** Checks one claim by exact code alone, while its draft is still being written. */
export function checkByCode(claim: DraftClaim, evidence: readonly Evidence[]): CheckedClaim {
  const found = withFinding(unsettled(claim), checkCitations(claim, { evidence }), "citations");
  const { checked } = found.checked.settledBy
    ? found
    : withFinding(found, checkStatements(found.checked, evidence), "statements");
  return withDoubt(checked, evidence);
}

/** A claim that rests on words of a scan that were read with doubt is only likely. */
function withDoubt(checked: CheckedClaim, evidence: readonly Evidence[]): CheckedClaim {
  if (checked.verdict !== "supported") return checked;
  const isDoubtful = checked.quotes.some((quote) => isUncertain(wholeSentences(quote, evidence)));
  if (!isDoubtful) return checked;
  const probability = Math.min(checked.probability ?? 1, CHECKING.readWithDoubt);
  return { ...checked, verdict: "likely", reason: { code: "read_with_doubt" }, probability };
}

const unsettled = (claim: DraftClaim): Doubt => ({
  claim,
  checked: {
    text: visible(claim.text),
    ...(claim.form && { form: claim.form }),
    verdict: "unsupported",
    reason: { code: "unchecked" },
    quotes: [],
  },
});

/** What exact code finds against a claim only opens it for a checker, which reads more than the quotes. */
const opened = (finding: Finding | undefined, isOpen: boolean): Finding | undefined =>
  isOpen && finding?.verdict && finding.verdict !== "supported" && !FINAL.has(finding.reason?.code ?? "")
    ? { ...finding, tentative: true }
    : finding;

/**
 * Exact code alone decides on these: faults of the claim itself, addresses and markup that its sources do not have, and
 * figures that need rows which nobody has read.
 */
const FINAL: ReadonlySet<string> = new Set(["added", "no_source", "no_statement", "not_computed", "too_long"]);

function withFinding(doubt: Doubt, { tentative = false, ...finding }: Finding = {}, stage: CheckStage): Doubt {
  if (!finding.verdict) return { ...doubt, checked: { ...doubt.checked, ...finding } };
  const { wrong: _, ...known } = doubt.checked;
  const checked = { ...known, ...finding };
  const probability = finding.probability ?? probabilityOf(checked, stage);
  return {
    claim: doubt.claim,
    checked: { ...checked, ...(probability !== undefined && { probability }), ...(!tentative && { settledBy: stage }) },
    ...(tentative && { tentative: stage }),
  };
}

const probabilityOf = (checked: CheckedClaim, stage: CheckStage): number | undefined =>
  stage === "entailment"
    ? undefined
    : SETTLED[stage === "checker" ? "model" : "code"][holds(checked) ? "holds" : "fails"];

/** Makes a report, with a suggestion for what to correct, in this language. */
export function reportOn(
  { claims, stages }: Checked,
  language: Language,
  rest: Pick<Report, "contextSufficiency" | "missing" | "unsure">,
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
