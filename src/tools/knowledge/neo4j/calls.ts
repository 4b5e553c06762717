import type { Token } from "./tokens.js";

/** A function or a procedure that a query names. */
export interface Call {
  kind: "function" | "procedure";
  /** With its namespace, without quotes and white space. */
  name: string;
  /** The index of the bracket before its arguments; undefined for a procedure without any. */
  open: number | undefined;
  /** The index of the last token of its name. */
  end: number;
}

/** Everything that stands before a bracket or after CALL, in order. Words of the language are among the functions. */
export function calls(tokens: readonly Token[]): Call[] {
  const found: Call[] = [];
  for (const [index, token] of tokens.entries()) {
    if (!isName(token) || tokens[index + 1]?.text === ".") continue;
    const start = startOfName(tokens, index);
    const bracket = tokens[index + 1]?.text === "(" ? index + 1 : undefined;
    const name = tokens
      .slice(start, index + 1)
      .filter(isName)
      .map((part) => (part.kind === "quoted" ? part.value.replaceAll("``", "`") : part.text))
      .join(".");
    if (isWord(tokens[start - 1], "CALL") && tokens[start - 2]?.text !== ".")
      found.push({ kind: "procedure", name, open: bracket, end: index });
    else if (bracket !== undefined && !isIndexHint(tokens, start))
      found.push({ kind: "function", name, open: bracket, end: index });
  }
  return found;
}

export const isName = (token: Token | undefined): token is Token => token?.kind === "word" || token?.kind === "quoted";

export const isWord = (token: Token | undefined, ...words: string[]): boolean =>
  token?.kind === "word" && words.includes(token.value);

/** A half-open range of tokens. */
export interface Range {
  from: number;
  to: number;
}

/** The commas between `from` and `to` that are in no further bracket cut it into these ranges. */
export function commaRanges(tokens: readonly Token[], from: number, to: number): Range[] {
  const depth = tokens[from]?.depth;
  const ranges: Range[] = [];
  let start = from;
  for (let index = from; index <= to; index += 1) {
    const token = tokens[index];
    if (index < to && !(token?.text === "," && token.depth === depth)) continue;
    if (index > start) ranges.push({ from: start, to: index });
    start = index + 1;
  }
  return ranges;
}

function startOfName(tokens: readonly Token[], end: number): number {
  let start = end;
  while (tokens[start - 1]?.text === "." && isName(tokens[start - 2])) start -= 2;
  return start;
}

/** USING INDEX m:Movie(title), where no function is called. */
const isIndexHint = (tokens: readonly Token[], label: number) =>
  tokens[label - 1]?.text === ":" && isWord(tokens[label - 3], "INDEX", "SEEK");
