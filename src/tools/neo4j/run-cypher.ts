import { CypherError, UsageError } from "../../errors.js";
import { fileText } from "../knowledge/lines.js";
import type { Neo4jConnection } from "./connection.js";

export interface ScriptOptions {
  connection: Pick<Neo4jConnection, "write">;
  signal?: AbortSignal;
  /** Called before each statement with the number done and the total. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * Runs a Cypher script on a Neo4j server, each statement in its own write transaction, because one transaction cannot
 * change both schema and data. The script is trusted, since a person runs it. If a statement fails, those before it
 * stay applied. Returns how many statements ran.
 * @throws UsageError when the file cannot be read or contains commands of a Cypher shell; CypherError that names the
 * statement's line; StoreUnavailableError when the server cannot be reached; the signal's reason when it aborts.
 */
export async function runCypher(path: string, { connection, signal, onProgress }: ScriptOptions): Promise<number> {
  const statements = splitCypher(await fileText(path));
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
      const ran = done === 1 ? " The statement before it stays." : ` The ${done} statements before it stay.`;
      const message = `${path}, line ${line}: ${error.message}${done > 0 ? ran : ""}`;
      throw new CypherError(message, error.repairable, { cause: error });
    }
  }
  return statements.length;
}

/** In milliseconds: one statement of a script may fill a whole graph. */
const TIMEOUT = 30 * 60_000;

/** A statement of a script, with the number of its first line, from 1. */
export interface CypherStatement {
  line: number;
  text: string;
}

/**
 * Splits a Cypher script at the semicolons that end statements, not at those inside strings, quoted names and comments.
 * Leaves out statements that consist only of comments.
 */
export function splitCypher(script: string): CypherStatement[] {
  const ends = [...script.matchAll(TOKEN)].filter(([token]) => token === ";").map(({ index }) => index);
  return [...ends, script.length].flatMap((end, i) => {
    const start = i === 0 ? 0 : (ends[i - 1] ?? 0) + 1;
    const text = script.slice(start, end);
    const words = text.replace(TOKEN, (token) => (/^\/[/*]/.test(token) ? token.replace(/[^\n]/g, " ") : token));
    const first = words.search(/\S/);
    if (first < 0) return [];
    return [{ line: script.slice(0, start + first).split("\n").length, text: text.slice(first).trim() }];
  });
}

/** Matches a string, a quoted name or a comment, even if it is never closed, or a semicolon. */
const TOKEN =
  /'(?:[^'\\]|\\[\s\S])*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|;/g;
