import type { Plan } from "neo4j-driver";
import { CypherError } from "../../errors.js";
import { FUNCTIONS, OPERATORS, PROCEDURES } from "./guard-allowed.js";

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

export function notAllowed(kind: "procedure" | "function", name: string): CypherError {
  const instead =
    kind === "procedure"
      ? `These are: ${[...PROCEDURES].join(", ")}.`
      : "Use Cypher's own functions on the graph's data, and UNWIND with sum() or collect() for reduce().";
  return new CypherError(`The ${kind} ${name} is not allowed. ${instead}`, true);
}

/**
 * Finds the calls in a printed expression that matter: functions with a namespace, which every added function has, and
 * the two built-in ones that read file names. Texts are skipped; quoted names are not, since a call may be quoted.
 */
function printedCalls(details: string): string[] {
  const printed = details.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, "''");
  const name = "(?:`(?:[^`]|``)*`|[\\p{L}_][\\p{L}\\p{N}_]*)";
  const called = printed.matchAll(new RegExp(`(${name}(?:\\s*\\.\\s*${name})+|\\bfile|\\blinenumber)\\s*\\(`, "giu"));
  return [...called].map(([, call = ""]) => call.replace(/[`\s]/g, ""));
}
