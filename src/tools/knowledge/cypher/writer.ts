import { z } from "zod";
import { CypherError } from "../../../errors.js";
import { plain } from "../../../language/tokens.js";
import type { GraphRow } from "../../../types/graph.js";
import { ask } from "../../reasoner/model/ask.js";
import type { Chat } from "../../reasoner/model/chat.js";
import { words } from "../../reasoner/model/json.js";
import type { Call, CypherTask, CypherWriter } from "../../reasoner/port.js";
import { fitToSchema } from "./fit.js";
import { cypherPrompt } from "./prompt.js";
import { readCypher, type Token } from "./tokens.js";

/**
 * Writes a query by one call to a model, at most two. The model writes values into the query, as models do best; code
 * takes them out as parameters. A query is held against the schema before it is run: what the graph does not have is
 * told to the model once, with what it has instead; where it insists, the graph cannot hold the answer. A query that has
 * failed is not run again.
 */
export function modelCypherWriter(chat: Chat): CypherWriter {
  async function asked(task: CypherTask, call: Call) {
    const reply = await ask(chat, { name: "cypher", prompt: cypherPrompt(task), schema: Reply }, call);
    const query = fitted(reply.cypher, task);
    if (query && query.complaint !== "") call.fault(new CypherError(query.complaint, true));
    return query;
  }

  return {
    async write(task, call) {
      const names = task.entities.map(({ name }) => name);
      let query = await asked(task, call);
      // Once for a question: after a query that was run, the graph itself is who complains.
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

/** Undefined where the model says that there is no query. */
function fitted(reply: string, { schema }: CypherTask) {
  const cypher = reply
    .replace(/^\s*```\w*|```\s*$/g, "")
    .replace(/[\s;]+$/, "")
    .trim();
  return /^(?:none)?\W*$/i.test(cypher) ? undefined : fitToSchema(cypher, schema);
}

/**
 * Takes the texts out of a query and makes parameters of them, named by the property they are compared with. One that
 * differs from a known name by case, width or accents alone becomes that name. A query that cannot be read stays as
 * it is.
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

/** A query with these compares texts in a case of its own. */
const FOLDING: ReadonlySet<string> = new Set(["TOLOWER", "TOUPPER", "LOWER", "UPPER"]);

/** Undefined where an escape is not one of the plain ones. */
function decoded(inside: string): string | undefined {
  if (/\\(?![\\'"nrtbf])/.test(inside.replace(/\\\\/g, ""))) return undefined;
  return inside.replace(/\\(.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function spelt(value: string, names: readonly string[]): string {
  if (names.includes(value)) return value;
  const alike = names.filter((name) => plain(name) === plain(value));
  return alike.length === 1 && alike[0] !== undefined ? alike[0] : value;
}

/** The nearest property or key within what an operator of two words needs. */
function comparedWith(tokens: readonly Token[], at: number): string {
  for (let i = at - 1; i > Math.max(0, at - 5); i--) {
    const text = tokens[i]?.text ?? "";
    if (/^[A-Za-z]\w{0,40}$/.test(text) && (tokens[i - 1]?.text === "." || tokens[i + 1]?.text === ":")) return text;
  }
  return "value";
}

function free(
  wanted: string,
  value: string,
  parameters: ReadonlyMap<string, string>,
  taken: ReadonlySet<string>,
): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}${n}`;
    if (!taken.has(name) && (!parameters.has(name) || parameters.get(name) === value)) return name;
  }
}
