import { z } from "zod";
import { loadSettings } from "../config.js";
import { UsageError } from "../errors.js";
import { judgeClaim, judgePassages } from "../judge.js";
import { parsedJson } from "../text/decode.js";
import { readLines, usingTools } from "./open.js";
import { type CommandRun, EXIT } from "./run.js";
import { escapedJson } from "./screen.js";

const Id = z.union([z.string(), z.number()]).optional();
const Named = z.object({ id: Id });
const Row = z.union([
  z.object({ claim: z.string(), sources: z.array(z.string()) }),
  z.object({ question: z.string(), passages: z.array(z.string()) }),
]);

/**
 * `emend judge`: reads JSON Lines from a file or stdin and writes one judgement for each line, in order. For a line
 * that cannot be judged it writes the error. A chat model that is trusted with claims judges those that code leaves open.
 */
export const judgeCommand: CommandRun = async ([path], _options, signal) => {
  await using tools = await usingTools(loadSettings());
  const { encoder, checker } = tools;
  if (!encoder) throw new UsageError("EMEND_ENCODER is off, and judging needs the encoder. Leave it unset.");
  let faults = 0;
  const write = async (some: readonly string[]) => {
    for (const row of await Promise.all(some.map((line) => judged(line, { encoder, checker, signal })))) {
      if ("error" in row) faults += 1;
      process.stdout.write(`${escapedJson(row, 0)}\n`);
    }
  };
  let some: string[] = [];
  for await (const line of readLines(path)) {
    if (line.trim() !== "") some.push(line);
    if (some.length < AT_ONCE) continue;
    await write(some);
    some = [];
  }
  await write(some);
  return faults > 0 ? EXIT.fault : EXIT.done;
};

/** Enough lines to keep the encoder busy while the next ones are read. */
const AT_ONCE = 16;

async function judged(line: string, judges: Parameters<typeof judgeClaim>[2]): Promise<object> {
  const value = parsedJson(line);
  const { data: { id } = {} } = Named.safeParse(value);
  const named = id !== undefined && { id };
  const { data: row } = Row.safeParse(value);
  if (!row) return { ...named, error: NOT_A_ROW };
  const judgement =
    "question" in row
      ? await judgePassages(row.question, row.passages, judges)
      : await judgeClaim(row.claim, row.sources, judges);
  return { ...named, ...judgement };
}

const NOT_A_ROW =
  'Not a row. A row is {"id": …, "question": "…", "passages": ["…"]} or {"id": …, "claim": "…", "sources": ["…"]}, on one line.';
