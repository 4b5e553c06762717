import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { chmod, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { z } from "zod";
import { cannotBe, toError, UsageError } from "../errors.js";
import { exactly } from "../options.js";
import { decode, parsedJson } from "../text/decode.js";
import { fileBytes } from "../tools/knowledge/lines.js";

/** The tag of every generated question; a second tag is its kind. */
export const MADE = "made";
/** The tags of a generated question that a person has kept or dropped. */
const KEPT = "kept";
const DROPPED = "dropped";

/** True of a generated question that a person has dropped. It stays in the file, so that no question like it is made again. */
export const isDropped = ({ tags }: Tagged): boolean => tags.includes(MADE) && tags.includes(DROPPED);
/** True of a generated question that nobody has dropped. */
export const isLeft = ({ tags }: Tagged): boolean => tags.includes(MADE) && !tags.includes(DROPPED);
interface Tagged {
  tags: readonly string[];
}

/** A generated question, as a line of a file of questions. */
export const MadeQuestion = z.object({
  id: z.string(),
  question: z.string(),
  /** The words that a right answer has; null if the documents have none. */
  answer: z.string().nullable(),
  /** What a right answer has to say beside it. */
  also: z.array(z.string()).optional(),
  passages: z.array(z.string()),
  tags: z.array(z.string()),
  history: z.array(z.object({ question: z.string(), answer: z.string() })).optional(),
});
export type MadeQuestion = z.infer<typeof MadeQuestion>;

const text = z.string().trim().min(1).max(1_000);

/** What a person makes of a generated question. */
export const Decided = exactly({
  id: z.string(),
  kept: exactly({
    question: text,
    answer: text.nullable().describe("The words that a right answer has; null if the documents have none."),
    also: z.array(text).default([]).describe("What a right answer has to say beside it."),
  })
    .nullable()
    .describe("The question as it stays; null drops it, until it is kept after all."),
});
export type Decided = z.infer<typeof Decided>;

/** The questions that `emend eval make` wrote into a file of JSON Lines, for a person to keep, edit or drop. */
export function madeQuestions(path: string) {
  let last: Promise<void> = Promise.resolve();
  return {
    /** In the order of the file. @throws UsageError if the file cannot be read. */
    list: async () => (await linesOf(path)).flatMap(({ made }) => (made ? [shown(made)] : [])),
    /**
     * Rewrites the line of the question as it was kept, or with the tag of a dropped one. No other line changes. Calls
     * take turns; what another program adds to the file in the same moment may be lost.
     * @throws UsageError if no generated question has this id, or the file cannot be read or written. It is then as it was.
     */
    decide(decided: Decided): Promise<void> {
      const done = last.then(() => rewrite(path, decided));
      last = done.catch(() => {});
      return done;
    },
  };
}

/** With the fields that other programs may have added, which stay in the file. */
const Line = MadeQuestion.loose();

const shown = (made: z.infer<typeof Line>) => ({
  ...MadeQuestion.parse(made),
  isKept: made.tags.includes(KEPT),
  isDropped: isDropped(made),
});

async function linesOf(path: string) {
  const text = await readChangeableText(path);
  return text.split("\n").map((line) => {
    const made = Line.safeParse(parsedJson(line.replace(/^\uFEFF/, ""))).data;
    return { line, made: made?.tags.includes(MADE) ? made : undefined };
  });
}

async function rewrite(path: string, { id, kept }: Decided) {
  const lines = await linesOf(path);
  const place = lines.findIndex(({ made }) => made?.id === id);
  const made = lines[place]?.made;
  if (!made) throw new UsageError(`${path} has no generated question ${JSON.stringify(id)} any more. Reload the page.`);
  const tags = [...made.tags.filter((tag) => tag !== KEPT && tag !== DROPPED), kept ? KEPT : DROPPED];
  const line = JSON.stringify({ ...(kept ? withChanges(made, kept) : made), tags });
  const all = lines.map(({ line }) => line).with(place, line);
  await replaceText(path, all.join("\n")).catch(cannotBe("written", path));
}

function withChanges(
  { also: _, ...made }: z.infer<typeof Line>,
  { question, answer, also }: NonNullable<Decided["kept"]>,
) {
  return {
    ...made,
    ...{ question, answer },
    ...(answer !== null && also.length > 0 && { also }),
    // Where the documents have no answer, no passage should be retrieved.
    passages: answer === null ? [] : made.passages,
  };
}

/**
 * Replaces the text of a file at once: another process reads the old text or the new one, never a part. The file keeps
 * its mode, and a symbolic link stays one.
 * @throws the error of the file system. The file is then as it was.
 */
async function replaceText(path: string, text: string): Promise<void> {
  const file = await realpath(path);
  const { mode } = await stat(file);
  const unfinished = `${file}.${randomUUID()}`;
  try {
    await writeFile(unfinished, text, { mode: 0o600 });
    await chmod(unfinished, mode & 0o777);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/**
 * Reads a file of questions, in any encoding that can be told from its bytes.
 * @throws UsageError if it cannot be read, or has more than 50 MB.
 */
export async function readQuestionText(path: string): Promise<string> {
  const bytes = await bytesOf(path);
  try {
    return decode(bytes).replace(/^\uFEFF/, "");
  } catch (error) {
    throw new UsageError(`${path}: ${toError(error).message}`);
  }
}

/**
 * Reads a file of questions that is to be changed or added to.
 * @throws also UsageError if it is not UTF-8, since a file has one encoding.
 */
export async function readChangeableText(path: string): Promise<string> {
  const bytes = await bytesOf(path);
  if (!isUtf8(bytes)) throw new UsageError(`${path} is not UTF-8, in which questions are written. Save it as UTF-8.`);
  return bytes.toString("utf8");
}

async function bytesOf(path: string): Promise<Buffer> {
  const bytes = await fileBytes(path, MAX_BYTES).catch(cannotBe("read", path));
  if (bytes) return bytes;
  const most = `${path} has more than ${MAX_BYTES / 1e6} MB, the most that an evaluation reads.`;
  throw new UsageError(`${most} Take a sample of its lines.`);
}

const MAX_BYTES = 50_000_000;
