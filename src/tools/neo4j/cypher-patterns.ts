import { type CypherToken, isName, tokenName } from "./cypher-tokens.js";

/** The places where a query names labels, relation types and properties of the graph. */
export interface Patterns {
  nodes: readonly NodePattern[];
  relations: readonly RelationPattern[];
  /** `variable.key`, also within a map projection. */
  accesses: readonly { variable: string; key: Name }[];
  /** Variables that are also bound outside patterns: after AS, before IN. */
  renamed: ReadonlySet<string>;
}

/** A name of the graph without backticks, and its token. */
export interface Name {
  name: string;
  token: CypherToken;
}

export interface NodePattern {
  variable: string | undefined;
  labels: readonly Name[];
  keys: readonly Name[];
}

export interface RelationPattern {
  variable: string | undefined;
  types: readonly Name[];
  keys: readonly Name[];
  left: NodePattern;
  right: NodePattern;
  direction: "out" | "in" | "any";
  /** Its first and its last dash or arrow head. */
  start: CypherToken;
  end: CypherToken;
  /** True if it has a variable length, so that the nodes in between are unknown. */
  isPath: boolean;
}

/** Reads the patterns of a query and skips everything else. */
export function readPatterns(tokens: readonly CypherToken[]): Patterns {
  const nodes = new Map<number, NodePattern>();
  const nodeFrom = (open: number) => {
    const inside = nodes.has(open) ? undefined : partAt(tokens, open);
    if (inside) nodes.set(open, { variable: inside.variable, labels: inside.names, keys: inside.keys });
    return nodes.get(open);
  };
  const relations: RelationPattern[] = [];
  const accesses: { variable: string; key: Name }[] = [];
  const renamed = new Set<string>();
  tokens.forEach((token, i) => {
    const [before, next, second] = [tokens[i - 1], tokens[i + 1], tokens[i + 2]];
    if (token.text === "(" && (next?.text === ":" || (isName(next) && second?.text === ":"))) nodeFrom(i);
    if (token.text === ")") {
      const relation = relationAt(tokens, i, nodeFrom);
      if (relation) relations.push(relation);
    }
    if (!isName(token)) return;
    if (before?.value === "AS" || (next?.value === "IN" && /^[([]$/.test(before?.text ?? "")))
      renamed.add(tokenName(token));
    if (before?.text !== "." && next?.text === "." && second && isName(second) && tokens[i + 3]?.text !== "(")
      accesses.push({ variable: tokenName(token), key: named(second) });
    if (next?.text === "{" && second?.text === ".")
      for (const key of keysAt(tokens, i + 1, "variable")) accesses.push({ variable: tokenName(token), key });
  });
  return { nodes: [...nodes.values()], relations, accesses, renamed };
}

const named = (token: CypherToken): Name => ({ name: tokenName(token), token });

/** Reads the inside of a node's or a relation's brackets: `name :A|B *1..3 {key: …} WHERE …`. */
function partAt(tokens: readonly CypherToken[], open: number) {
  const close = tokens[open]?.partner;
  if (close === undefined) return undefined;
  let at = open + 1;
  const here = () => (at < close ? tokens[at] : undefined);
  const first = here();
  const variable = first && isName(first) && first.value !== "WHERE" ? tokenName(first) : undefined;
  if (variable !== undefined) at += 1;
  const names: Name[] = [];
  for (let token = here(); token && isLabelPart(token, tokens[at - 1]); token = here()) {
    if (isName(token)) names.push(named(token));
    at += 1;
  }
  const isPath = here()?.text === "*";
  while (isPath && /^(?:\*|\.\.|\d+)$/.test(here()?.text ?? "")) at += 1;
  const keys = here()?.text === "{" ? keysAt(tokens, at, "map") : [];
  if (here()?.text === "{") at = (here()?.partner ?? close) + 1;
  if (here()?.kind === "parameter") at += 1;
  if (here()?.value === "WHERE") at = close;
  return at === close ? { variable, names, keys, isPath } : undefined;
}

/** True for a sign between labels, and for a label after one. */
const isLabelPart = (token: CypherToken, before: CypherToken | undefined) =>
  LABEL_SIGN.test(token.text) || (isName(token) && LABEL_SIGN.test(before?.text ?? "") && token.value !== "WHERE");

const LABEL_SIGN = /^[:|&!]$/;

/** Lists the keys of a map, `{key: …}`, or of a map projection, `{.key}`. */
function keysAt(tokens: readonly CypherToken[], open: number, of: "map" | "variable"): Name[] {
  const inner = (tokens[open]?.depth ?? 0) + 1;
  return tokens.slice(open + 1, tokens[open]?.partner).flatMap((token, i, rest) => {
    const isKey = of === "map" ? rest[i + 1]?.text === ":" : rest[i - 1]?.text === ".";
    const before = rest[i - (of === "map" ? 1 : 2)];
    const isFirst = before === undefined || before.text === ",";
    return isKey && isFirst && token.depth === inner && isName(token) ? [named(token)] : [];
  });
}

function relationAt(
  tokens: readonly CypherToken[],
  close: number,
  nodeFrom: (open: number) => NodePattern | undefined,
): RelationPattern | undefined {
  let at = close + 1;
  const take = (text: string) => tokens[at]?.text === text && ++at > 0;
  const isIn = take("<");
  if (!take("-")) return undefined;
  const open = at;
  const inside = tokens[open]?.text === "[" ? partAt(tokens, open) : undefined;
  if (tokens[open]?.text === "[") {
    if (!inside) return undefined;
    at = (tokens[open]?.partner ?? open) + 1;
  }
  if (!take("-")) return undefined;
  const isOut = take(">");
  const [start, end] = [tokens[close + 1], tokens[at - 1]];
  if (tokens[at]?.text !== "(" || !start || !end) return undefined;
  const [left, right] = [nodeFrom(tokens[close]?.partner ?? -1), nodeFrom(at)];
  if (!left || !right) return undefined;
  const { variable, names: types = [], keys = [], isPath = false } = inside ?? { variable: undefined };
  const direction = isIn === isOut ? "any" : isOut ? "out" : "in";
  return { variable, types, keys, left, right, direction, start, end, isPath };
}
