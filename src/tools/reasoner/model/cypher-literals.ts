import { plain } from "../../../text/tokens.js";
import type { GraphRow } from "../../../types/graph.js";
import { readCypher, type Token } from "../../knowledge/neo4j/tokens.js";

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
