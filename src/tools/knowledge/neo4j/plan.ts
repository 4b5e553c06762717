import type { Plan } from "neo4j-driver";
import { CypherError } from "../../../errors.js";
import type { GraphRow } from "../../../types/graph.js";
import { FUNCTIONS, OPERATORS, PROCEDURES } from "./allowed.js";
import { MOST_ROWS } from "./limit.js";

/**
 * Walks the whole plan of a query.
 * @throws CypherError at the first operator, procedure or function that is not on the list.
 */
export function checkPlan(plan: Plan): void {
  const operator = operatorOf(plan);
  const details = detailsOf(plan);
  if (!OPERATORS.has(operator))
    throw new CypherError(`${operator} is not allowed: a query may only read this graph.`, true);
  if (operator === "ProcedureCall") {
    const procedure = details.slice(0, details.indexOf("(")).replace(/[`\s]/g, "");
    if (!PROCEDURES.has(procedure)) throw notAllowed("procedure", procedure, PROCEDURES);
  } else {
    const unknown = printedCalls(details).find((name) => !FUNCTIONS.has(name.toLowerCase()));
    if (unknown) throw notAllowed("function", unknown);
  }
  for (const child of plan.children) checkPlan(child);
}

export const notAllowed = (kind: "procedure" | "function", name: string, instead: ReadonlySet<string> = new Set()) =>
  new CypherError(
    `The ${kind} ${name} is not allowed.${
      instead.size > 0 ? ` These are: ${[...instead].join(", ")}.` : " Use Cypher's own functions on the graph's data."
    }`,
    true,
  );

/** The columns of a query as Cypher, comma separated, out of its plan. */
export const columnsOf = (plan: Plan): string => (operatorOf(plan) === "ProduceResults" ? detailsOf(plan) : "");

/** Whether at most 100 rows reach the end of this plan: by the limit that is nearest to the end. */
export function isLimited(plan: Plan, parameters: GraphRow): boolean {
  const operator = operatorOf(plan);
  if (!LIMITS.has(operator)) {
    const [source] = plan.children;
    return source !== undefined && KEEP_ROWS.has(operator) && isLimited(source, parameters);
  }
  const amount = /(?:^|LIMIT )(?:(\d+)|\$(\w+))(?: \+ .*)?$/.exec(detailsOf(plan));
  const most = amount?.[1] ? Number(amount[1]) : parameters[amount?.[2] ?? ""];
  return typeof most === "number" && most <= MOST_ROWS;
}

const LIMITS = new Set(["Limit", "ExhaustiveLimit", "Top", "PartialTop"]);

/** They return no more rows than their first source has; the second one, where there is one, fills in a value. */
const KEEP_ROWS = new Set(
  `ProduceResults Projection Filter Skip Sort PartialSort Distinct OrderedDistinct Eager EagerAggregation
  OrderedAggregation CacheProperties RemoteBatchProperties NullifyMetadata PreserveOrder ProjectEndpoints RollUpApply
  SemiApply AntiSemiApply LetSemiApply LetAntiSemiApply SelectOrSemiApply SelectOrAntiSemiApply LetSelectOrSemiApply
  LetSelectOrAntiSemiApply Apply`.split(/\s+/),
);

const operatorOf = (plan: Plan) => plan.operatorType.replace(/@.*$/, "").replace(/\(.*$/, "").trim();

function detailsOf(plan: Plan): string {
  const details: unknown = Reflect.get(plan.arguments, "Details");
  return typeof details === "string" ? details : "";
}

/**
 * What a printed expression calls, as far as it matters: whatever has a namespace, as all that servers add has, and
 * the two built-in functions that tell of files. Texts are left out; names in quotes stay, since a call may be quoted.
 */
function printedCalls(details: string): string[] {
  const printed = details.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "''");
  const name = "(?:`(?:[^`]|``)*`|[\\p{L}_][\\p{L}\\p{N}_]*)";
  const called = printed.matchAll(new RegExp(`(${name}(?:\\s*\\.\\s*${name})+|\\bfile|\\blinenumber)\\s*\\(`, "giu"));
  return [...called].map(([, call = ""]) => call.replace(/[`\s]/g, ""));
}
