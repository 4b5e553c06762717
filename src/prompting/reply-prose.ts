import { withoutThoughts } from "../text/replies.js";
import { hasWords } from "../text/tokens.js";
import { LookUp } from "../types/answer.js";
import { LINES, UNKNOWN } from "./prompts.js";
import { firstObject } from "./reply-json.js";

/** The parts of a reply in prose. A missing part is empty. */
interface Prose {
  /** The sentences of the answer; empty if the model says that it does not know. */
  text: string;
  missing: string;
  ask: string;
  /** What the model wants to look for, in order. */
  lookUps: LookUp[];
  sources: string[];
}

/**
 * Splits a reply in prose into the lines that begin with a label such as "Search:", and the answer, which is all the
 * rest: also a line that is cited or an entry of a list, unless the model does not know. A code fence around it is
 * removed. JSON is accepted too, since some models reply with it anyway: "text", "answer" or a list of claims with their
 * sources, and fields named like the labels.
 * @param mayLookUp true if the model may ask for more. It then writes nothing else: beside an answer, such a line is a part
 * of it if it is a list entry or cited, and is dropped otherwise.
 */
export function readProse(reply: string, mayLookUp = false): Prose {
  const said = withoutThoughts(reply).replace(FENCE, "$1").trim();
  if (said.startsWith("{") || said.startsWith("[{")) return inJson(said);
  const beside = new Map<string, string>();
  const lookUps: LookUp[] = [];
  const isRefusal = NOTHING.test(said);
  // Small models write a whole refusal on one line.
  const lines = (isRefusal ? said.replace(LABEL, "\n$&") : said).replace(QUERY, onOneLine);
  const isAlone = isRefusal || lines.split("\n").every((line) => !hasWords(line) || LINE.test(line));
  const text = lines.split("\n").filter((line) => {
    const [, label = "", rest = ""] = LINE.exec(line) ?? [];
    const by = LookUp.shape.by.safeParse(label.toLowerCase()).data;
    if (by) {
      const isAsked = mayLookUp && isAlone && !/\[\d+\]/.test(rest);
      if (isAsked) lookUps.push({ by, words: by === "query" ? sqlIn(rest) : wordsIn(rest) });
      return !isAsked && !isRefusal && (!mayLookUp || ENTRY.test(line) || /\[\d+\]/.test(rest));
    }
    if (label === "" || (!isRefusal && isAnswer(line, label, rest))) return true;
    if (!beside.has(label.toLowerCase())) beside.set(label.toLowerCase(), rest.replace(/^[\s*_]+|[\s*_]+$/g, ""));
    return false;
  });
  const of = (label: string) => beside.get(label.toLowerCase()) ?? "";
  return {
    text: answerIn(text.join("\n")),
    missing: of(LINES.missing),
    ask: of(LINES.ask),
    lookUps: someOf(lookUps),
    sources: of(LINES.sources).match(/\d+/g) ?? [],
  };
}

/** Each of them once, and no more than the model was told. */
const someOf = (lookUps: readonly LookUp[]): LookUp[] =>
  [...new Map(lookUps.map((one) => [JSON.stringify(one), one])).values()]
    .filter(({ by, words }) => by === "outline" || hasWords(words))
    .slice(0, MAX_LOOK_UPS);

const MAX_LOOK_UPS = 6;

/** In characters. */
const MAX_WORDS = 300;

const LABELS = Object.values(LINES).join("|");
const LABEL = new RegExp(`\\b(?:${LABELS})[:：]`, "g");
const FENCE = /^\s*```\w*\n([\s\S]*?)\n?(?:```\s*)?$/;
const LINE = new RegExp(`^[\\s*_#-]*(?:\\d{1,2}[.)][\\s*_]*)?(${LABELS})[\\s*_]*[:：](.*)$`, "i");

/**
 * True if a line that begins with a label is part of the answer: an entry of a list, or cited. The line of sources may
 * be an entry too, but of numbers alone.
 */
const isAnswer = (line: string, label: string, rest: string) =>
  label.toLowerCase() === LINES.sources.toLowerCase()
    ? ENTRY.test(line) && /\p{L}/u.test(rest)
    : ENTRY.test(line) || /\[\d+\]/.test(rest);

const QUERY = new RegExp(
  `^[\\s*_#-]*${LINES.query}[\\s*_]*[:：]\\s*(?:\`\`\`(?:sql)?\\s*\\n[\\s\\S]*?(?:\`\`\`|(?![\\s\\S]))|[^\\n]*(?:\\n(?!\\s*$|[\\s*_#-]*(?:${LABELS})[\\s*_]*[:：])[^\\n]*)*)`,
  "gim",
);

const ENTRY = /^\s*(?:[*-]|\d{1,2}[.)])\s/;

/**
 * Models say that they do not know in the question's language, or with a full stop. What they add is not an answer. Some
 * also say so after an answer, or label the answer or its source.
 */
const answerIn = (text: string): string => {
  const lines = text.split("\n").map((line) => line.replace(ANSWER, "").replace(SOURCE, "[$1] "));
  return NOTHING.test(lines.join("\n"))
    ? ""
    : lines
        .filter((line) => !NOTHING.test(line))
        .join("\n")
        .trim();
};

const ANSWER = /^[\s*_#-]*(?:answer|答案|回答)[\s*_]*[:：][\s*_]*/i;
const SOURCE = /^[\s*_#-]*(?:source|来源|资料)\s*(\d{1,3})[\s*_]*[:：][\s*_]*/i;
/** The Chinese words alone, or with “the question”: 不知道密码的员工 is no refusal. */
const NOTHING = new RegExp(
  `^[\\s"“*-]*(?:${UNKNOWN.replace("'", "['’]")}|I do not know|(?:我?不知道|无法回答)(?:答案|(?:这个|[该此您你]的?)?问题(?:的答案)?)?(?:[。，,.!！\\s*"”]|$))`,
  "i",
);

const wordsIn = (rest: string) => unquoted(rest.replace(/^\s*\*\*|\*\*\s*$/g, "").trim()).slice(0, MAX_WORDS);

/** The guard refuses a query that is too long. */
const sqlIn = (rest: string) =>
  rest
    .trim()
    .replace(/^\*\*\s*|\s*\*\*$/g, "")
    .replace(/^(`{1,3})(?:sql\b)?\s*([\s\S]*?)\s*\1$/i, "$2")
    .trim();

/** A query on several lines, or in a code fence: it ends at a blank line, at the end of the fence, or at another label. */
const onOneLine = (query: string) =>
  `${query
    .replace(/--[^\n]*/g, " ")
    .replace(/\s+/g, " ")
    .trim()}\n`;

const unquoted = (text: string) => text.replace(/^["“'「]+|["”'」.。]+$/gu, "").trim();

/** Reads lines that a reply in JSON gives as a list. */
export const lookUpsIn = (lines: readonly string[]): LookUp[] =>
  someOf(lines.flatMap((line) => readProse(line, true).lookUps));

function inJson(said: string): Prose {
  let object: Record<string, unknown> = {};
  try {
    object = Object(firstObject(said));
  } catch {
    // Cut off, or not JSON after all: none of it is shown.
  }
  const textOf = (key: string) => (typeof object[key] === "string" ? object[key].trim() : "");
  const listOf = (key: string) => (Array.isArray(object[key]) ? object[key] : []).map(String);
  const claims = Array.isArray(object.claims) ? object.claims : [];
  const sentences = claims.flatMap((claim: unknown) => {
    const { text, source, sources } = Object(claim);
    const named = [source, ...(Array.isArray(sources) ? sources : [])].map(Number).filter(Number.isInteger);
    return typeof text === "string" ? [`${text} ${named.map((n) => `[${n}]`).join("")}`] : [];
  });
  return {
    text: answerIn(textOf("text") || textOf("answer") || sentences.join("\n\n")),
    missing: textOf("missing"),
    ask: textOf("ask"),
    lookUps: lookUpsIn(listOf("look")),
    sources: listOf("sources"),
  };
}
