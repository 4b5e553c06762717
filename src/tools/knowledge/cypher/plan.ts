import type { Plan } from "neo4j-driver";
import { CypherError } from "../../../errors.js";
import { FUNCTIONS, OPERATORS, PROCEDURES } from "./allowed.js";

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
      instead.size > 0
        ? ` These are: ${[...instead].join(", ")}.`
        : " Use Cypher's own functions on the graph's data, and UNWIND with sum() or collect() for reduce()."
    }`,
    true,
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
