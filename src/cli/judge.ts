import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import { z } from "zod";
import { loadSettings } from "../config.js";
import { UsageError } from "../errors.js";
import { judgeClaim, judgePassages } from "../judge.js";
import { openEncoder } from "../tools/encoder/onnx.js";
import type { Encoder } from "../tools/encoder/port.js";
import { EXIT, type Run } from "./run.js";
import { escapedJson } from "./screen.js";

const Id = z.union([z.string(), z.number()]).optional();
const Question = z.object({ id: Id, question: z.string(), passages: z.array(z.string()) });
const Claim = z.object({ id: Id, claim: z.string(), sources: z.array(z.string()) });

/**
 * `emend judge`: reads JSON Lines from a file or stdin and writes one judgement a line, in order. A line that cannot be
 * judged becomes a line with its error, and the rest is judged all the same.
 */
export const judgeCommand: Run = async ([path], _options, signal) => {
  const encoder = openEncoder(loadSettings());
  if (!encoder) throw new UsageError("EMEND_ENCODER is off, and judging needs the encoder. Leave it unset.");
  let faults = 0;
  const write = async (some: readonly string[]) => {
    for (const row of await Promise.all(some.map((line) => judged(line, encoder, signal)))) {
      if ("error" in row) faults += 1;
      process.stdout.write(`${escapedJson(row, 0)}\n`);
    }
  };
  try {
    let some: string[] = [];
    for await (const line of linesOf(path)) {
      if (line.trim() !== "") some.push(line);
      if (some.length < AT_ONCE) continue;
      await write(some);
      some = [];
    }
    await write(some);
    return faults > 0 ? EXIT.fault : EXIT.done;
  } finally {
    await encoder.close();
  }
};

/** @throws UsageError when the file cannot be read. */
async function* linesOf(path: string | undefined): AsyncGenerator<string> {
  if (path === undefined || path === "-") return yield* createInterface({ input: process.stdin });
  try {
    await using file = await open(path);
    yield* file.readLines();
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Enough to keep the encoder at work while the next lines are read. */
const AT_ONCE = 16;

async function judged(line: string, encoder: Encoder, signal: AbortSignal): Promise<object> {
  const row = parsed(line);
  if (row instanceof Error) return { error: row.message };
  const { id, ...rest } = row;
  const judgement =
    "question" in rest
      ? await judgePassages(rest.question, rest.passages, { encoder, signal })
      : await judgeClaim(rest.claim, rest.sources, { encoder, signal });
  return { ...(id !== undefined && { id }), ...judgement };
}

function parsed(line: string): z.infer<typeof Question> | z.infer<typeof Claim> | Error {
  try {
    const json: unknown = JSON.parse(line);
    const claim = Claim.safeParse(json);
    return claim.success ? claim.data : Question.parse(json);
  } catch {
    return new Error(
      'Not a row. A row is {"id": …, "question": "…", "passages": ["…"]} or {"id": …, "claim": "…", "sources": ["…"]}, on one line.',
    );
  }
}
