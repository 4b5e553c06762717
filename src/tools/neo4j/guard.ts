import type { Plan, ResultSummary } from "neo4j-driver";
import { CypherError } from "../../errors.js";
import type { GraphRow, GraphValue } from "../../types/knowledge.js";
import { type CypherToken, calls, isName, isWord, readCypher, unescaped } from "./cypher-tokens.js";
import { checkGrowth, checkSize, textValue } from "./guard-limits.js";

type Explain = (cypher: string, parameters: GraphRow) => Promise<ResultSummary>;

/** The size of a query and its parameters, in characters, and their nesting. Set by hand. */
const MAX_LENGTH = 4_000;
const MAX_PARAMETERS_LENGTH = 20_000;
const MAX_PARAMETERS = 50;
const MAX_DEPTH = 8;

/** The most rows that a query returns. */
export const MAX_ROWS = 100;

/**
 * Checks that a query only reads this graph. Returns the query to run: with bounded patterns, and with a limit on its
 * rows if it has none at its end. Checks the text first, then the server's plan for it. See docs/cypher-guard.md.
 * @throws CypherError that names what is not allowed, or the mistake that the server finds.
 */
export async function guard(cypher: string, parameters: GraphRow, explain: Explain): Promise<string> {
  checkParameters(parameters);
  if (cypher.length > MAX_LENGTH)
    throw refused(`The query is longer than ${MAX_LENGTH.toLocaleString("en")} characters.`);
  const given = readCypher(cypher);
  checkText(given.tokens, parameters);
  const read = readCypher(withBoundedPatterns(given.cypher, given.tokens, parameters));
  checkSize(read.tokens);
  checkGrowth(read.tokens, parameters);
  const last = (word: string) => read.tokens.findLastIndex((_, at) => isClause(read.tokens, at, word));
  const end = last("RETURN");
  // The limit only saves the server work: the caller stops after 100 rows, even with a union or a higher limit.
  const hasOwn = end < 0 || last("UNION") >= 0 || last("LIMIT") > end;
  const bounded = hasOwn ? read.cypher : `${read.cypher}\nLIMIT ${MAX_ROWS}`;
  const { queryType, plan } = await explain(bounded, parameters);
  if (queryType !== "r") throw refused("The query would change something. Only reading is allowed.");
  if (!plan) throw refused("The server shows no plan for this query.");
  checkPlan(plan);
  const [first, second] = read.tokens;
  if (end < 0 && !(isWord(first, "CALL") && isName(second)))
    throw refused("The query returns nothing. End it with RETURN.");
  return bounded;
}

const isClause = (tokens: readonly CypherToken[], at: number, word: string) =>
  tokens[at]?.depth === 0 && isWord(tokens[at], word) && tokens[at - 1]?.text !== "." && !isWord(tokens[at - 1], "AS");

const refused = (message: string) => new CypherError(message, true);

/** Checks the text alone. The plan would show most of it too, but these messages help more. */
function checkText(tokens: readonly CypherToken[], parameters: GraphRow): void {
  const [first] = tokens;
  if (!first) throw refused("The query is empty.");
  if (!isWord(first, "MATCH", "OPTIONAL", "WITH", "UNWIND", "CALL", "RETURN"))
    throw refused(`A query begins with MATCH, OPTIONAL MATCH, WITH, UNWIND, CALL or RETURN, not with ${first.text}.`);
  for (const [index, token] of tokens.entries()) {
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    if (token.text === ";") throw refused("Write one statement only.");
    if (isWord(token, "LOAD") && isWord(next, "CSV")) throw refused("LOAD CSV is not allowed.");
    if (token.text === "}" && isWord(next, "IN") && tokens.slice(index + 2, index + 5).some(isTransactions))
      throw refused("IN TRANSACTIONS is not allowed.");
    if (isWord(token, "USE") && !/^[.:,([|]$/.test(before?.text ?? "") && isName(next))
      throw refused("USE is not allowed: a query may only read this graph.");
    if (token.kind === "parameter" && !Object.hasOwn(parameters, token.value))
      throw refused(`The parameter ${token.text} has no value.`);
  }
  for (const { kind, name } of calls(tokens)) {
    if (kind === "procedure" && !PROCEDURES.has(name)) throw notAllowed("procedure", name);
    if (kind === "function" && !FUNCTIONS.has(name.toLowerCase()) && !BEFORE_BRACKETS.has(name.toUpperCase()))
      throw notAllowed("function", name);
  }
}

/** Finds `IN TRANSACTIONS` and `IN 3 CONCURRENT TRANSACTIONS`, but not a variable with this name. */
const isTransactions = (token: CypherToken) => isWord(token, "TRANSACTIONS");

/** Parameters must be plain JSON of a bounded size, with names that need no quotes. */
function checkParameters(parameters: GraphRow): void {
  const names = Object.keys(parameters);
  if (names.length > MAX_PARAMETERS || names.some((name) => !/^[\p{L}\p{N}_]{1,64}$/u.test(name)))
    throw refused(`At most ${MAX_PARAMETERS} parameters, with names of letters, digits and _.`);
  if (!Object.values(parameters).every((value) => isPlain(value, 0))) throw refused("Parameters must be plain JSON.");
  if (JSON.stringify(parameters).length > MAX_PARAMETERS_LENGTH)
    throw refused(`The parameters are longer than ${MAX_PARAMETERS_LENGTH.toLocaleString("en")} characters.`);
}

function isPlain(value: GraphValue | undefined, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((inner) => isPlain(inner, depth + 1));
  if (typeof value === "object" && value !== null)
    return (
      [Object.prototype, null].includes(Object.getPrototypeOf(value)) &&
      Object.values(value).every((inner) => isPlain(inner, depth + 1))
    );
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}

/**
 * Checks every operator of a query's plan.
 * @throws CypherError at the first operator, procedure or function that is not on the list.
 */
export function checkPlan(plan: Plan): void {
  const operator = plan.operatorType.replace(/@.*$/, "").replace(/\(.*$/, "").trim();
  const given: unknown = Reflect.get(plan.arguments, "Details");
  const details = typeof given === "string" ? given : "";
  if (!OPERATORS.has(operator))
    throw new CypherError(`${operator} is not allowed: a query may only read this graph.`, true);
  if (operator === "ProcedureCall") {
    const procedure = details.slice(0, details.indexOf("(")).replace(/[`\s]/g, "");
    if (!PROCEDURES.has(procedure)) throw notAllowed("procedure", procedure);
  } else {
    const unknown = printedCalls(details).find((name) => !FUNCTIONS.has(name.toLowerCase()));
    if (unknown) throw notAllowed("function", unknown);
  }
  for (const child of plan.children) checkPlan(child);
}

function notAllowed(kind: "procedure" | "function", name: string): CypherError {
  const instead =
    kind === "procedure"
      ? `These are: ${[...PROCEDURES].join(", ")}.`
      : "Use Cypher's own functions on the graph's data, and UNWIND with sum() or collect() for reduce().";
  return new CypherError(`The ${kind} ${name} is not allowed. ${instead}`, true);
}

/**
 * Finds the calls in a printed expression that matter: functions with a namespace, which every user-defined function
 * has, and the two built-in ones that read file names. Skips texts, but not quoted names, since a call may be quoted.
 */
function printedCalls(details: string): string[] {
  const printed = details.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "''");
  const name = "(?:`(?:[^`]|``)*`|[\\p{L}_][\\p{L}\\p{N}_]*)";
  const called = printed.matchAll(new RegExp(`(${name}(?:\\s*\\.\\s*${name})+|\\bfile|\\blinenumber)\\s*\\(`, "giu"));
  return [...called].map(([, call = ""]) => call.replace(/[`\s]/g, ""));
}

/**
 * The operators that a query written by a model may use on Neo4j 5.26. All others are refused, including those that a
 * later version adds. Operators are named as in query plans, without the part in brackets.
 */
export const OPERATORS: ReadonlySet<string> = names(`
  ProduceResults Projection Filter Distinct OrderedDistinct Limit ExhaustiveLimit Skip Sort PartialSort Top PartialTop
  EagerAggregation OrderedAggregation Eager Optional Argument Input Unwind PartitionedUnwind CacheProperties
  RemoteBatchProperties RemoteBatchPropertiesWithFilter NullifyMetadata PreserveOrder EmptyResult EmptyRow NonFuseable
  NonPipelined NonPipelinedStreaming ArgumentTracker
  Apply SemiApply AntiSemiApply LetSemiApply LetAntiSemiApply SelectOrSemiApply SelectOrAntiSemiApply
  LetSelectOrSemiApply LetSelectOrAntiSemiApply ConditionalApply AntiConditionalApply RollUpApply Anti
  CartesianProduct NodeHashJoin ValueHashJoin NodeLeftOuterHashJoin NodeRightOuterHashJoin Union OrderedUnion
  AssertSameNode AssertSameRelationship TriadicSelection TriadicBuild TriadicFilter ProjectEndpoints
  Expand OptionalExpand VarLengthExpand BFSPruningVarLengthExpand PathPropagatingBFS Repeat BidirectionalRepeat
  RepeatOptions ShortestPath StatefulShortestPath
  NodeCountFromCountStore RelationshipCountFromCountStore
  AllNodesScan NodeByLabelScan UnionNodeByLabelsScan IntersectionNodeByLabelsScan SubtractionNodeByLabelsScan
  DynamicLabelNodeLookup NodeByIdSeek NodeByElementIdSeek
  NodeIndexSeek NodeUniqueIndexSeek NodeIndexSeekByRange NodeUniqueIndexSeekByRange NodeIndexScan
  NodeIndexContainsScan NodeIndexEndsWithScan MultiNodeIndexSeek AssertingMultiNodeIndexSeek
  ${bothWays(`AllRelationshipsScan RelationshipTypeScan UnionRelationshipTypesScan RelationshipIdSeek RelationshipByIdSeek
  RelationshipByElementIdSeek RelationshipIndexSeek RelationshipUniqueIndexSeek RelationshipIndexSeekByRange
  RelationshipUniqueIndexSeekByRange RelationshipIndexScan RelationshipIndexContainsScan RelationshipIndexEndsWithScan`)}
  MultiRelationshipIndexSeek AssertingMultiRelationshipIndexSeek ProcedureCall
`);

/** Procedures that return only data of this graph. Their names are exact. */
export const PROCEDURES: ReadonlySet<string> = names(`
  db.labels db.relationshipTypes db.propertyKeys
  db.index.fulltext.queryNodes db.index.fulltext.queryRelationships
  db.index.vector.queryNodes db.index.vector.queryRelationships
`);

/**
 * Cypher's own functions, in lower case because Cypher ignores their case. Left out are file() and linenumber(), which
 * read file names, graph.*, which leaves the database, and reduce(), which can double a value in every round.
 */
export const FUNCTIONS: ReadonlySet<string> = names(`
  abs ceil floor isnan rand round sign e exp log log10 sqrt
  acos asin atan atan2 cos cot degrees haversin pi radians sin tan
  all any exists isempty none single
  avg collect count max min percentilecont percentiledisc stdev stdevp sum
  btrim left lower ltrim normalize replace reverse right rtrim split substring tolower tostring tostringornull toupper
  trim upper char_length character_length
  coalesce elementid endnode head id last length nullif properties randomuuid size startnode timestamp toboolean
  tobooleanornull tofloat tofloatornull tointeger tointegerornull type valuetype
  keys labels nodes range relationships tail tobooleanlist tofloatlist tointegerlist tostringlist
  date date.realtime date.statement date.transaction date.truncate
  datetime datetime.fromepoch datetime.fromepochmillis datetime.realtime datetime.statement datetime.transaction
  datetime.truncate
  localdatetime localdatetime.realtime localdatetime.statement localdatetime.transaction localdatetime.truncate
  localtime localtime.realtime localtime.statement localtime.transaction localtime.truncate
  time time.realtime time.statement time.transaction time.truncate
  duration duration.between duration.indays duration.inmonths duration.inseconds
  point point.distance point.withinbbox
  vector.similarity.cosine vector.similarity.euclidean
  shortestpath allshortestpaths
`);

/** Keywords that a bracket may follow. */
const BEFORE_BRACKETS: ReadonlySet<string> = names(`
  MATCH WHERE WITH RETURN DISTINCT UNWIND CALL AND OR XOR NOT IN CONTAINS CASE WHEN THEN ELSE BY SKIP OFFSET LIMIT
  SHORTEST PATH PATHS GROUP GROUPS FROM
`);

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter(Boolean));
}

function bothWays(scans: string): string {
  return [...names(scans)].map((scan) => `Directed${scan} Undirected${scan}`).join(" ");
}

/**
 * Rewrites the patterns after =~ so that Java matches them without backtracking. They run inside one expression, where
 * the server's time limit does not stop them.
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
 * Rewrites a Java pattern of words and `.*` so that it does not backtrack: `.*a.*b.*` becomes `(?>.*?a)(?>.*?b).*+`.
 * Both match the same whole texts: a word has a fixed length and contains no line end, so whatever can follow a later
 * occurrence can also follow the first one. Undefined for any other pattern, which may backtrack: `.*a.*` tries n²
 * ways, and thirty times `(a|a)` tries 2³⁰.
 */
export function boundedPattern(pattern: string): string | undefined {
  const flags = pattern.startsWith("(?i)") ? "(?i)" : "";
  const alternatives = pattern.slice(flags.length).replace(/(?<!\\)\.\+/g, "..*");
  if (pattern.length > MAX_PATTERN_LENGTH || !ALTERNATIVES.test(alternatives)) return undefined;
  const bounded = alternatives.split(/(?<!\\)\|/).map((alternative) => {
    const [start = "", ...words] = alternative.replace(/^\^|(?<!\\)\$$/g, "").split(/(?<!\\)(?:\.\*)+/);
    const end = words.pop();
    const found = words.map((word) => `(?>.*?${word})`).join("");
    return start + found + (end === undefined ? "" : end === "" ? ".*+" : `.*${end}`);
  });
  return flags + bounded.join("|");
}

const MAX_PATTERN_LENGTH = 200;
/**
 * A letter, a digit, a character that is not special in Java's patterns, or an escaped one other than the backslash.
 */
const CHARACTER = String.raw`(?:[\p{L}\p{N} _@,:;'"/&%#!<>=~.-]|\\(?![\\0-9A-Za-z])[ -~])`;
const ALTERNATIVE = `\\^?(?:${CHARACTER}|\\.\\*)*\\$?`;
const ALTERNATIVES = new RegExp(`^${ALTERNATIVE}(?:\\|${ALTERNATIVE})*$`, "u");
