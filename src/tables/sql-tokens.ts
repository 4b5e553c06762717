/** A lexical token of a query, as SQLite reads it. */
export interface SqlToken {
  /** `name` is quoted: "a", `a` or [a]. `unknown` is what a plain query has no use for, such as a parameter or a blob. */
  kind: "word" | "name" | "text" | "number" | "symbol" | "unknown";
  /** The word as it is written; the inside of quotes; else the token itself. */
  value: string;
  start: number;
  end: number;
  /** For a bracket, the index of the matching one. */
  partner?: number;
}

const TOKEN =
  /(?<space>[ \t\n\f\r]+|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$))|(?<text>'[^']*(?:''[^']*)*')|(?<name>"[^"]*(?:""[^"]*)*"|`[^`]*(?:``[^`]*)*`|\[[^\]]*\])|(?<number>0x[\da-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(?![\w$\u0080-\uffff])|(?<word>(?!x')[a-z_\u0080-\uffff][\w$\u0080-\uffff]*)|(?<symbol>->>?|\|\||<=|>=|<>|!=|==|<<|>>|[-+*/%(),.<>=&|~;])/iy;

/** Splits a query into tokens without comments. Undefined if quotes or brackets do not match. Takes linear time. */
export function sqlTokens(sql: string): SqlToken[] | undefined {
  const tokens: SqlToken[] = [];
  const open: number[] = [];
  for (let start = 0; start < sql.length; ) {
    TOKEN.lastIndex = start;
    const match = TOKEN.exec(sql);
    const text = match?.[0] ?? sql.charAt(start);
    const end = start + text.length;
    const groups = match?.groups ?? {};
    if (!match && /['"`[]/.test(text)) return undefined;
    if (groups.space === undefined) {
      const kind = KINDS.find((each) => groups[each] !== undefined) ?? "unknown";
      const token: SqlToken = { kind, value: kind === "text" || kind === "name" ? inside(text) : text, start, end };
      if (kind === "symbol" && text === "(") open.push(tokens.length);
      if (kind === "symbol" && text === ")") {
        const partner = open.pop();
        const opening = partner === undefined ? undefined : tokens[partner];
        if (partner === undefined || !opening) return undefined;
        opening.partner = tokens.length;
        token.partner = partner;
      }
      tokens.push(token);
    }
    start = end;
  }
  return open.length > 0 ? undefined : tokens;
}

const KINDS = ["text", "name", "number", "word", "symbol"] as const;

function inside(text: string): string {
  const quote = text.charAt(0);
  const within = text.slice(1, -1);
  return quote === "[" ? within : within.replaceAll(quote + quote, quote);
}
