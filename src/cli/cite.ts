import { messagesIn, withReasonsInWords } from "../answer/messages/index.js";
import { type CitedText, cite } from "../checking/cite.js";
import { inert } from "../citing/inert.js";
import { languageOf } from "../text/language.js";
import { readInputs, settingsOf, usingTools } from "./open.js";
import { CHECKING, progress, READING } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { escapedJson, oneLine, shortened, warn, withoutControls } from "./screen.js";
import { quotesOf } from "./sources.js";

/** `emend cite`: prints a text with citations and a list of sources, and on stderr the statements without a source. */
export const citeCommand: CommandRun = async ([path = ""], options, signal) => {
  using line = progress();
  line.say(READING);
  const { text, sources } = await readInputs(path, options.sources, signal);
  line.say(CHECKING);
  await using tools = await usingTools(settingsOf(options));
  const cited = await cite(text, sources, { tools, signal });
  line.stop();
  cited.faults.forEach(warn);
  process.stdout.write(options.json ? `${escapedJson(withReasonsInWords(cited, languageOf(text)))}\n` : shown(cited));
  uncited(cited).forEach(warn);
  return cited.references.length > 0 ? EXIT.done : EXIT.notAnswered;
};

function shown({ text, references, claims }: CitedText): string {
  const whole = withoutControls(text);
  if (references.length === 0) return whole;
  const language = languageOf(text);
  const lines = references.flatMap(({ number, title, uri }) => {
    const quotes = quotesOf(number, claims).map((quote) => `    “${quote}”`);
    return [`[${number}] ${inert(title === uri ? uri : `${title} (${uri})`)}`, ...quotes];
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
    .slice(0, MOST_LISTED)
    .map(({ text, start }) => `line ${line(start)}: ${shortened(oneLine(text), 160)}`);
  const more = without.length > MOST_LISTED ? [`and ${without.length - MOST_LISTED} more: see --json`] : [];
  return [`No source found for ${without.length} of ${claims.length} statements:`, ...listed, ...more];
}

const MOST_LISTED = 20;
