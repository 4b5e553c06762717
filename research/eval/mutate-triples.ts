import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { shuffled } from "../../src/evaluate/statistics.js";
import { BadDataError } from "./data.js";
import { readJsonLines } from "./sets/files.js";
import { readReading } from "./sets/reading.js";

/** A sentence of a paragraph that answers a question: what true and false claims are made from. */
export interface Triple {
  id: string;
  language: "en" | "zh";
  /** Which half of the data it belongs to; the same for every sentence of a paragraph. */
  half: "tune" | "held-out";
  paragraph: Paragraph;
  question: string;
  /** As the sentence has it. */
  answer: string;
  sentence: string;
  /** What a claim about it quotes: the sentence, in one of three with a neighbour. It is in the paragraph verbatim. */
  quote: string;
}

export interface Paragraph {
  id: string;
  article: string;
  text: string;
}

/**
 * The triples of reading sets: files in SQuAD's format (XQuAD, CMRC 2018; .json) or with one question per line (SQuAD
 * 2.0; .jsonl), or folders with such files. Each sentence comes once, with the first question it answers.
 * @throws BadDataError if there is no such path, a file has another format, or nothing is found.
 */
export function readTriples(paths: readonly string[]): Triple[] {
  const triples = paths.flatMap(filesAt).flatMap((path) => triplesIn(path));
  if (triples.length === 0) throw new BadDataError(`${paths.join(", ")}: holds no question with an answer.`);
  return triples;
}

function filesAt(path: string): string[] {
  if (!existsSync(path)) throw new BadDataError(`${path}: there is no such file.`);
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => /\.jsonl?$/.test(name))
    .toSorted()
    .map((name) => join(path, name));
}

const Lines = z.array(
  z.object({ id: z.string(), context: z.string(), question: z.string(), answers: z.array(z.string()) }),
);

interface Asked {
  id: string;
  question: string;
  answers: readonly string[];
  paragraph: Paragraph;
}

function triplesIn(path: string): Triple[] {
  const seen = new Set<string>();
  return asked(path).flatMap((item) => {
    const found = withAnswer(item);
    const key = `${item.paragraph.text}\n${found?.sentence}`;
    if (!found || seen.has(key)) return [];
    seen.add(key);
    return [{ ...found, id: item.id, question: item.question, paragraph: item.paragraph }];
  });
}

function asked(path: string): Asked[] {
  if (!path.endsWith(".jsonl")) {
    const own = (text: string) => `${basename(path)}:${text}`;
    return readReading(path).map((item) => ({
      ...item,
      paragraph: { ...item.paragraph, id: own(item.paragraph.id), article: own(item.paragraph.article) },
    }));
  }
  const paragraphs = new Map<string, Paragraph>();
  return readJsonLines(path, Lines).map(({ id, context, question, answers }) => {
    const number = `squad2-${paragraphs.size}`;
    const paragraph = paragraphs.get(context) ?? { id: number, article: number, text: context };
    paragraphs.set(context, paragraph);
    return { id, question, answers, paragraph };
  });
}

/** A sentence that is a heading or a page long is not a claim that a person would make. */
const LENGTHS = { en: [40, 400], zh: [12, 150] } as const;

function withAnswer({ id, answers, paragraph }: Asked) {
  const language = isChinese(paragraph.text) ? "zh" : "en";
  const [least, most] = LENGTHS[language];
  const all = sentencesOf(paragraph.text);
  for (const answer of answers) {
    const at = all.findIndex(({ text }) => answer !== "" && text.includes(answer));
    const sentence = all[at];
    if (!sentence || sentence.text.length < least || sentence.text.length > most) continue;
    const neighbour = all[at + 1] ?? sentence;
    const end = hash(id) % 3 === 0 ? neighbour.end : sentence.end;
    const quote = paragraph.text.slice(sentence.start, end).trim();
    // Without the file's name: paragraphs that are translations of one another stay together.
    const half = hash(paragraph.id.replace(/^.*:/, "")) % 2 === 0 ? ("tune" as const) : ("held-out" as const);
    return { language, half, answer, sentence: sentence.text, quote } as const;
  }
  return undefined;
}

/** Splits sentences simply, and shares no code with the product. A wrong cut only makes a shorter claim. */
export function sentencesOf(text: string): { text: string; start: number; end: number }[] {
  const found: { text: string; start: number; end: number }[] = [];
  let start = 0;
  for (const match of text.matchAll(/[。！？!?；]["”」』）]?|[.]["”)]?(?=\s+["“(]?\p{Lu})|\n/gu)) {
    const end = match.index + match[0].length;
    if (/(?:\b(?:Mr|Mrs|Dr|St|No|vs|Jr|Gen|ca|c|[A-Z])|[A-Z]\.[A-Z])\.$/.test(text.slice(start, end))) continue;
    found.push({ text: text.slice(start, end).trim(), start, end });
    start = end;
  }
  found.push({ text: text.slice(start).trim(), start, end: text.length });
  return found.filter((sentence) => sentence.text.length > 1);
}

const isChinese = (text: string) => (text.match(/\p{Script=Han}/gu)?.length ?? 0) > text.length / 4;

/** Picks an item by the key alone, so that every run picks the same. */
export const pick = <T>(items: readonly T[], key: string): T | undefined => shuffled(items, hash(key))[0];

/** FNV-1a, 32 bits. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
