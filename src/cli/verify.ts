import { messagesIn, reasonInWords, withReasonsInWords } from "../answer/messages/index.js";
import { type CitedText, cite } from "../checking/cite.js";
import { asWritten, type Verification, type VerifiedClaim, verify } from "../checking/verify.js";
import { sanitizeMarkdown } from "../citing/sanitize-markdown.js";
import { languageOf } from "../text/language.js";
import { findQuote } from "../text/quotes.js";
import { holds } from "../types/answer.js";
import { settingsOf, usingTools } from "./open.js";
import type { Options } from "./options.js";
import { CHECKING, progress } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { escapedJson, type Look, oneLine, screen, stripControls, truncated, warn, wrap } from "./screen.js";
import { quotesOf } from "./transcript.js";

/** `emend verify`: checks a text against sources, sentence by sentence. */
export const verifyCommand: CommandRun = async ([path = ""], options, signal) => {
  const out = screen(process.stdout);
  const { text, found } = await checked(verify, path, options, signal);
  found.faults.forEach(warn);
  out.write(
    options.json ? `${escapedJson(withReasonsInWords(found, languageOf(text)))}\n` : `${verdicts(text, found, out)}\n`,
  );
  return found.claims.every(holds) ? EXIT.done : EXIT.notAnswered;
};

/** `emend cite`: prints a text with citations and a list of sources, and on stderr the statements without a source. */
export const citeCommand: CommandRun = async ([path = ""], options, signal) => {
  const { text, found } = await checked(cite, path, options, signal);
  found.faults.forEach(warn);
  process.stdout.write(
    options.json ? `${escapedJson(withReasonsInWords(found, languageOf(text)))}\n` : citedText(found),
  );
  uncited(found).forEach(warn);
  return found.references.length > 0 ? EXIT.done : EXIT.notAnswered;
};

/** Reads a text and its sources, and checks it. Sources that cannot be read are named on stderr. */
async function checked<Found>(
  check: (text: string, sources: Parameters<typeof verify>[1], options: Parameters<typeof verify>[2]) => Promise<Found>,
  path: string,
  options: Options,
  signal: AbortSignal,
) {
  using line = progress();
  line.say("Reading the sources");
  const { loadDocuments, readText } = await import("../ingest/load.js");
  const text = await readText(path);
  const { documents, failures } = await loadDocuments(options.sources ?? [], { signal });
  for (const { path: file, reason } of failures) warn(`${file}: ${reason}`);
  const sources = documents.map(({ documentId: id, title, uri, text }) => ({ id, title, uri, text }));
  line.say(CHECKING);
  await using tools = await usingTools(settingsOf(options));
  return { text, found: await check(text, sources, { tools, signal }) };
}

/** Lists each statement with its verdict, its unsupported words and the nearest quotes, and the counts at the end. */
function verdicts(text: string, { claims, references, report }: Verification, { width, paint }: Look): string {
  const language = languageOf(text);
  const lines = claims.flatMap((claim) => [
    `${paint(COLOURS[claim.verdict], MARKS[claim.verdict])} ${underlined(text, claim, { width, paint })}`,
    ...(claim.verdict === "supported" ? [] : [wrap(stripControls(reasonInWords(claim, language)), width, "  ")]),
    ...missing(claim).map((words) => wrap(`Not in the sources: ${words}`, width, "  ")),
    ...quotes(claim, references).map((line) => paint("dim", wrap(line, width, "    "))),
  ]);
  const count = (verdict: VerifiedClaim["verdict"]) => claims.filter((claim) => claim.verdict === verdict).length;
  const counts = (["supported", "likely", "unsupported", "contradicted"] as const).map(
    (verdict) => `${count(verdict)} ${verdict}`,
  );
  const legend = count("likely") > 0 ? [wrap(LEGEND, width)] : [];
  const stages = report.stages.map(({ stage, asked, settled }) => `${stage} ${settled} of ${asked}`);
  const summary = claims.length === 0 ? "The text states nothing that could be checked." : `${counts.join(", ")}.`;
  return [...lines, summary, ...legend, ...(stages.length > 0 ? [`Settled by ${stages.join(", ")}.`] : [])].join("\n");
}

/** Wraps a claim, and underlines the words that the sources do not support. */
function underlined(text: string, claim: VerifiedClaim, { width, paint }: Look): string {
  const lines = wrap(stripControls(claim.text), width, "  ").trimStart();
  const spans = claim.wrong.map(({ start, end }) => ({ start: start - claim.start, end: end - claim.start }));
  let [out, at] = ["", 0];
  for (const { start, end } of asWritten(text.slice(claim.start, claim.end), spans, lines)) {
    const words = lines.slice(start, end).replace(/\S+/g, (word) => paint("underline", word));
    out += lines.slice(at, start) + words;
    at = end;
  }
  return out + lines.slice(at);
}

/** Lists the words that the sources do not support, unless a quote has them, where they are about something else. */
function missing({ wrong, citations }: VerifiedClaim): string[] {
  const listed = wrong
    .filter(({ text }) => !citations.some(({ quote }) => findQuote(quote, text)))
    .map(({ text }) => `“${stripControls(text).replace(/\s+/g, " ")}”`);
  return listed.length > 0 ? [listed.join(", ")] : [];
}

const quotes = ({ citations }: VerifiedClaim, references: Verification["references"]) =>
  citations.map(({ quote, reference }) => {
    const { uri = "" } = references.find(({ number }) => number === reference) ?? {};
    return stripControls(`“${quote.replace(/\s+/g, " ")}” ${uri}`);
  });

const LEGEND = `~ Likely: more likely than not, and neither exact code nor a model is sure of it. Read the quote.`;
const MARKS = { supported: "✓", likely: "~", unsupported: "?", contradicted: "✗" } as const;
const COLOURS = { supported: "green", likely: "cyan", unsupported: "yellow", contradicted: "red" } as const;

function citedText({ text, references, claims }: CitedText): string {
  const whole = stripControls(text);
  if (references.length === 0) return whole;
  const language = languageOf(text);
  const lines = references.flatMap(({ number, title, uri }) => {
    const quotes = quotesOf(number, claims).map((quote) => `    “${quote}”`);
    return [`[${number}] ${sanitizeMarkdown(title === uri ? uri : `${title} (${uri})`)}`, ...quotes];
  });
  return `${whole}${whole.endsWith("\n") ? "" : "\n"}\n${messagesIn(language).sources}\n${lines.join("\n")}\n`;
}

/** Lists the statements without a source, with their line numbers. */
function uncited({ bare, claims }: CitedText): string[] {
  const without = claims.filter(
    ({ citations, kind }) => citations.length === 0 && kind !== "lead" && kind !== "question",
  );
  if (without.length === 0) return [];
  const line = (at: number) => bare.slice(0, at).split("\n").length;
  const listed = without
    .slice(0, MAX_LISTED)
    .map(({ text, start }) => `line ${line(start)}: ${truncated(oneLine(text), 160)}`);
  const more = without.length > MAX_LISTED ? [`and ${without.length - MAX_LISTED} more: see --json`] : [];
  return [`No source found for ${without.length} of ${claims.length} statements:`, ...listed, ...more];
}

const MAX_LISTED = 20;
