import { reasonInWords } from "../answer/messages/index.js";
import { languageOf } from "../text/language.js";
import type { About } from "./evaluate.js";
import { type Compared, type Demand, type Figure, pairsOf } from "./metrics.js";
import { Outcome, type ScoredRow } from "./score.js";
import {
  byModelInWords,
  countOutcomes,
  escapeXml,
  figureTable,
  formatValue,
  OUTCOME_WORDS,
  questionCount,
  wentWell,
} from "./summary.js";

interface Report {
  compared: Compared;
  about: About;
  figures: readonly Figure[];
  demands: readonly Demand[];
}

/** One page of HTML that loads nothing and runs no scripts. Text from documents and models is escaped. */
export const htmlReport = ({ compared, about, figures, demands }: Report): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>emend eval</title>
<style>${STYLE}</style>
</head>
<body>
<h1>emend eval</h1>
<p>${questionCount(compared)}. ${Object.entries(about)
  .filter(([name, value]) => name !== "content" && value !== "[]")
  .map(([name, value]) => `${name} <b>${escapeXml(String(value))}</b>`)
  .join(" · ")}</p>
${demands.map(demand).join("\n")}
<h2>Scores</h2>
${scores(figures, compared)}
<h2>Outcomes</h2>
${legend(compared)}
${outcomes(compared)}
<h2>Questions</h2>
${questions(compared)}
</body>
</html>
`;

const demand = ({ name, value, demand, isMet }: Demand) =>
  `<p class="${isMet ? "good" : "bad"}">${isMet ? "✓" : "✗"} ${name} is ${formatValue(value)}: ${demand} is demanded.</p>`;

function scores(found: readonly Figure[], compared: Compared): string {
  const [head = [], ...rows] = figureTable(found, compared);
  const cells = (row: readonly string[], tag: string) =>
    row.map((cell) => `<${tag}>${escapeXml(cell)}</${tag}>`).join("");
  const verdict = ({ falls, differenceInterval }: Figure) =>
    !differenceInterval || (differenceInterval.low <= 0 && differenceInterval.high >= 0)
      ? ""
      : differenceInterval.low > 0 === falls
        ? "bad"
        : "good";
  return `<table><thead><tr>${cells(head, "th")}</tr></thead><tbody>
${rows.map((row, i) => `<tr class="${found[i] ? verdict(found[i]) : ""}">${cells(row, "td")}</tr>`).join("\n")}
</tbody></table>
<p class="note">All intervals are 95 % bootstrap intervals; those of differences are over the questions that both were asked. A difference is coloured if its interval excludes 0. ${byModelInWords(compared)}</p>`;
}

const systems = ({ measured, beside }: Compared) => [measured, ...(beside ? [beside] : [])];

const legend = (compared: Compared) =>
  `<p class="legend">${countOutcomes(systems(compared).flatMap(({ rows }) => rows))
    .map(([outcome]) => `<span><i class="${outcome}"></i> ${OUTCOME_WORDS[outcome]}</span>`)
    .join(" ")}</p>`;

/** A bar for each tag and language. */
function outcomes(compared: Compared): string {
  const tags = (row: ScoredRow) => [LANGUAGES[languageOf(row.question)], ...row.tags];
  const all = [...new Set(compared.measured.rows.flatMap(tags))];
  const lines = ["all", ...all].flatMap((tag) =>
    systems(compared).map(({ name, rows }, i) => {
      const some = tag === "all" ? rows : rows.filter((row) => tags(row).includes(tag));
      const parts = countOutcomes(some).map(
        ([outcome, n]) =>
          `<i class="${outcome}" style="flex:${n}" title="${OUTCOME_WORDS[outcome]}: ${n}">${n / some.length > 0.04 ? n : ""}</i>`,
      );
      return `<tr><th>${i === 0 ? escapeXml(tag) : ""}</th><td>${compared.beside ? escapeXml(name) : ""}</td><td>${some.length}</td><td class="wide"><div class="bar">${parts.join("")}</div></td></tr>`;
    }),
  );
  return `<table class="outcomes"><tbody>${lines.join("\n")}</tbody></table>`;
}

const LANGUAGES = { en: "English", zh: "Chinese", other: "other languages" };

/** Every question, worst outcome first. */
function questions({ measured, beside }: Compared): string {
  const others = new Map(beside ? pairsOf(measured.rows, beside.rows).map(([row, other]) => [row, other]) : []);
  return Outcome.options
    .flatMap((outcome) => measured.rows.filter((row) => row.outcome === outcome))
    .map((row) => {
      const other = others.get(row);
      const columns = [`<div>${beside ? `<h3>${escapeXml(measured.name)}</h3>` : ""}${reply(row)}</div>`];
      if (beside && other) columns.push(`<div><h3>${escapeXml(beside.name)}</h3>${reply(other)}</div>`);
      const changed =
        other && other.outcome !== row.outcome
          ? ` <small>${escapeXml(beside?.name ?? "")}: ${OUTCOME_WORDS[other.outcome]}</small>`
          : "";
      return `<details class="question"><summary><i class="${row.outcome}"></i> ${escapeXml(row.question)} <small>${OUTCOME_WORDS[row.outcome]}</small>${changed}</summary>
<p>Expected: ${row.answerable ? escapeXml(row.expected.join(" · ")) : "no answer"}${row.tags.length > 0 ? ` <small>${escapeXml(row.tags.join(", "))}</small>` : ""}</p>
<div class="columns">${columns.join("")}</div></details>`;
    })
    .join("\n");
}

function reply(row: ScoredRow): string {
  const { notes, statements, contexts, scores, text, usage } = row;
  const list = (items: readonly string[]) =>
    items.length > 0 ? `<ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>` : "";
  const part = (title: string, inside: string) =>
    inside ? `<details><summary>${title}</summary>${inside}</details>` : "";
  const claims = statements.map(
    (one) =>
      `<span class="${one.supported ? "good" : "bad"}">${one.supported ? "✓" : "✗"}</span> ${escapeXml(one.text)}${one.citations
        .map(
          ({ quotes, source, precise }) =>
            `<blockquote class="${precise ? "" : "bad"}">${quotes.map(escapeXml).join("<br>")}<br><small>${escapeXml(source)}</small></blockquote>`,
        )
        .join("")}`,
  );
  const path = notes.path ?? [];
  const steps = path.map(
    ({ step, to, reason, calls, tokens, milliseconds }) =>
      `<tr><td>${escapeXml(step)}</td><td>${escapeXml(to)}</td><td>${calls}</td><td>${tokens}</td><td>${Math.round(milliseconds)}</td><td>${escapeXml(reasonInWords({ reason, to }, "en"))}</td></tr>`,
  );
  return [
    `<p class="said">${escapeXml(text) || "(nothing)"}</p>`,
    wentWell(row) ? "" : `<p class="bad">${OUTCOME_WORDS[row.outcome]}: ${escapeXml(row.why)}</p>`,
    list(
      (notes.failures ?? []).map(
        ({ tag, evidence, remedy }) => `<b>${tag}</b> ${escapeXml(evidence)} ${escapeXml(remedy)}`,
      ),
    ),
    part(`Statements (${claims.length})`, list(claims)),
    part(
      "Left out by the check",
      list(
        (notes.rejected ?? []).map((one) => `<del>${escapeXml(one.text)}</del> ${escapeXml(reasonInWords(one, "en"))}`),
      ),
    ),
    part(
      `Retrieved (${contexts.length})`,
      list(
        contexts.map(
          (one) =>
            `<span class="${one.relevant ? "good" : ""}">${one.relevant ? "✓" : "·"}</span> <b>${escapeXml(one.source)}</b><br>${escapeXml(one.text)}`,
        ),
      ),
    ),
    part(
      `Route: ${path.map(({ step }) => escapeXml(step)).join(" → ")}`,
      steps.length > 0
        ? `<table><thead><tr><th>step</th><th>next</th><th>calls</th><th>tokens</th><th>ms</th><th>why</th></tr></thead><tbody>${steps.join("")}</tbody></table>`
        : "",
    ),
    `<p class="note">${Object.entries(scores)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name} ${formatValue(value)}`)
      .join(
        " · ",
      )} · ${usage.calls} calls · ${usage.inputTokens + usage.outputTokens} tokens · ${row.seconds.toFixed(2)} s</p>`,
    list(row.faults.map(escapeXml)),
  ].join("\n");
}

/** The style of the report: system fonts, light and dark, and every question open when printed. */
const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8d8d8, #444); --soft: light-dark(#666, #aaa);
  --good: light-dark(#16723c, #5fc98a); --bad: light-dark(#b3261e, #ff8f85); --mark: light-dark(#2b5fb8, #8ab4ff) }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem;
  background: light-dark(#fff, #17181a); color: light-dark(#1a1a1a, #e6e6e6) }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem } h3 { font-size: 1rem; margin: 0 }
table { border-collapse: collapse } th, td { text-align: right; padding: .2rem .7rem; border-bottom: 1px solid var(--line);
  font-variant-numeric: tabular-nums; vertical-align: top; font-weight: normal }
th:first-child, td:first-child { text-align: left } thead th { color: var(--soft) }
.outcomes { width: 100% } .wide { width: 70% }
.bar { display: flex; gap: 2px } .bar i { color: #fff; text-align: center; font-style: normal; min-width: 3px; border-radius: 2px; white-space: nowrap }
.note, small, .legend { color: var(--soft); font-size: .85rem } .legend span { margin-right: 1rem; white-space: nowrap }
.legend i, summary i { display: inline-block; width: .8em; height: .8em; border-radius: 2px }
.right { background: #16723c } .refusedRightly { background: #3d8f9e } .wrong { background: #b3261e }
.answeredUnanswerable { background: #7d1010 } .failed { background: #333 } .refusedWrongly { background: #a06a00 }
.unsureRightly { background: #6a7d2f } .unsureWrongly { background: #8a6d4f } .unsureOfUnanswerable { background: #6b6f8c }
.good { color: var(--good) } .bad { color: var(--bad) }
.question { border-bottom: 1px solid var(--line); padding: .4rem 0 } .question > summary { cursor: pointer }
.columns { display: flex; gap: 2rem; flex-wrap: wrap } .columns > div { flex: 1 1 20rem; min-width: 0; overflow-wrap: anywhere }
.columns td { white-space: nowrap } .columns td:last-child { text-align: left; white-space: normal } .said { white-space: pre-wrap } blockquote { margin: .2rem 0 .2rem 1rem; color: var(--soft) }
@media (max-width: 40rem) { body > table:not(.outcomes) { display: block; overflow-x: auto } }
@media print { body { max-width: none; margin: 0; font-size: 11px } .question::details-content { content-visibility: visible; height: auto }
  .question { break-inside: avoid } i { print-color-adjust: exact; -webkit-print-color-adjust: exact } }
`;
