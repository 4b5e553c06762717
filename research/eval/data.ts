import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Language } from "../../src/types/language.js";

/** The data is not what the suite expects. The message names the file and the line. */
export class BadDataError extends Error {
  override readonly name = "BadDataError";
}

const Id = z.union([z.string().min(1), z.number()]).transform(String);

export const CorpusLine = z.object({ id: Id, title: z.string().default(""), text: z.string() });
export type CorpusLine = z.infer<typeof CorpusLine>;

export const RetrievalItem = z.object({ id: Id, question: z.string(), relevant: z.array(Id).min(1) });
export type RetrievalItem = z.infer<typeof RetrievalItem>;

export const RelevanceItem = z.object({
  id: Id,
  question: z.string(),
  passages: z.array(z.object({ id: Id, text: z.string(), relevant: z.boolean() })).min(1),
});
export type RelevanceItem = z.infer<typeof RelevanceItem>;

export const AnswerabilityItem = z.object({
  id: Id,
  question: z.string(),
  passages: z.array(z.object({ id: Id, text: z.string() })).min(1),
  answerable: z.boolean(),
  answers: z.array(z.string()).optional(),
});
export type AnswerabilityItem = z.infer<typeof AnswerabilityItem>;

export const SupportItem = z.object({
  id: Id,
  claim: z.string(),
  sources: z.array(z.string()).min(1),
  supported: z.boolean(),
});
export type SupportItem = z.infer<typeof SupportItem>;

/** The half that an item belongs to: one may be used for tuning, the other only for a final measurement. */
const Split = z.enum(["tune", "held-out"]).optional();

export const QaItem = z.object({
  id: Id,
  question: z.string(),
  answers: z.array(z.string()).default([]),
  /** What a right answer says besides one of the answers: the other part of a question, or other items of a list. */
  also: z.array(z.string()).default([]),
  answerable: z.boolean(),
  language: Language.optional(),
  split: Split,
  /** Earlier turns of the conversation, oldest first. */
  history: z.array(z.object({ question: z.string(), answer: z.string().default("") })).default([]),
});
export type QaItem = z.infer<typeof QaItem>;

export const GraphItem = z.object({
  id: Id,
  question: z.string(),
  language: z.enum(["en", "zh"]),
  /** What the question takes: "one-hop", "aggregation" … */
  kind: z.string(),
  answerable: z.boolean(),
  answers: z.array(z.string()).default([]),
  /** What a right answer does not say: the other items of a list from which the question asks for one. */
  not: z.array(z.string()).default([]),
  split: Split,
});
export type GraphItem = z.infer<typeof GraphItem>;

/**
 * Reads the items of a JSON Lines file, and skips blank lines.
 * @param fault returns what else is wrong with an item, if anything.
 * @throws BadDataError for a missing or empty file, a line that is not JSON, a field that is missing or of another
 * type, an id that comes twice.
 */
export function readLines<T extends { id: string }>(
  path: string,
  schema: z.ZodType<T>,
  fault: (item: T) => string | undefined = () => undefined,
): T[] {
  const seen = new Set<string>();
  const items = [...numbered(path)].map(([line, text]) => {
    const item = parse(`${path}:${line}`, text, schema);
    const wrong = seen.has(item.id) ? `the id ${JSON.stringify(item.id)} comes twice` : fault(item);
    if (wrong !== undefined) throw new BadDataError(`${path}:${line}: ${wrong}.`);
    seen.add(item.id);
    return item;
  });
  if (items.length === 0) throw new BadDataError(`${path}: holds no items.`);
  return items;
}

/** A retrieval suite: every id that a query names as relevant is in the corpus. */
export function readRetrieval(folder: string): { corpus: CorpusLine[]; queries: RetrievalItem[] } {
  const corpus = readLines(join(folder, "corpus.jsonl"), CorpusLine);
  const known = new Set(corpus.map((line) => line.id));
  const queries = readLines(join(folder, "queries.jsonl"), RetrievalItem, ({ relevant }) => {
    const unknown = relevant.find((id) => !known.has(id));
    return unknown === undefined ? undefined : `relevant: corpus.jsonl holds no ${JSON.stringify(unknown)}`;
  });
  return { corpus, queries };
}

/** The file itself, or the file of this name in the folder. */
export const fileIn = (path: string, name: string): string =>
  existsSync(path) && statSync(path).isDirectory() ? join(path, name) : path;

function* numbered(path: string): Generator<[line: number, text: string]> {
  if (!existsSync(path)) throw new BadDataError(`${path}: there is no such file.`);
  if (!statSync(path).isFile()) throw new BadDataError(`${path}: not a file.`);
  for (const [index, text] of readFileSync(path, "utf8")
    .replace(/^\uFEFF/, "")
    .split("\n")
    .entries()) {
    if (text.trim() !== "") yield [index + 1, text];
  }
}

function parse<T>(place: string, text: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BadDataError(`${place}: not JSON.`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new BadDataError(`${place}: ${issue?.path.join(".") || "the line"}: ${issue?.message ?? "not valid"}.`);
}
