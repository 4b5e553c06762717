import { languageOf } from "../../text/language.js";
import { dateIn } from "../../tools/web/page-dates.js";

/** A message of a mail: its own, or an older one that it quotes. */
export interface Message {
  /** Who wrote it and when, as the mail says it; empty for its own message. */
  about: string;
  /** An ISO date; empty if unknown. */
  date: string;
  text: string;
}

/**
 * Separates the message of a mail from the older ones that it quotes, the newest first. These are marked by `>`, by a
 * line such as "On 5 Feb 2026, Bea wrote:" in any language, or by a copy of their header. Text is never lost.
 * @param sent the date of the mail; a quoted message is not younger.
 */
export function messagesIn(body: string, subject: string, sent: string): Message[] {
  const [own, ...older] = separated(body.split(/\r?\n/), coreOf(subject), "");
  const unnamed = languageOf(body.slice(0, 2_000)) === "zh" ? "引用的邮件" : "Quoted message";
  const dated = older.map(({ about, text }) => {
    const date = dateOf(about);
    return { about: about || unnamed, date: sent !== "" && date > sent ? "" : date, text };
  });
  return [{ about: "", date: sent, text: own?.text ?? "" }, ...dated.filter(({ text }) => text !== "")];
}

type Found = Pick<Message, "about" | "text">;

function separated(lines: readonly string[], subject: string, said: string, depth = 0): Found[] {
  const own: string[] = [];
  const older: { about: string; lines: string[] }[] = [];
  let about = said;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    if (QUOTED.test(line)) {
      const end = quoteEnd(lines, i);
      const quoted = lines.slice(i, end).map((each) => each.replace(/^\s*>[ \t]?/, ""));
      const named = attributionBefore(own);
      const last = older.at(-1);
      // A reply between the lines of a message leaves several pieces of it.
      if (named === "" && last) last.lines.push("", ...quoted);
      else older.push({ about: named, lines: quoted });
      i = end - 1;
      continue;
    }
    const header = headerAt(lines, i, subject);
    if (header) {
      older.push({ about: header.about, lines: lines.slice(header.end) });
      break;
    }
    const isFirst = depth > 0 && own.every((each) => each.trim() === "");
    const named = attributionAt(lines, i, isFirst);
    if (named && !QUOTED.test(lines.slice(named.end).find((each) => each.trim() !== "") ?? "")) {
      if (isFirst && about === "") about = named.about;
      else {
        older.push({ about: named.about, lines: lines.slice(named.end) });
        break;
      }
      i = named.end - 1;
    } else own.push(line);
  }
  const text = own.join("\n").trim();
  const inside = older.flatMap((each) =>
    depth < DEEPEST
      ? separated(each.lines, subject, each.about, depth + 1)
      : [{ about: each.about, text: each.lines.join("\n").trim() }],
  );
  return [{ about, text }, ...inside];
}

/** Quotes inside more quotes than this stay as they are. */
const DEEPEST = 50;

const QUOTED = /^\s{0,3}>/;

/** Returns the index after a quote. Blank lines between two quotes belong to it. */
function quoteEnd(lines: readonly string[], from: number): number {
  let end = from;
  for (let i = from; i < lines.length && /^\s*(?:>|$)/.test(lines[i] ?? ""); i++)
    if (QUOTED.test(lines[i] ?? "")) end = i + 1;
  return end;
}

/** Takes the line that introduces a quote from the end of the text before it. It may be wrapped. */
function attributionBefore(own: string[]): string {
  while (own.length > 0 && own.at(-1)?.trim() === "") own.pop();
  for (let count = 1; count <= 3 && count <= own.length; count++) {
    const words = inLine(own.slice(-count));
    if (!/[:：]$/.test(words) || own.at(-count)?.trim() === "") return "";
    const isShort = count === 1 && words.length <= 80 && /^[\p{L}"“]/u.test(words);
    if (saysWhen(words) || ADDRESS.test(words) || (isShort && !/^\p{Ll}/u.test(words))) {
      own.splice(-count);
      return words.replace(/\s*[:：]$/, "");
    }
  }
  return "";
}

/**
 * Returns the line that introduces a message, without its colon. Where nothing is quoted below it, it has a date and an
 * address, unless it is the first line of a quote.
 */
function attributionAt(
  lines: readonly string[],
  from: number,
  isFirst: boolean,
): { about: string; end: number } | undefined {
  for (let count = 1; count <= 3; count++) {
    const part = lines.slice(from, from + count);
    if (part.length < count || part.some((line) => line.trim() === "")) return undefined;
    const words = inLine(part);
    if (words.length > LONGEST) return undefined;
    if (!/[:：]$/.test(words)) continue;
    const isSure = saysWhen(words) && (isFirst || ADDRESS.test(words));
    return isSure ? { about: words.replace(/\s*[:：]$/, ""), end: from + count } : undefined;
  }
  return undefined;
}

const inLine = (lines: readonly string[]) => lines.join(" ").replace(/\s+/g, " ").trim();

/** In characters. */
const LONGEST = 300;

const ADDRESS = /[^\s<>@]{1,80}@[^\s<>@]{1,80}/;

const saysWhen = (words: string) => words.length <= LONGEST && /\d/.test(words) && dateOf(words) !== "";

/**
 * Returns the copied header of a message that begins at a line: the sender, the date, and the subject of this mail, or a
 * line of dashes above. The names of the fields are in any language.
 */
function headerAt(lines: readonly string[], from: number, subject: string): { about: string; end: number } | undefined {
  const line = lines[from] ?? "";
  const isMarked = RULE.test(line) || /^[\p{L} ]{3,40}[:：]\s*$/u.test(line);
  const fields: string[] = [];
  let at = from + (isMarked ? 1 : 0);
  let isWhole = false;
  for (; at < lines.length && fields.length < 8; at++) {
    const each = lines[at] ?? "";
    if (each.trim() === "") {
      if (isWhole) break;
      continue;
    }
    const value = FIELD.exec(each)?.[1];
    if (value === undefined) break;
    fields.push(value.trim());
    isWhole =
      fields.length >= 3 &&
      fields.some((field) => dateOf(field) !== "") &&
      fields.some((field) => coreOf(field) === subject);
  }
  const [sender = "", ...rest] = fields;
  const date = rest.find((field) => dateOf(field) !== "");
  const isOfMail = subject !== "" && rest.some((field) => coreOf(field) === subject);
  if (sender === "" || date === undefined || dateOf(sender) !== "") return undefined;
  if (!(isMarked && fields.length >= 2) && !(isOfMail && fields.length >= 3)) return undefined;
  return { about: `${sender.replace(/[;；]$/, "")}, ${date.replace(/[;；]$/, "")}`, end: at };
}

/** "-----Original Message-----", or a line alone. */
const RULE = /^\s*[-_=*─—]{3,}(?:\s*[\p{L} ]{2,40}\s*[-_=*─—]{3,})?\s*$/u;
/** A field of a header, such as "From: Bea" or "*Von:* Bea". */
const FIELD = /^\s*\*{0,2}\p{L}[\p{L} -]{0,20}\*{0,2}\s?[:：]\*{0,2}\s*(\S.*)$/u;

/** Returns a subject without "Re:", "AW:", 回复： and the like. */
const coreOf = (subject: string) =>
  subject
    .replace(/^(?:\s*\p{L}{1,4}(?:\[\d{1,3}\])?\s?[:：])+/u, "")
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase();

/** Returns the ISO date in a line of a mail; empty if there is none. */
function dateOf(words: string): string {
  const text = words
    .slice(0, LONGEST)
    .replace(/\b(\d{1,2}\.\d{1,2}\.)(\d\d)\b(?!\.)/, "$120$2")
    .replace(/\p{L}{3,12}\.?/gu, (name) => months().get(name.toLowerCase().replace(".", "")) ?? name)
    .replace(/(?<=\d|\p{L})\s+de\s+/gu, " ");
  return dateIn(text);
}

let named: ReadonlyMap<string, string> | undefined;

/** The names of months in languages that mail programs write, each with its English name. */
function months(): ReadonlyMap<string, string> {
  named ??= new Map(
    ["pl", "sv", "nl", "pt", "it", "es", "fr", "de", "en"].flatMap((language) =>
      ["short", "long"].flatMap((month) =>
        ENGLISH.map((name, i): [string, string] => {
          const format = new Intl.DateTimeFormat(language, {
            month: month as "short" | "long",
            day: "numeric",
            timeZone: "UTC",
          });
          const part = format.formatToParts(new Date(Date.UTC(2026, i, 1))).find(({ type }) => type === "month");
          return [(part?.value ?? name).toLowerCase().replace(".", ""), name];
        }),
      ),
    ),
  );
  return named;
}

const ENGLISH = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
