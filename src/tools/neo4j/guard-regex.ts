import { CypherError } from "../../errors.js";
import type { GraphRow } from "../../types/knowledge.js";
import { type CypherToken, unescaped } from "./cypher-tokens.js";
import { textValue } from "./guard-growth.js";

/**
 * Rewrites the patterns after =~ so that Java matches them without backtracking. They run inside one expression, where
 * the server's time limit cannot stop them.
 * @throws CypherError with what to write instead.
 */
export function withBoundedPatterns(cypher: string, tokens: readonly CypherToken[], parameters: GraphRow): string {
  let changed = "";
  let done = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.text !== "=" || tokens[index + 1]?.text !== "~") continue;
    const [written, after] = tokens.slice(index + 2, index + 4);
    const isWhole = !/^(?:\+|\|\||\||\.|\[)$/.test(after?.text ?? "");
    const text = isWhole ? textValue(written, parameters) : undefined;
    const bounded = text === undefined ? undefined : boundedPattern(written?.kind === "text" ? unescaped(text) : text);
    if (!written || bounded === undefined)
      throw new CypherError(
        "A pattern after =~ is words with .* between them and | between several, such as '(?i).*tom.*|.*tim.*', in quotes or as a parameter. Or use CONTAINS.",
        true,
      );
    changed += `${cypher.slice(done, written.start)}'${bounded.replace(/[\\']/g, "\\$&")}'`;
    done = written.end;
  }
  return changed + cypher.slice(done);
}

/**
 * Rewrites a Java pattern of words and `.*` so that it does not backtrack: `.*a.*b.*` becomes `(?>.*?a)(?>.*?b).*+`. Both
 * match the same whole texts: a word has a fixed length and holds no line end, so whatever can follow any occurrence of
 * it can follow the first one. Undefined for any other pattern, which may backtrack: `.*a.*` tries n² ways, `(a|a)`
 * thirty times 2³⁰.
 */
export function boundedPattern(pattern: string): string | undefined {
  const flags = pattern.startsWith("(?i)") ? "(?i)" : "";
  const alternatives = pattern.slice(flags.length).replace(/(?<!\\)\.\+/g, "..*");
  if (pattern.length > LONGEST || !ALTERNATIVES.test(alternatives)) return undefined;
  const bounded = alternatives.split(/(?<!\\)\|/).map((alternative) => {
    const [start = "", ...words] = alternative.replace(/^\^|(?<!\\)\$$/g, "").split(/(?<!\\)(?:\.\*)+/);
    const end = words.pop();
    const found = words.map((word) => `(?>.*?${word})`).join("");
    return start + found + (end === undefined ? "" : end === "" ? ".*+" : `.*${end}`);
  });
  return flags + bounded.join("|");
}

const LONGEST = 200;
/** A letter, a digit, a character without a meaning in Java's patterns, or an escaped one other than the backslash. */
const CHARACTER = String.raw`(?:[\p{L}\p{N} _@,:;'"/&%#!<>=~.-]|\\(?![\\0-9A-Za-z])[ -~])`;
const ALTERNATIVE = `\\^?(?:${CHARACTER}|\\.\\*)*\\$?`;
const ALTERNATIVES = new RegExp(`^${ALTERNATIVE}(?:\\|${ALTERNATIVE})*$`, "u");
