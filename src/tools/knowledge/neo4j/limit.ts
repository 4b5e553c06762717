import { CypherError } from "../../../errors.js";
import type { GraphRow } from "../../../types/graph.js";
import { commaRanges, isName, isWord } from "./calls.js";
import type { Token } from "./tokens.js";

/** More rows than this no query may return. */
export const MOST_ROWS = 100;

/**
 * The query with a LIMIT of at most 100 on all that it returns; columns and order stay as they are.
 * @param columns The names of the columns as Cypher, comma separated: those of the plan of the query as it is.
 * @throws CypherError when the query has no end that can be limited.
 */
export function limited(cypher: string, tokens: readonly Token[], parameters: GraphRow, columns: string): string {
  const outer = tokens.map((token, index) => ({ token, index })).filter(({ token }) => token.depth === 0);
  const isClause = (index: number) =>
    !/^[.:,]$/.test(tokens[index - 1]?.text ?? "") && !isWord(tokens[index - 1], "AS", "RETURN");
  const last = (word: string) => outer.findLast(({ token, index }) => isWord(token, word) && isClause(index))?.index;

  const inside = () => `CALL () {\n${withAliases(cypher, tokens)}\n}\nRETURN ${columns}\nLIMIT ${MOST_ROWS}`;

  if (last("UNION") !== undefined) return inside();
  const end = last("RETURN");
  if (end === undefined) return calledAlone(cypher, tokens, columns);
  const limit = last("LIMIT");
  if (limit === undefined || limit < end) return `${cypher}\nLIMIT ${MOST_ROWS}`;

  const [amount, ...rest] = tokens.slice(limit + 1);
  const most = amount?.kind === "parameter" ? parameters[amount.value] : Number(amount?.text.replaceAll("_", ""));
  // Anything but a number is worked out by the server: no two LIMITs can be compared here.
  if (!amount || rest.length > 0 || typeof most !== "number" || !Number.isSafeInteger(most)) return inside();
  return most <= MOST_ROWS ? cypher : `${cypher.slice(0, amount.start)}${MOST_ROWS}${cypher.slice(amount.end)}`;
}

/** What a query returns inside another one needs names of its own; without them a column has its text as its name. */
function withAliases(cypher: string, tokens: readonly Token[]): string {
  const added: { at: number; name: string }[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.depth > 0 || !isWord(token, "RETURN") || tokens[index - 1]?.text === ".") continue;
    const from = isWord(tokens[index + 1], "DISTINCT") ? index + 2 : index + 1;
    const after = tokens.findIndex(
      (next, at) => at > index && next.depth === 0 && isWord(next, "ORDER", "SKIP", "OFFSET", "LIMIT", "UNION"),
    );
    for (const item of commaRanges(tokens, from, after < 0 ? tokens.length : after)) {
      const [first, ...more] = tokens.slice(item.from, item.to);
      const final = more.at(-1) ?? first;
      if (!first || !final || first.text === "*" || (more.length === 0 && isName(first))) continue;
      if (more.some((part) => part.depth === 0 && isWord(part, "AS"))) continue;
      added.push({ at: final.end, name: cypher.slice(first.start, final.end).replaceAll("`", "``") });
    }
  }
  return added.reduceRight((text, { at, name }) => `${text.slice(0, at)} AS \`${name}\`${text.slice(at)}`, cypher);
}

/** `CALL db.labels()` with nothing after it. */
function calledAlone(cypher: string, tokens: readonly Token[], columns: string): string {
  const unlimited = new CypherError("The query returns nothing. End it with RETURN.", true);
  if (!isWord(tokens[0], "CALL") || !isName(tokens[1]) || !columns) throw unlimited;
  const yielding = tokens.findIndex((token) => token.depth === 0 && isWord(token, "YIELD"));
  const ending = `RETURN ${columns}\nLIMIT ${MOST_ROWS}`;
  if (yielding >= 0 && tokens[yielding + 1]?.text !== "*") return `${cypher}\n${ending}`;
  const call = yielding < 0 ? cypher : cypher.slice(0, tokens[yielding]?.start);
  return `${call}${tokens.some(({ text }) => text === "(") ? "" : "()"}\nYIELD ${columns}\n${ending}`;
}
