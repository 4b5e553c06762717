import { reasonInWords, withReasonsInWords } from "../answer/messages/index.js";
import { asWritten, type Verification, type VerifiedClaim, verify } from "../checking/verify.js";
import { languageOf } from "../text/language.js";
import { findQuote } from "../text/quotes.js";
import { holds } from "../types/answer.js";
import { readInputs, settingsOf, usingTools } from "./open.js";
import { CHECKING, progress, READING } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { escapedJson, type Look, screen, warn, withoutControls, wrap } from "./screen.js";

/** `emend verify`: checks a text against sources, sentence by sentence. */
export const verifyCommand: CommandRun = async ([path = ""], options, signal) => {
  const out = screen(process.stdout);
  using line = progress();
  line.say(READING);
  const { text, sources } = await readInputs(path, options.sources, signal);
  line.say(CHECKING);
  await using tools = await usingTools(settingsOf(options));
  const found = await verify(text, sources, { tools, signal });
  line.stop();
  found.faults.forEach(warn);
  out.write(
    options.json ? `${escapedJson(withReasonsInWords(found, languageOf(text)))}\n` : `${shown(text, found, out)}\n`,
  );
  return found.claims.every(holds) ? EXIT.done : EXIT.notAnswered;
};

/** Lists each statement with its verdict, its unsupported words and the nearest quotes, and the counts at the end. */
function shown(text: string, { claims, references, report }: Verification, { width, paint }: Look): string {
  const language = languageOf(text);
  const lines = claims.flatMap((claim) => [
    `${paint(COLOURS[claim.verdict], MARKS[claim.verdict])} ${underlined(text, claim, { width, paint })}`,
    ...(claim.verdict === "supported" ? [] : [wrap(withoutControls(reasonInWords(claim, language)), width, "  ")]),
    ...missing(claim).map((words) => wrap(`Not in the sources: ${words}`, width, "  ")),
    ...quotes(claim, references).map((line) => paint("dim", wrap(line, width, "    "))),
  ]);
  const count = (verdict: VerifiedClaim["verdict"]) => claims.filter((claim) => claim.verdict === verdict).length;
  const verdicts = (["supported", "likely", "unsupported", "contradicted"] as const).map(
    (verdict) => `${count(verdict)} ${verdict}`,
  );
  const legend = count("likely") > 0 ? [wrap(LEGEND, width)] : [];
  const stages = report.stages.map(({ stage, asked, settled }) => `${stage} ${settled} of ${asked}`);
  const summary = claims.length === 0 ? "The text states nothing that could be checked." : `${verdicts.join(", ")}.`;
  return [...lines, summary, ...legend, ...(stages.length > 0 ? [`Settled by ${stages.join(", ")}.`] : [])].join("\n");
}

/** Wraps a claim, and underlines the words that the sources do not support. */
function underlined(text: string, claim: VerifiedClaim, { width, paint }: Look): string {
  const lines = wrap(withoutControls(claim.text), width, "  ").trimStart();
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
    .map(({ text }) => `“${withoutControls(text).replace(/\s+/g, " ")}”`);
  return listed.length > 0 ? [listed.join(", ")] : [];
}

const quotes = ({ citations }: VerifiedClaim, references: Verification["references"]) =>
  citations.map(({ quote, reference }) => {
    const { uri = "" } = references.find(({ number }) => number === reference) ?? {};
    return withoutControls(`“${quote.replace(/\s+/g, " ")}” ${uri}`);
  });

const LEGEND = `~ Likely: more likely than not, and neither exact code nor a model is sure of it. Read the quote.`;
const MARKS = { supported: "✓", likely: "~", unsupported: "?", contradicted: "✗" } as const;
const COLOURS = { supported: "green", likely: "cyan", unsupported: "yellow", contradicted: "red" } as const;
