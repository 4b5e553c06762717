import { CypherError } from "../../../errors.js";
import type { GraphRow } from "../../../types/graph.js";
import type { Token } from "./tokens.js";

/** With more of them a pattern that does not match is tried in too many ways. */
const MOST_REPEATS = 3;

/**
 * Patterns after =~ run inside of one expression, where the server cannot stop them: only those are let through that
 * are known and cannot try a text in exponentially many ways.
 * @throws CypherError with what to write instead.
 */
export function checkPatterns(tokens: readonly Token[], parameters: GraphRow): void {
  for (const [index, token] of tokens.entries()) {
    if (token.text !== "=" || tokens[index + 1]?.text !== "~") continue;
    const pattern = patternAt(tokens, index + 2, parameters);
    if (pattern === undefined)
      throw new CypherError("Write the pattern after =~ in quotes or as a parameter, or use CONTAINS.", true);
    const plain = pattern
      .replace(/\\\\/g, "\\")
      .replace(/\\./gs, "x")
      .replace(/\[[^\]]*\]/g, "x");
    const repeats = plain.match(/[*+]|\{\d*,?\d*\}/g) ?? [];
    if (repeats.length > MOST_REPEATS || /\)\s*[*+{]/.test(plain) || /\\\\?[1-9k]/.test(pattern))
      throw new CypherError(
        `The pattern after =~ repeats too much: no repeated groups, no back-references, and * or + at most ${MOST_REPEATS} times.`,
        true,
      );
  }
}

/** Texts and parameters, also added together; undefined for anything else. */
function patternAt(tokens: readonly Token[], start: number, parameters: GraphRow): string | undefined {
  let pattern = "";
  for (let at = start; ; at += 2) {
    const token = tokens[at];
    const value =
      token?.kind === "parameter" ? parameters[token.value] : token?.kind === "text" ? token.value : undefined;
    if (typeof value !== "string") return undefined;
    pattern += value;
    const next = tokens[at + 1]?.text;
    if (next !== "+") return next === "." || next === "[" || next === "|" || next === "||" ? undefined : pattern;
  }
}
