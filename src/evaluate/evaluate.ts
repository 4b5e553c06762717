import { appendFile, readFile } from "node:fs/promises";
import { z } from "zod";
import { cannotBe, codeOf, UsageError } from "../errors.js";
import { parsedJson } from "../text/decode.js";
import { PRIVATE } from "../tools/store/make-folder.js";
import type { Ask } from "./ask.js";
import type { Question } from "./questions.js";
import { type Judge, ScoredRow, scoreReply } from "./score.js";

/** What was evaluated. A saved run is only continued if all of this is the same. */
export const About = z.object({
  emend: z.string(),
  store: z.string(),
  documents: z.number(),
  /** Changes with any document. */
  content: z.string(),
  model: z.string(),
  /** The judge: the encoder's name, or "words". */
  judge: z.string(),
  /** The conditions that documents have to meet. */
  where: z.string(),
  /** The settings per question in force, as JSON. */
  context: z.string().default("{}"),
});
export type About = z.infer<typeof About>;

export interface Saved {
  about: About;
  rows: ScoredRow[];
}

interface EvaluateOptions extends Judge {
  /** The systems that are asked, by their names. */
  systems: Readonly<Record<string, Ask>>;
  /** The number of questions asked at a time. */
  parallel: number;
  /** The most that answers and their scores may cost, in the currency of the price. Once it is reached, no further question is asked. */
  most?: number | undefined;
  /** The rows of a run that was stopped. Their questions are not asked again. */
  before: readonly ScoredRow[];
  /** Called with each row as soon as it is scored. */
  onRow: (row: ScoredRow, done: number, all: number) => Promise<void>;
}

/**
 * Asks each system every question, and returns the rows in the order of the questions; some are missing if the limit on
 * the cost was reached.
 * @throws as the systems do, and the signal's reason if aborted. The rows passed to `onRow` by then are complete.
 */
export async function evaluate(questions: readonly Question[], options: EvaluateOptions): Promise<ScoredRow[]> {
  const { systems, parallel, most = Number.POSITIVE_INFINITY, before, onRow, ...judge } = options;
  const all = questions.flatMap((asked) => Object.entries(systems).map(([system, ask]) => ({ asked, system, ask })));
  const rows = new Map(before.map((row) => [keyOf(row.system, row), row]));
  const left = all.filter(({ system, asked }) => !rows.has(keyOf(system, asExpected(asked))));
  let done = all.length - left.length;
  let spent = before.reduce((sum, row) => sum + costOf(row), 0);
  const work = async () => {
    for (let next = left.shift(); next && spent < most; next = left.shift()) {
      judge.signal?.throwIfAborted();
      const { system, asked, ask } = next;
      const row = await scoreReply(system, asked, await ask(asked), judge);
      rows.set(keyOf(system, asExpected(asked)), row);
      spent += costOf(row);
      await onRow(row, ++done, all.length);
    }
  };
  const stopping = () =>
    work().catch((error: unknown) => {
      left.length = 0;
      throw error;
    });
  // Waits for all workers, so that nothing is asked after this function ends.
  const ended = await Promise.allSettled(Array.from({ length: parallel }, stopping));
  for (const each of ended) if (each.status === "rejected") throw each.reason;
  return all.flatMap(({ system, asked }) => rows.get(keyOf(system, asExpected(asked))) ?? []);
}

/** The cost of an answer, with that of what a chat model says of it. */
const costOf = ({ cost, byModel }: ScoredRow) => (cost ?? 0) + (byModel?.cost ?? 0);

const asExpected = ({ answers, also, ...asked }: Question) => ({ ...asked, expected: [...answers, ...also] });
/** A question that was changed counts as a new one. */
const keyOf = (
  system: string,
  { id, question, expected, answerable }: Pick<ScoredRow, "id" | "question" | "expected" | "answerable">,
) => JSON.stringify([system, id, question, expected, answerable]);

/**
 * Opens a JSON Lines file to save rows in: first what is evaluated, then a line for each row. An existing file is
 * continued, and its rows are returned.
 * @throws UsageError if the file is not a saved evaluation, or evaluates something else.
 */
export async function openSaved(path: string, about: About) {
  const text = await readFile(path, "utf8").catch((error: unknown) =>
    codeOf(error) === "ENOENT" ? "" : cannotBe("read", path)(error),
  );
  const append = (line: string) => appendFile(path, line, PRIVATE).catch(cannotBe("written", path));
  const saved = text === "" ? undefined : savedIn(text, path);
  const other = saved && Object.entries(about).find(([key, value]) => saved.about[key as keyof About] !== value);
  if (saved && other)
    throw new UsageError(
      `${path} was made with another ${other[0]} (${saved.about[other[0] as keyof About]}, now ${other[1]}). Save to another file, and compare them with: emend eval diff`,
    );
  if (!saved) await append(`${JSON.stringify({ about })}\n`);
  // If a kill cut off the last line, its question is asked again.
  else if (!text.endsWith("\n")) await append("\n");
  return { before: saved?.rows ?? [], save: (row: ScoredRow) => append(`${JSON.stringify(row)}\n`) };
}

/** Reads a saved evaluation. @throws UsageError if the file is not one. */
export async function readSaved(path: string): Promise<Saved> {
  const text = await readFile(path, "utf8").catch(cannotBe("read", path));
  return savedIn(text, path);
}

function savedIn(text: string, path: string): Saved {
  const [first = "", ...lines] = text.split("\n").map(parsedJson);
  const head = z.object({ about: About }).safeParse(first).data;
  if (!head) throw new UsageError(`${path} is not a saved evaluation. Make one with: emend eval <file> --save ${path}`);
  // A line that a kill cut off is not JSON; its question is asked again.
  const rows = lines.filter((line) => line !== undefined).map((line) => ScoredRow.safeParse(line).data);
  if (!rows.every((row) => row !== undefined))
    throw new UsageError(`${path} has rows of another version of emend. Save the evaluation anew, in another file.`);
  return { about: head.about, rows };
}
