import { plain } from "../../text/tokens.js";
import type { GraphSchema } from "../knowledge/port.js";
import { type CypherToken, isName, readCypher, tokenName } from "./cypher-tokens.js";
import { quotedName, relationText } from "./schema-text.js";

/**
 * Checks a query against the schema and corrects unambiguous mistakes: the case of a name and, as in LangChain's
 * CypherQueryCorrector, the direction of a relation that only exists the other way round. `complaint` says which other
 * names the graph does not have, and what it has instead; it is empty if nothing is wrong. A query that cannot be read
 * is returned unchanged, since the graph will report why.
 */
export function fitToSchema(cypher: string, schema: GraphSchema): { cypher: string; complaint: string } {
  let read: ReturnType<typeof readCypher>;
  try {
    read = readCypher(cypher);
  } catch {
    return { cypher, complaint: "" };
  }
  const { nodes, relations, accesses, renamed } = readPatterns(read.tokens);
  const known = namesOf(schema);
  const edits: Edit[] = [];
  const complaints: string[] = [];

  /** Corrects names in the query to the graph's own. Adds a complaint for each that the graph does not have. */
  const settle = (names: readonly Name[], all: readonly string[], missing: (name: string) => string): string[] =>
    names.flatMap(({ name, token }) => {
      const own = ownName(name, all);
      if (own === undefined) complaints.push(missing(name));
      else if (own !== name) edits.push({ start: token.start, end: token.end, text: quotedName(own) });
      return own === undefined ? [] : [own];
    });

  const labels = new Map<string, Set<string>>();
  const types = new Map<string, Set<string>>();
  const ends = new Map<object, readonly string[]>();
  for (const node of nodes) {
    const own = settle(node.labels, known.labels, (name) => noSuch("label", name, known.labels));
    ends.set(node, own);
    if (node.variable !== undefined) add(labels, node.variable, own);
  }
  const typesOf = new Map(
    relations.map((relation) => {
      const own = settle(relation.types, known.types, (name) => noSuchRelation(name, schema));
      if (relation.variable !== undefined) add(types, relation.variable, own);
      return [relation, own];
    }),
  );
  const labelsOf = (node: RelationPattern["left"]) =>
    node.variable === undefined || renamed.has(node.variable)
      ? (ends.get(node) ?? [])
      : [...(labels.get(node.variable) ?? [])];

  const settleKeys = (keys: readonly Name[], owners: readonly string[], of: ReadonlyMap<string, readonly string[]>) =>
    settle(keys, owners.length > 0 ? owners.flatMap((owner) => of.get(owner) ?? []) : [...of.values()].flat(), (name) =>
      noSuchProperty(name, owners, of),
    );
  for (const node of nodes) settleKeys(node.keys, labelsOf(node), known.ofLabel);
  for (const relation of relations) settleKeys(relation.keys, typesOf.get(relation) ?? [], known.ofType);
  for (const { variable, key } of accesses) {
    if (renamed.has(variable)) continue;
    const isNode = labels.has(variable);
    if (isNode && !types.has(variable)) settleKeys([key], [...(labels.get(variable) ?? [])], known.ofLabel);
    if (!isNode && types.has(variable)) settleKeys([key], [...(types.get(variable) ?? [])], known.ofType);
  }

  for (const relation of relations) {
    const own = typesOf.get(relation) ?? [];
    if (relation.isPath || own.length === 0 || own.length < relation.types.length) continue;
    const [left, right] = [labelsOf(relation.left), labelsOf(relation.right)];
    const leads = (from: readonly string[], to: readonly string[]) =>
      schema.relations.some((r) => own.includes(r.type) && mayBe(from, r.from) && mayBe(to, r.to));
    const [forth, back] = [leads(left, right), leads(right, left)];
    if (!forth && !back) complaints.push(noSuchEnds(own, left, right, schema));
    else if (relation.direction === "out" && !forth) edits.push(...turned(relation));
    else if (relation.direction === "in" && !back) edits.push(...turned(relation));
  }
  return { cypher: edited(read.cypher, edits), complaint: [...new Set(complaints)].slice(0, 3).join(" ") };
}

type Edit = Pick<CypherToken, "start" | "end" | "text">;

function namesOf({ nodes, relations }: GraphSchema) {
  const ofLabel = new Map(nodes.map(({ label, properties }) => [label, properties.map(({ name }) => name)]));
  const ofType = new Map<string, string[]>();
  for (const { type, properties } of relations)
    ofType.set(type, [...(ofType.get(type) ?? []), ...properties.map(({ name }) => name)]);
  return { labels: [...ofLabel.keys()], types: [...ofType.keys()], ofLabel, ofType };
}

function add(map: Map<string, Set<string>>, key: string, more: readonly string[]) {
  map.set(key, new Set([...(map.get(key) ?? []), ...more]));
}

/**
 * Returns the name itself, or the only one that differs just in case, width, accents, spaces, hyphens and underscores.
 */
function ownName(name: string, all: readonly string[]): string | undefined {
  if (all.includes(name)) return name;
  const [alike, ...others] = new Set(all.filter((other) => folded(other) === folded(name)));
  return others.length === 0 ? alike : undefined;
}

const folded = (name: string) => plain(name).replace(/[\s_-]/g, "");

/** True if an end may have this label. An end without a label, in the query or in the schema, may have any. */
const mayBe = (labels: readonly string[], end: string) => labels.length === 0 || end === "" || labels.includes(end);

/** Moves the arrow head to the other end. */
const turned = ({ direction, start, end }: RelationPattern): Edit[] =>
  direction === "out"
    ? [
        { start: start.start, end: start.start, text: "<" },
        { ...end, text: "" },
      ]
    : [
        { ...start, text: "" },
        { start: end.end, end: end.end, text: ">" },
      ];

const edited = (cypher: string, edits: readonly Edit[]) =>
  edits
    .toSorted((a, b) => b.start - a.start || b.end - a.end)
    .reduce((text, { start, end, text: put }) => text.slice(0, start) + put + text.slice(end), cypher);

const noSuch = (what: string, name: string, all: readonly string[]) =>
  `There is no ${what} ${quotedName(name)}; there is: ${all.slice(0, MAX_LISTED).map(quotedName).join(", ")}.`;

const noSuchRelation = (name: string, { relations }: GraphSchema) =>
  `There is no relation ${quotedName(name)}; there is: ${relations.slice(0, MAX_LISTED).map(relationText).join(", ")}.`;

function noSuchProperty(name: string, owners: readonly string[], of: ReadonlyMap<string, readonly string[]>): string {
  if (owners.length === 0) return `Nothing in the graph has a property ${quotedName(name)}.`;
  const own = owners.flatMap((owner) => of.get(owner) ?? []).slice(0, MAX_LISTED);
  const others = [...of].filter(([owner, keys]) => !owners.includes(owner) && ownName(name, keys) !== undefined);
  return [
    `${owners.map(quotedName).join(" or ")} has no property ${quotedName(name)}`,
    own.length === 0 ? "it has none" : `it has: ${own.map(quotedName).join(", ")}`,
    ...others.slice(0, 3).map(([owner]) => `${quotedName(owner)} has it`),
  ]
    .join("; ")
    .concat(".");
}

function noSuchEnds(
  types: readonly string[],
  left: readonly string[],
  right: readonly string[],
  { relations }: GraphSchema,
): string {
  const ends = [left, right].map((labels) => labels.map(quotedName).join(" or ") || "anything").join(" and ");
  const there = relations.filter(({ type }) => types.includes(type)).map(relationText);
  return `No ${types.map(quotedName).join(" or ")} is between ${ends}; there is: ${there.slice(0, MAX_LISTED).join(", ")}.`;
}

const MAX_LISTED = 12;

/** The places where a query names labels, relation types and properties of the graph. */
interface Patterns {
  nodes: readonly NodePattern[];
  relations: readonly RelationPattern[];
  /** `variable.key`, also within a map projection. */
  accesses: readonly { variable: string; key: Name }[];
  /** Variables that are also bound outside patterns: after AS, before IN. */
  renamed: ReadonlySet<string>;
}

/** A name of the graph without backticks, and its token. */
interface Name {
  name: string;
  token: CypherToken;
}

interface NodePattern {
  variable: string | undefined;
  labels: readonly Name[];
  keys: readonly Name[];
}

interface RelationPattern {
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
function readPatterns(tokens: readonly CypherToken[]): Patterns {
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
