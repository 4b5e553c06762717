import { type Compared, type Demand, type Figure, type MeasuredPair, pairsOf } from "./metrics.js";
import { Outcome, type ScoredRow } from "./score.js";

/** The outcomes in words. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  answeredUnanswerable: "answered, but there is no answer",
  wrong: "wrong",
  failed: "failed",
  refusedWrongly: "refused, but there is an answer",
  unsureWrongly: "unsure, quotes without the answer",
  unsureOfUnanswerable: "unsure, and there is no answer",
  unsureRightly: "unsure, quotes with the answer",
  right: "right",
  refusedRightly: "refused rightly",
};

export const wentWell = ({ outcome }: Pick<ScoredRow, "outcome">) =>
  outcome === "right" || outcome === "refusedRightly";

const gravity = ({ outcome }: Pick<ScoredRow, "outcome">) => Outcome.options.indexOf(outcome);

/** The rows with a bad outcome, worst first. */
export const badRows = (rows: readonly ScoredRow[]): ScoredRow[] =>
  rows.filter((row) => !wentWell(row)).toSorted((a, b) => gravity(a) - gravity(b));

/** The pairs of rows whose outcomes differ, those that became worse first. */
export const changedPairs = ({ measured, beside }: Compared): MeasuredPair[] =>
  pairsOf(measured.rows, beside?.rows ?? [])
    .filter(([row, before]) => row.outcome !== before.outcome)
    .toSorted(
      ([row, before], [other, otherBefore]) => gravity(row) - gravity(before) - gravity(other) + gravity(otherBefore),
    );

/** How often each outcome occurred, worst first. */
export const countOutcomes = (rows: readonly ScoredRow[]): [outcome: Outcome, n: number][] =>
  Outcome.options.flatMap((outcome): [Outcome, number][] => {
    const n = rows.filter((row) => row.outcome === outcome).length;
    return n > 0 ? [[outcome, n]] : [];
  });

/** Formats the value of a metric: three decimals below 10, one below 100, else none. */
export function formatValue(value: number | null, { signed = false } = {}): string {
  if (value === null) return "–";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  const text = value.toFixed(digits);
  return signed && value > 0 ? `+${text}` : text.replace("-", "−");
}

const interval = (between: Figure["interval"], options = {}) =>
  between ? `${formatValue(between.low, options)} to ${formatValue(between.high, options)}` : "";

/** The figures as rows of a table, with their head. */
export function figureTable(found: readonly Figure[], { measured, beside }: Compared): string[][] {
  const head = ["", measured.name, "95 %", ...(beside ? [beside.name, "difference", "95 %"] : [])];
  const rows = found.map((figure) => [
    figure.name,
    formatValue(figure.value),
    interval(figure.interval),
    ...(beside
      ? [
          formatValue(figure.beside),
          formatValue(figure.difference, { signed: true }),
          interval(figure.differenceInterval, { signed: true }),
        ]
      : []),
  ]);
  return [head, ...rows];
}

/** The number of questions, in words. */
export function questionCount({ measured }: Compared): string {
  const { length } = measured.rows;
  const none = measured.rows.filter(({ answerable }) => !answerable).length;
  return `${length} ${length === 1 ? "question" : "questions"}, ${none} of them without an answer`;
}

/** On how many answers a chat model was asked, what that took, and on how many it gave no verdict; empty if on none. */
export function byModelInWords({ measured, beside }: Compared): string {
  const said = [...measured.rows, ...(beside?.rows ?? [])].flatMap(({ byModel }) => byModel ?? []);
  if (said.length === 0) return "";
  const sum = (of: (one: (typeof said)[number]) => number) => said.reduce((total, one) => total + of(one), 0);
  const took = [
    `${sum(({ usage }) => usage.calls)} calls`,
    `${sum(({ usage }) => usage.inputTokens + usage.outputTokens)} tokens`,
    ...(said.some(({ cost }) => cost !== null) ? [`cost ${formatValue(sum(({ cost }) => cost ?? 0))}`] : []),
  ];
  const none = said.filter(({ isRight }) => isRight === null).length;
  return `By the model: ${said.length - none} of ${said.length} answers compared, no verdict on ${none}. Besides the above, this took ${took.join(", ")}.`;
}

/** A summary in Markdown, for a pull request or the page of a CI job. */
export function markdownSummary(compared: Compared, found: readonly Figure[], demands: readonly Demand[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapedCell).join(" | ")} |`;
  const [head = [], ...rows] = figureTable(found, compared);
  const faults = badRows(compared.measured.rows).slice(0, MAX_NAMED);
  const byModel = byModelInWords(compared);
  const list = (title: string, lines: readonly string[]) => (lines.length > 0 ? [`\n### ${title}\n`, ...lines] : []);
  return [
    `## emend eval: ${questionCount(compared)}\n`,
    line(head),
    line(head.map((_, i) => (i === 0 ? "---" : "--:"))),
    ...rows.map(line),
    ...(byModel ? [`\n${byModel}`] : []),
    ...list(
      "Demands",
      demands.map(
        ({ name, value, demand, isMet }) => `- ${isMet ? "✅" : "❌"} ${name}: ${formatValue(value)}, ${demand}`,
      ),
    ),
    ...list(
      "What went wrong",
      faults.map((row) => `- **${OUTCOME_WORDS[row.outcome]}**: ${escapedCell(row.question)} ${escapedCell(row.why)}`),
    ),
    "",
  ].join("\n");
}

const MAX_NAMED = 20;

/** Questions may contain any text. */
const escapedCell = (text: string) =>
  text
    .replace(/\s+/g, " ")
    .replace(/\p{Cc}/gu, "")
    .replace(/[\\`*[\]<>|#]/g, (mark) => `\\${mark}`);

/** JUnit XML with a test for each demand, so that a build shows which one is not met. */
export function junit(demands: readonly Demand[], { measured }: Compared): string {
  const faults = badRows(measured.rows)
    .slice(0, MAX_NAMED)
    .map(({ outcome, question, why }) => `${OUTCOME_WORDS[outcome]}: ${question} ${why}`)
    .join("\n");
  const cases = demands.map(({ name, value, demand, isMet }) => {
    const said = `${name} is ${formatValue(value)}, ${demand} is demanded`;
    const open = `    <testcase classname="emend.eval" name="${escapeXml(`${name} ${demand}`)}"`;
    return isMet
      ? `${open}/>`
      : `${open}><failure message="${escapeXml(said)}">${escapeXml(faults)}</failure></testcase>`;
  });
  const failures = demands.filter(({ isMet }) => !isMet).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<testsuites>",
    `  <testsuite name="emend eval" tests="${demands.length}" failures="${failures}">`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

/** Escapes text for XML and HTML, and removes the control characters that XML does not allow. */
export const escapeXml = (text: string) =>
  text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
