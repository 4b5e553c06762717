import { CypherError } from "../../../errors.js";
import type { GraphRow } from "../../../types/graph.js";
import { textOf } from "./growth.js";
import type { Token } from "./tokens.js";

/**
 * The query with its patterns after =~ so written that Java does not try them in many ways, the rest as it was. They run
 * inside of one expression, where the server cannot stop them.
 * @throws CypherError with what to write instead.
 */
export function withBoundedPatterns(cypher: string, tokens: readonly Token[], parameters: GraphRow): string {
  let changed = "";
  let done = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.text !== "=" || tokens[index + 1]?.text !== "~") continue;
    const [written, after] = tokens.slice(index + 2, index + 4);
    const isWhole = !/^(?:\+|\|\||\||\.|\[)$/.test(after?.text ?? "");
    const text = isWhole ? textOf(written, parameters) : undefined;
    const bounded = text === undefined ? undefined : boundedPattern(written?.kind === "text" ? meant(text) : text);
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
 * A pattern of words and `.*` for Java's regular expressions, written so that nothing is tried twice: `.*a.*b.*` as
 * `(?>.*?a)(?>.*?b).*+`. They mean the same where the whole text must match: a word has one length and no end of a line
 * in it, so that what can follow any of its occurrences can follow the first. Undefined for any other pattern: Java lays
 * it on a text in every way it can, `.*a.*` in n² ways, `(a|a)` thirty times in 2³⁰.
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
/** A letter, a digit, a sign that means nothing to Java, or any sign but the backslash with a backslash before it. */
const CHARACTER = String.raw`(?:[\p{L}\p{N} _@,:;'"/&%#!<>=~.-]|\\(?![\\0-9A-Za-z])[ -~])`;
const ALTERNATIVE = `\\^?(?:${CHARACTER}|\\.\\*)*\\$?`;
const ALTERNATIVES = new RegExp(`^${ALTERNATIVE}(?:\\|${ALTERNATIVE})*$`, "u");

/** The text that a text in quotes stands for. A backslash before any other letter is one. */
const meant = (inside: string) => inside.replace(/\\([\\'"bfnrt])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
const ESCAPES: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
