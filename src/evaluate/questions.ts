import { parse } from "csv-parse/sync";
import { z } from "zod";
import { toError, UsageError } from "../errors.js";
import { parsedJson } from "../text/decode.js";
import { isDropped, readQuestionText } from "./made.js";

/** A question with what a right answer must say. */
export interface Question {
  /** Unique in its file. Default: the question itself. */
  id: string;
  question: string;
  /** Any of them is right; empty if the question cannot be answered. */
  answers: string[];
  /**
   * What a right answer must say besides one of the answers: the other part of a question, the other items of a list.
   */
  also: string[];
  answerable: boolean;
  /** What should be retrieved: names of documents, or words of passages. Empty: unknown. */
  passages: string[];
  tags: string[];
  /** Earlier turns of the conversation, oldest first. */
  history: { question: string; answer: string }[];
}

/**
 * Reads questions from JSON Lines, or from CSV with a header (commas, semicolons or tabs). In CSV, `passages` has one
 * per line, and `tags` are separated by commas or semicolons. Generated questions that a person has dropped are left
 * out, unless `withDropped`.
 * @throws UsageError that names the lines that are wrong, and how.
 */
export async function readQuestions(path: string, { withDropped = false } = {}): Promise<Question[]> {
  const text = await readQuestionText(path);
  if (text.trim() === "") throw new UsageError(`${path} holds no questions. ${FORM}`);
  if (/^\s*\[/.test(text) && parsedJson(text) !== undefined)
    throw new UsageError(`${path} is one JSON array. Write each of its objects on a line of its own. ${FORM}`);
  const rows = /^\s*\{/.test(text) ? jsonRows(text) : csvRows(text, path);
  const questions: Question[] = [];
  const faults: string[] = [];
  const lines = new Map<string, number>();
  for (const { line, value } of rows) {
    const found = questionIn(value);
    const before = typeof found === "string" ? undefined : lines.get(found.id);
    if (typeof found === "string") faults.push(`line ${line}: ${found}`);
    else if (before) faults.push(`line ${line}: ${TWICE(found)} line ${before}`);
    else {
      if (withDropped || !isDropped(found)) questions.push(found);
      lines.set(found.id, line);
    }
  }
  const more = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : "";
  if (faults.length > 0) throw new UsageError(`${path}: ${faults.slice(0, MAX_FAULTS).join("; ")}${more}. ${FORM}`);
  if (questions.length === 0) throw new UsageError(`${path} holds no questions. ${FORM}`);
  return questions;
}

/** The most lines named in one message. */
const MAX_FAULTS = 3;
const FORM =
  'A line is {"question": "…", "answer": "…"}, or a row of a CSV file with these columns; the answer is null or empty where there is none.';
const TWICE = ({ id, question }: Question) =>
  `the ${id === question ? "question, without an id," : `id ${JSON.stringify(id)}`} is also in`;

interface FileRow {
  line: number;
  /** A message, if the line cannot be read. */
  value: unknown;
}

const jsonRows = (text: string): FileRow[] =>
  text.split("\n").flatMap((each, i) => (each.trim() === "" ? [] : [{ line: i + 1, value: json(each) }]));

function json(line: string): unknown {
  const value = parsedJson(line);
  return value === undefined ? "not JSON" : value;
}

function csvRows(text: string, path: string): FileRow[] {
  const names = (line: string, mark: string) =>
    line.split(mark).map((name) =>
      name
        .replace(/^\s*"|"\s*$/g, "")
        .trim()
        .toLowerCase(),
    );
  const [head = ""] = text.trimStart().split(/\r?\n/, 1);
  const delimiter = [",", ";", "\t"].find((mark) => names(head, mark).includes("question"));
  if (!delimiter || !names(head, delimiter).some((name) => name === "answer" || name === "answerable"))
    throw new UsageError(
      `${path} begins with ${JSON.stringify(head.slice(0, 80))}, which does not name the columns "question" and "answer". ${FORM}`,
    );
  try {
    const columns = (header: string[]) => header.map((name) => name.trim().toLowerCase());
    const found: { info: { lines: number }; record: Record<string, string> }[] = parse(text, {
      delimiter,
      columns,
      info: true,
      skip_empty_lines: true,
    });
    return found.map(({ info, record }) => ({ line: info.lines, value: fromCells(record) }));
  } catch (error) {
    throw new UsageError(`${path}: ${toError(error).message}. Quote cells that hold ${JSON.stringify(delimiter)}.`);
  }
}

function fromCells({ id, answer = "", answerable, passages, tags, history, ...rest }: Record<string, string>): unknown {
  const list = (cell: string | undefined, mark: RegExp) =>
    (cell ?? "")
      .split(mark)
      .map((one) => one.trim())
      .filter((one) => one !== "");
  return {
    question: rest.question,
    ...(id && { id }),
    answer: /^\s*(?:null)?\s*$/i.test(answer) ? null : answer,
    ...(answerable && { answerable: /^(?:true|yes|1)$/i.test(answerable.trim()) }),
    passages: list(passages, /\n/),
    tags: list(tags, /[,;，；]/),
    ...(history && { history: json(history) }),
  };
}

const list = z.array(z.string()).default([]);
const Line = z.object({
  id: z
    .union([z.string().min(1), z.number()])
    .transform(String)
    .optional(),
  question: z.string().trim().min(1, { error: "is empty" }),
  answer: z.string().nullable().optional(),
  answers: list,
  also: list,
  answerable: z.boolean().optional(),
  passages: list,
  /** Passages by the names of their documents. */
  documents: list,
  tags: list,
  kind: z.string().optional(),
  history: z.array(z.object({ question: z.string(), answer: z.string().default("") })).default([]),
});

/** Returns the question of a line, or what is wrong with it. */
function questionIn(value: unknown): Question | string {
  if (typeof value === "string") return value;
  const { data, error } = Line.safeParse(value);
  if (!data) {
    const [issue] = error.issues;
    return `${issue?.path.join(".") || "it"}: ${issue?.message}`;
  }
  const { answer, documents, kind, ...rest } = data;
  const answers = [...(answer?.trim() ? [answer.trim()] : []), ...rest.answers];
  const isSaid = answer !== undefined || rest.answers.length > 0 || rest.answerable !== undefined;
  if (!isSaid) return "answer is missing";
  const answerable = rest.answerable ?? answers.length > 0;
  if (answerable && answers.length === 0) return "it can be answered, but no answer is given";
  return {
    ...rest,
    id: rest.id ?? rest.question,
    answers: answerable ? answers : [],
    answerable,
    passages: [...rest.passages, ...documents],
    tags: [...rest.tags, ...(kind ? [kind] : [])],
  };
}
