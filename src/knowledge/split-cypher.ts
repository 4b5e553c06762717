/** A statement of a script, with the line it begins on, from 1. */
export interface Statement {
  line: number;
  text: string;
}

/**
 * Cuts a Cypher script at the semicolons that end statements, not at those inside strings, names in backticks and
 * comments. Statements of nothing but comments are left out.
 */
export function splitCypher(script: string): Statement[] {
  const found: Statement[] = [];
  let start = 0;
  for (const match of script.matchAll(TOKEN)) {
    if (match[0] !== ";") continue;
    push(found, script, start, match.index);
    start = match.index + 1;
  }
  push(found, script, start, script.length);
  return found;
}

/** What may hold a semicolon, whole, also where it is never closed; and the semicolon. */
const TOKEN =
  /'(?:[^'\\]|\\[\s\S])*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|;/g;

function push(found: Statement[], script: string, from: number, to: number) {
  const text = script.slice(from, to);
  const words = text.replace(TOKEN, (piece) => (/^\/[/*]/.test(piece) ? piece.replace(/[^\n]/g, " ") : piece));
  if (words.trim() === "") return;
  const first = from + words.search(/\S/);
  found.push({ line: script.slice(0, first).split("\n").length, text: script.slice(first, to).trim() });
}
