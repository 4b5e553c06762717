import { isName, isWord } from "./calls.js";
import type { Token } from "./tokens.js";

/** What stands after a colon or IS: `A`, `A|B`, `(A|!B)&C`, `A:B`. */
interface LabelExpression {
  /** How many `|`. */
  alternatives: number;
  /** How many `&`, `!` and further `:`. */
  signs: number;
  isType: boolean;
  /** One of several that OR stands between: `n:A OR n:B`. */
  isAlternative: boolean;
}

/** How many signs join and deny labels or types. The server thinks of a `!` before a `!` before a `!` without end. */
export const labelSigns = (tokens: readonly Token[]): number =>
  labelExpressions(tokens).reduce((sum, { signs }) => sum + signs, 0);

/**
 * In how many ways one label each can be taken from all that are given to choose from. The server makes a list of these
 * ways while it plans, which neither its time limit nor its memory limit stops: twenty times `(A|B)` with `&` between
 * took all of its memory.
 */
export const labelChoices = (tokens: readonly Token[]): number =>
  labelExpressions(tokens)
    .filter(({ isType }) => !isType)
    .reduce(
      (ways, { alternatives, signs, isAlternative }) =>
        ways * (signs > 0 ? 2 ** alternatives : 1 + alternatives) * (isAlternative ? 2 : 1),
      1,
    );

function labelExpressions(tokens: readonly Token[]): LabelExpression[] {
  const found: LabelExpression[] = [];
  for (let start = 0; start < tokens.length; start++) {
    const isNamed = isName(tokens[start - 1]);
    if (tokens[start]?.text !== ":" && !(isNamed && isWord(tokens[start], "IS"))) continue;
    const before = tokens[isNamed ? start - 2 : start - 1];
    const end = endOf(tokens, start + 1);
    const signs = tokens.slice(start + 1, end).map(({ text }) => text);
    found.push({
      alternatives: signs.filter((text) => text === "|").length,
      signs: signs.filter((text) => /^[&!:]$/.test(text)).length,
      isType: before?.text === "[",
      isAlternative: isWord(before, "OR", "XOR") || isWord(tokens[end], "OR", "XOR"),
    });
    start = Math.max(start, end - 1);
  }
  return found;
}

/** Names and signs take turns; a bracket that is closed here was opened here. */
function endOf(tokens: readonly Token[], start: number): number {
  let isAfterName = false;
  for (let at = start; ; at++) {
    const token = tokens[at];
    const text = token?.text ?? "";
    const isClosed = text === ")" && (token?.partner ?? 0) >= start;
    const isOperand = isName(token) || text === "%";
    if (isAfterName ? !isClosed && !/^[|&:]$/.test(text) : !isOperand && !/^[!(:]$/.test(text)) return at;
    isAfterName = isClosed || isOperand;
  }
}
