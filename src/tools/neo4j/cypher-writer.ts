import { z } from "zod";
import { CypherError } from "../../errors.js";
import { plain } from "../../text/tokens.js";
import type { Call } from "../../types/call.js";
import type { GraphRow } from "../../types/knowledge.js";
import type { CypherTask, CypherWriter } from "../knowledge/port.js";
import { askModel } from "../models/ask.js";
import type { Chat } from "../models/chat.js";
import { words } from "../models/reply-json.js";
import { cypherPrompt } from "./cypher-prompt.js";
import { type CypherToken, readCypher, unescaped } from "./cypher-tokens.js";
import { fitToSchema } from "./fit-to-schema.js";

/**
 * Writes a query with one model call, at most two. The model writes values into the query, which models do best, and code
 * turns them into parameters. The query is checked against the schema before it runs: the model is told once what the
 * graph does not have, and what it has instead. If the model insists, there is no query. A failed query is not run again.
 */
export function modelCypherWriter(chat: Chat): CypherWriter {
  async function asked(task: CypherTask, call: Call) {
    const reply = await askModel(chat, { name: "cypher", prompt: cypherPrompt(task), schema: Reply }, call);
    const query = fitted(reply.cypher, task);
    if (query && query.complaint !== "") call.fault(new CypherError(query.complaint, true));
    return query;
  }

  return {
    async write(task, call) {
      const names = task.entities.map(({ name }) => name);
      let query = await asked(task, call);
      // Once per question: after a query that ran, the graph itself reports what is wrong.
      if (query?.complaint && task.tried.length === 0 && call.calls > 0)
        query = await asked({ ...task, tried: [{ cypher: query.cypher, error: query.complaint }] }, call);
      if (query?.complaint !== "") return undefined;
      const written = withParameters(query.cypher, names);
      if (!task.tried.some(({ cypher }) => cypher === written.cypher)) return written;
      call.fault(new CypherError("The query that failed was written again.", false));
      return undefined;
    },
  };
}

const Reply = z.object({ cypher: words(800) });

/** Undefined if the model replies that there is no query. */
function fitted(reply: string, { schema }: CypherTask) {
  const cypher = reply
    .replace(/^\s*```\w*|```\s*$/g, "")
    .replace(/[\s;]+$/, "")
    .trim();
  return /^(?:none)?\W*$/i.test(cypher) ? undefined : fitToSchema(cypher, schema);
}

/**
 * Turns the texts in a query into parameters, named after the property they are compared with. A text that differs from a
 * known name only by case, width or accents becomes that name. A query that cannot be read is returned unchanged.
 */
export function withParameters(cypher: string, names: readonly string[]): { cypher: string; parameters: GraphRow } {
  let read: ReturnType<typeof readCypher>;
  try {
    read = readCypher(cypher);
  } catch {
    return { cypher, parameters: {} };
  }
  const { tokens } = read;
  const isFolding = tokens.some(({ kind, value }) => kind === "word" && FOLDING.has(value));
  const parameters = new Map<string, string>();
  const taken = new Set(tokens.filter(({ kind }) => kind === "parameter").map(({ value }) => value));
  let text = "";
  let end = 0;
  tokens.forEach((token, i) => {
    const inside = token.kind === "text" ? decoded(token.value) : undefined;
    if (inside === undefined) return;
    const value = isFolding ? inside : spelt(inside, names);
    const name = free(comparedWith(tokens, i), value, parameters, taken);
    parameters.set(name, value);
    text += `${read.cypher.slice(end, token.start)}$${name}`;
    end = token.end;
  });
  return { cypher: text + read.cypher.slice(end), parameters: Object.fromEntries(parameters) };
}

/** Functions that change case: a query with one of them compares texts in a case of its own. */
const FOLDING: ReadonlySet<string> = new Set(["TOLOWER", "TOUPPER", "LOWER", "UPPER"]);

/** Undefined for a text with any other escape than the plain ones. */
const decoded = (inside: string): string | undefined =>
  /\\(?![\\'"nrtbf])/.test(inside.replace(/\\\\/g, "")) ? undefined : unescaped(inside);

function spelt(value: string, names: readonly string[]): string {
  if (names.includes(value)) return value;
  const alike = names.filter((name) => plain(name) === plain(value));
  return alike.length === 1 && alike[0] !== undefined ? alike[0] : value;
}

/** Finds the property or key before an operator of at most two words. */
function comparedWith(tokens: readonly CypherToken[], at: number): string {
  for (let i = at - 1; i > Math.max(0, at - 5); i--) {
    const text = tokens[i]?.text ?? "";
    if (/^[A-Za-z]\w{0,40}$/.test(text) && (tokens[i - 1]?.text === "." || tokens[i + 1]?.text === ":")) return text;
  }
  return "value";
}

function free(wanted: string, value: string, parameters: ReadonlyMap<string, string>, taken: ReadonlySet<string>) {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}${n}`;
    if (!taken.has(name) && (parameters.get(name) ?? value) === value) return name;
  }
}
