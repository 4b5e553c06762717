import { CypherError } from "../../../errors.js";
import type { GraphRow } from "../../../types/graph.js";
import { longestText } from "./copies.js";
import { LIST, loopsIn } from "./loops.js";
import { boundedPattern } from "./pattern.js";
import type { Token } from "./tokens.js";

/** What all patterns of a query may take for one row of it, in steps. */
const MOST_STEPS = 10_000_000;

/**
 * The query with its patterns after =~ so written that Java does not try them in many ways, the rest as it was. They run
 * inside of one expression, where the server cannot stop them.
 * @throws CypherError with what to write instead.
 */
export function withBoundedPatterns(cypher: string, tokens: readonly Token[], parameters: GraphRow): string {
  const loops = loopsIn(tokens);
  const longest = longestText(tokens);
  let steps = 0;
  let changed = "";
  let done = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.text !== "=" || tokens[index + 1]?.text !== "~") continue;
    const given = patternAt(tokens, index + 2, parameters);
    if (!given) throw refused("Write the pattern after =~ in quotes or as a parameter, or use CONTAINS.");
    const bounded = boundedPattern(given.pattern, longest);
    if (!bounded)
      throw refused(
        "The pattern after =~ may hold words, sets like [a-z], .*, a|b, and * + ? after one character or set. Or use CONTAINS.",
      );
    steps += bounded.steps * LIST ** loops.filter(({ body }) => body.from < index && index < body.to).length;
    if (steps > MOST_STEPS)
      throw refused(
        "The pattern after =~ can be tried in too many ways. Write words with .* between them and at most one other * or +, or use CONTAINS.",
      );
    if (bounded.pattern === given.pattern) continue;
    changed += `${cypher.slice(done, given.start)}'${bounded.pattern.replace(/[\\']/g, "\\$&")}'`;
    done = given.end;
  }
  return changed + cypher.slice(done);
}

const refused = (message: string) => new CypherError(message, true);

/** Texts and parameters, also added together; undefined for anything else. */
function patternAt(tokens: readonly Token[], first: number, parameters: GraphRow) {
  let pattern = "";
  for (let at = first; ; at += 2) {
    const token = tokens[at];
    const value =
      token?.kind === "parameter" ? parameters[token.value] : token?.kind === "text" ? meant(token.value) : undefined;
    if (!token || typeof value !== "string" || !value.isWellFormed()) return undefined;
    pattern += value;
    const next = tokens[at + 1]?.text;
    if (next === "." || next === "[" || next === "|" || next === "||") return undefined;
    if (next !== "+") return { pattern, start: tokens[first]?.start ?? 0, end: token.end };
  }
}

/** The text that a text in quotes stands for. A backslash before any other letter is one. */
const meant = (inside: string) => inside.replace(/\\([\\'"bfnrt])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
const ESCAPES: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
