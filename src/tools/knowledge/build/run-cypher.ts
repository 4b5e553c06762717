import { readFile } from "node:fs/promises";
import { CypherError, UsageError } from "../../../errors.js";
import { decode } from "../../../language/decode.js";
import type { Neo4jConnection } from "../../store/neo4j/connection.js";
import { notOpened } from "./lines.js";

export interface ScriptOptions {
  connection: Pick<Neo4jConnection, "write">;
  signal?: AbortSignal;
  /** Called before each statement: how many are done, of how many. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * Runs a Cypher script on a Neo4j server, statement after statement, each in a write transaction of its own (a change of
 * the schema and one of the data cannot share one). The script is trusted, as any script is that a person runs. What stands
 * before a statement that fails stays. Returns how many statements ran.
 * @throws UsageError when the file cannot be read or holds a shell's commands; CypherError that names the statement's
 * line; StoreUnavailableError when the server cannot be reached; the signal's reason when it aborts.
 */
export async function runCypher(path: string, { connection, signal, onProgress }: ScriptOptions): Promise<number> {
  const statements = splitCypher(await textOf(path));
  const command = statements.find(({ text }) => text.startsWith(":"));
  if (command)
    throw new UsageError(
      `${path}, line ${command.line}: ${command.text.slice(0, 20)} is a command of a Cypher shell, not Cypher. Leave it out.`,
    );
  for (const [done, { line, text }] of statements.entries()) {
    signal?.throwIfAborted();
    onProgress?.(done, statements.length);
    try {
      await connection.write([{ cypher: text }], { timeout: TIMEOUT, signal });
    } catch (error) {
      if (!(error instanceof CypherError)) throw error;
      const ran = done === 1 ? "The statement before it stays." : `The ${done} statements before it stay.`;
      throw new CypherError(`${path}, line ${line}: ${error.message}${done > 0 ? ` ${ran}` : ""}`, error.repairable, {
        cause: error,
      });
    }
  }
  return statements.length;
}

/** A statement of a script may fill a whole graph. In milliseconds. */
const TIMEOUT = 30 * 60_000;

async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw notOpened(path, error);
  });
  try {
    return decode(bytes);
  } catch (error) {
    throw new UsageError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A statement of a script, with the line it begins on, from 1. */
export interface Statement {
  line: number;
  text: string;
}

/**
 * Cuts a Cypher script at the semicolons that end statements, not at those inside strings, names in backticks and
 * comments. Statements of nothing but comments are left out.
 */
export function splitCypher(script: string): Statement[] {
  const found: Statement[] = [];
  let start = 0;
  for (const match of script.matchAll(TOKEN)) {
    if (match[0] !== ";") continue;
    push(found, script, start, match.index);
    start = match.index + 1;
  }
  push(found, script, start, script.length);
  return found;
}

/** What may hold a semicolon, whole, also where it is never closed; and the semicolon. */
const TOKEN =
  /'(?:[^'\\]|\\[\s\S])*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|;/g;

function push(found: Statement[], script: string, from: number, to: number) {
  const text = script.slice(from, to);
  const words = text.replace(TOKEN, (piece) => (/^\/[/*]/.test(piece) ? piece.replace(/[^\n]/g, " ") : piece));
  if (words.trim() === "") return;
  const first = from + words.search(/\S/);
  found.push({ line: script.slice(0, first).split("\n").length, text: script.slice(first, to).trim() });
}
