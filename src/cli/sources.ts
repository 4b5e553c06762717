import { phrases } from "../answer/phrases.js";
import { inert, verbatim } from "../citing/inert.js";
import type { Answer, Reference } from "../types/answer.js";
import type { Language } from "../types/evidence.js";
import { type Screen, wrap } from "./screen.js";

/**
 * The sources of an answer: where each is found, its date, the words the answer rests on, and for a fact of a graph the
 * query and the rows behind it.
 */
export function sources({ references, claims, language }: Answer, { width, paint }: Pick<Screen, "width" | "paint">) {
  const say = WORDS[language];
  const quotes = ({ number }: Reference) => [
    ...new Set(
      claims.flatMap(({ citations }) => citations.filter((c) => c.reference === number).map((c) => inert(c.quote))),
    ),
  ];
  const lines = references.flatMap((reference) => {
    const { number, source, title, section, uri, date, preview } = reference;
    // A date without a time is the document's own.
    const own = source === "web" ? say.dated(date) : say.reviewed(date);
    const when = date.length > DATE ? say.retrieved(date.slice(0, DATE)) : own;
    const place = wrap(`[${number}] ${inert(placeOf(title, section))}`, width);
    return [
      place.replace(/^\[\d+\]/, (mark) => paint("cyan", mark)),
      paint("dim", wrap([verbatim(uri), inert(when), ...(preview ? [say.preview] : [])].join(" · "), width, INDENT)),
      ...quotes(reference).map((quote) => wrap(`“${quote}”`, width, INDENT)),
      ...found(reference.provenance).map((line) => paint("dim", wrap(line, width, INDENT))),
    ];
  });
  const pages = references
    .filter(({ source, preview }) => source === "web" && !preview)
    .map(({ uri }) => shellWord(uri));
  const offer = pages.length > 0 ? [paint("dim", say.keep([...new Set(pages)]))] : [];
  return [paint("bold", phrases(language).sources), ...lines, ...offer].join("\n");
}

interface Words {
  keep: (urls: readonly string[]) => string;
  preview: string;
  reviewed: (date: string) => string;
  dated: (date: string) => string;
  retrieved: (date: string) => string;
}

const WORDS: Record<Language, Words> = {
  en: {
    keep: (urls) => `To keep it: emend ingest ${urls.join(" ")}`,
    preview: "the search engine's words; the page could not be read",
    reviewed: (date) => `reviewed ${date}`,
    dated: (date) => `dated ${date}`,
    retrieved: (date) => `retrieved ${date}`,
  },
  zh: {
    keep: (urls) => `要保存：emend ingest ${urls.join(" ")}`,
    preview: "搜索引擎的摘要；未能读取该网页",
    reviewed: (date) => `审阅于${date}`,
    dated: (date) => `日期${date}`,
    retrieved: (date) => `检索于${date}`,
  },
};

/** The query, what its parameters stand for, and the first rows, as they are. */
function found(provenance: Reference["provenance"]): string[] {
  if (!provenance) return [];
  const { cypher, parameters, rows } = provenance;
  const given = cypher && Object.keys(parameters).length > 0 ? [JSON.stringify(parameters)] : [];
  const query = [cypher, ...given].join(" ");
  const shown = rows.slice(0, ROWS).map((row) => JSON.stringify(row));
  const more = rows.length > ROWS ? [`… ${rows.length - ROWS} more rows`] : [];
  return [query, ...shown, ...more]
    .map(verbatim)
    .map(shortened)
    .filter((line) => line !== "");
}

const ROWS = 3;

/** The whole query and all rows are in the answer as JSON. */
const shortened = (line: string) => (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line);
const LONGEST = 300;

/** Many documents repeat their title as their first heading. */
const placeOf = (title: string, section: string) =>
  section === title || section.startsWith(`${title} › `) ? section : [title, section].filter(Boolean).join(" › ");

/** An address as it may be pasted into any shell: whoever named the page must not name a command. */
const shellWord = (uri: string) => {
  const safe = verbatim(uri).replace(/[ "'$`!\\^|<>]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return /[^\w:/.@%+=#-]/.test(safe) ? `"${safe}"` : safe;
};

const DATE = "2026-01-31".length;
const INDENT = "    ";
