import { phrases } from "../answer/phrases.js";
import { type CitedText, cite } from "../citing/cite.js";
import { inert } from "../citing/inert.js";
import { languageOf } from "../language/language.js";
import { readSources, readText } from "../tools/documents/ingest/read-sources.js";
import { EXIT, type Run } from "./run.js";
import { complain, escapedJson, onOneLine, plain } from "./screen.js";

/** `emend cite`: a text with markers to the files that carry it, and the list of these below; on stderr what has none. */
export const citeCommand: Run = async ([path = ""], { json, sources: paths = [] }, signal) => {
  const text = await readText(path);
  const { sources, failures } = await readSources(paths, { signal });
  for (const { path: failed, reason } of failures) complain(`${failed}: ${reason}`);
  const cited = cite(text, sources);
  process.stdout.write(json ? `${escapedJson(cited)}\n` : shown(cited));
  uncited(cited).forEach(complain);
  return cited.references.length > 0 ? EXIT.done : EXIT.notAnswered;
};

function shown({ text, references, claims }: CitedText): string {
  const whole = plain(text);
  if (references.length === 0) return whole;
  const language = languageOf(text);
  const lines = references.flatMap(({ number, title, uri }) => {
    const quotes = claims.flatMap(({ citations }) => citations.filter((c) => c.reference === number));
    const said = [...new Set(quotes.map(({ quote }) => `“${inert(quote)}”`))];
    return [`[${number}] ${inert(title === uri ? uri : `${title} (${uri})`)}`, ...said.map((quote) => `    ${quote}`)];
  });
  return `${whole}${whole.endsWith("\n") ? "" : "\n"}\n${phrases(language).sources}\n${lines.join("\n")}\n`;
}

/** What states something and has no source, with the line it stands in. */
function uncited({ bare, claims }: CitedText): string[] {
  const without = claims.filter(
    ({ citations, kind }) => citations.length === 0 && kind !== "lead" && kind !== "question",
  );
  if (without.length === 0) return [];
  const line = (at: number) => bare.slice(0, at).split("\n").length;
  const listed = without
    .slice(0, MOST_LISTED)
    .map(({ text, start }) => `line ${line(start)}: ${shortened(onOneLine(text))}`);
  const more = without.length > MOST_LISTED ? [`and ${without.length - MOST_LISTED} more: see --json`] : [];
  return [`No source found for ${without.length} of ${claims.length} statements:`, ...listed, ...more];
}

const MOST_LISTED = 20;

const shortened = (text: string) => (text.length > 160 ? `${text.slice(0, 160)}…` : text);
