import { CypherError } from "../../errors.js";

/** A lexical token of a query. */
export interface CypherToken {
  kind: "word" | "quoted" | "text" | "number" | "parameter" | "symbol";
  /** As written, including quotes and `$`. */
  text: string;
  /** The word in upper case; the inside of quotes; the name of a parameter. */
  value: string;
  start: number;
  end: number;
  /** The number of open brackets around it. A bracket is not inside itself. */
  depth: number;
  /** For a bracket, the index of the matching one. */
  partner?: number;
}

const MAX_DEPTH = 40;

/**
 * Removes comments and escapes from a query and tokenises it as the server does. The server decodes \uXXXX before it
 * reads the query, so an escape can end a text or a comment. Only escapes of letters and digits outside ASCII are
 * accepted, and they are decoded. Callers run the returned text, so other readings of the original do not matter.
 * @throws CypherError for a query that could be read in two ways.
 */
export function readCypher(cypher: string): { cypher: string; tokens: CypherToken[] } {
  const decoded = withoutEscapes(cypher);
  const clean = pieces(decoded)
    .map(({ kind, text }) => (kind === "comment" ? " " : kind === "space" ? text.replace(/[^ \t\r\n]/g, " ") : text))
    .join("")
    .replace(/[\s;]+$/u, "")
    .trimStart();
  return { cypher: clean, tokens: paired(pieces(clean)) };
}

const withoutEscapes = (cypher: string) =>
  cypher.replace(/\\(?:u([0-9a-f]{4})|.)/gisu, (escaped, code?: string) => {
    if (!/^\\u/i.test(escaped)) return escaped;
    const letter = code && String.fromCharCode(Number.parseInt(code, 16));
    if (letter && /^[^\0-\x7f]$/u.test(letter) && /^[\p{L}\p{N}]$/u.test(letter)) return letter;
    throw new CypherError(
      `The escape ${escaped} is not allowed. Write the character itself, or pass it as a parameter.`,
      true,
    );
  });

const PIECE =
  /(?<space>\s+)|(?<comment>\/\/[^\r\n]*|\/\*.*?\*\/)|(?<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?<quoted>`(?:[^`]|``)*`)|(?<parameter>\$(?:[\p{L}\p{N}_]+|`(?:[^`]|``)*`))|(?<number>0x[0-9a-f]+|0o[0-7]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)|(?<word>[\p{L}\p{Nl}_][\p{L}\p{N}\p{M}_]*)|(?<symbol>\.\.|\|\||\/(?![/*])|[-()[\]{},.:;|+*%^=<>!&?$~])/isuy;

interface Piece {
  kind: CypherToken["kind"] | "space" | "comment";
  text: string;
  start: number;
}

function pieces(cypher: string): Piece[] {
  const found: Piece[] = [];
  let start = 0;
  while (start < cypher.length) {
    PIECE.lastIndex = start;
    const match = PIECE.exec(cypher);
    const named = Object.entries(match?.groups ?? {}).find(([, text]) => text !== undefined);
    if (!named?.[1]) throw unreadable(cypher, start);
    const [kind, text] = named as [Piece["kind"], string];
    const before = found.at(-1);
    // The server may read a currency sign or a digit as part of a name, and 1e or 0x as a number.
    if (GLUED.has(kind) && before && GLUED.has(before.kind)) throw unreadable(cypher, before.start);
    found.push({ kind, text, start });
    start += text.length;
  }
  return found;
}

const GLUED = new Set<Piece["kind"]>(["word", "number", "parameter"]);

function paired(found: readonly Piece[]): CypherToken[] {
  const tokens: CypherToken[] = [];
  const open: number[] = [];
  for (const { kind, text, start } of found) {
    if (kind === "space" || kind === "comment") continue;
    const token: CypherToken = {
      kind,
      text,
      value: inside(kind, text),
      start,
      end: start + text.length,
      depth: open.length,
    };
    if (CLOSED_BY.has(text)) open.push(tokens.length);
    else if (/^[)\]}]$/.test(text)) {
      const index = open.pop();
      const opening = index === undefined ? undefined : tokens[index];
      if (!opening || index === undefined || CLOSED_BY.get(opening.text) !== text)
        throw new CypherError(`A bracket is closed that is not open: ${text} at position ${start}.`, true);
      opening.partner = tokens.length;
      token.partner = index;
      token.depth = open.length;
    }
    if (open.length > MAX_DEPTH)
      throw new CypherError(`Brackets are nested more than ${MAX_DEPTH} deep. Write a simpler query.`, true);
    tokens.push(token);
  }
  if (open.length > 0) throw new CypherError("A bracket is not closed.", true);
  return tokens;
}

const CLOSED_BY: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
]);

function inside(kind: CypherToken["kind"], text: string): string {
  if (kind === "word") return text.toUpperCase();
  if (kind === "text" || kind === "quoted") return text.slice(1, -1);
  if (kind === "parameter") return text.replace(/^\$`?|`$/g, "");
  return text;
}

const unreadable = (cypher: string, at: number) =>
  new CypherError(
    `Cannot read the query at position ${at}: ${JSON.stringify(cypher.slice(at, at + 20))}. Close every quote and comment, and use plain characters outside of quotes.`,
    true,
  );

/** A call of a function or a procedure. */
export interface CypherCall {
  kind: "function" | "procedure";
  /** With its namespace, without quotes and white space. */
  name: string;
  /** The index of the bracket before its arguments; undefined for a procedure without any. */
  open: number | undefined;
}

/** Lists every name before a bracket or after CALL, in order. Keywords before a bracket count as functions. */
export function calls(tokens: readonly CypherToken[]): CypherCall[] {
  const found: CypherCall[] = [];
  for (const [index, token] of tokens.entries()) {
    if (!isName(token) || tokens[index + 1]?.text === ".") continue;
    const start = startOfName(tokens, index);
    const open = tokens[index + 1]?.text === "(" ? index + 1 : undefined;
    const parts = tokens.slice(start, index + 1).filter(isName);
    const name = parts.map(tokenName).join(".");
    if (isWord(tokens[start - 1], "CALL") && tokens[start - 2]?.text !== ".")
      found.push({ kind: "procedure", name, open });
    else if (open !== undefined && !isIndexHint(tokens, start)) found.push({ kind: "function", name, open });
  }
  return found;
}

export const isName = (token: CypherToken | undefined): token is CypherToken =>
  token?.kind === "word" || token?.kind === "quoted";

export const isWord = (token: CypherToken | undefined, ...words: string[]): boolean =>
  token?.kind === "word" && words.includes(token.value);

/** A half-open range of tokens. */
export interface Range {
  from: number;
  to: number;
}

/** Splits the tokens between `from` and `to` at the commas that are not in further brackets. */
export function commaRanges(tokens: readonly CypherToken[], from: number, to: number): Range[] {
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

function startOfName(tokens: readonly CypherToken[], end: number): number {
  let start = end;
  while (tokens[start - 1]?.text === "." && isName(tokens[start - 2])) start -= 2;
  return start;
}

/** True for the label in USING INDEX m:Movie(title), which calls no function. */
const isIndexHint = (tokens: readonly CypherToken[], label: number) =>
  tokens[label - 1]?.text === ":" && isWord(tokens[label - 3], "INDEX", "SEEK");

/** Returns the name that a word or a quoted name stands for. */
export const tokenName = ({ kind, value, text }: CypherToken) =>
  kind === "quoted" ? value.replaceAll("``", "`") : text;

/** Decodes the plain escapes in a quoted text. A backslash before any other character stays. */
export const unescaped = (inside: string) =>
  inside.replace(/\\([\\'"bfnrt])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
const ESCAPES: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Lists the variables and parameters that a range of tokens reads, one entry for each occurrence. */
export function readsIn(tokens: readonly CypherToken[], { from, to }: Range): { name: string; at: number }[] {
  const found: { name: string; at: number }[] = [];
  for (let at = from; at < to; at += 1) {
    const token = tokens[at];
    if (!token) continue;
    if (token.kind === "parameter") found.push({ name: token.text, at });
    if (!isName(token) || (token.kind === "word" && WORDS.has(token.value))) continue;
    const before = tokens[at - 1];
    const after = tokens[at + 1]?.text;
    const isProperty = before?.text === ".";
    const isKeyOrCall = after === "(" || (after === ":" && /^[{,]$/.test(before?.text ?? ""));
    const isType = before?.text === ":" && tokens[at - 2]?.text !== "{" && isInPattern(tokens, at);
    if (!isProperty && !isKeyOrCall && !isType) found.push({ name: tokenName(token), at });
  }
  return found;
}

/** True for a label or type in `(a:Label)` or `-[:TYPE]-`; false for the value in `{key: value}`. */
function isInPattern(tokens: readonly CypherToken[], at: number): boolean {
  const before = tokens[at - 2];
  return before?.text === "(" || before?.text === "[" || (isName(before) && !/^[{,]$/.test(tokens[at - 3]?.text ?? ""));
}

const WORDS = new Set(
  `CASE WHEN THEN ELSE END AND OR XOR NOT IN IS NULL TRUE FALSE STARTS ENDS WITH CONTAINS DISTINCT AS WHERE MATCH OPTIONAL
  RETURN UNWIND CALL YIELD ORDER BY ASC DESC ASCENDING DESCENDING SKIP LIMIT UNION ALL ANY NONE SINGLE COUNT EXISTS
  COLLECT`.split(/\s+/),
);
