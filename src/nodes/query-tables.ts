import { createHash } from "node:crypto";
import { TableQueryError, toError } from "../errors.js";
import { timeOf } from "../reading/asked-time.js";
import { asEvidence } from "../reading/evidence.js";
import { holdingIn } from "../reading/holding.js";
import { isInDocuments } from "../state/budget.js";
import type { Node } from "../state/node.js";
import type { State } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import { namedTables } from "../tables/named-tables.js";
import { planFor } from "../tables/plan.js";
import { resultText } from "../tables/result-text.js";
import { plainHeads } from "../text/orders.js";
import { documentOf } from "../tools/runs/port.js";
import type { Finding } from "../types/answer.js";
import type { Call } from "../types/call.js";
import type { Evidence } from "../types/evidence.js";
import type { Language } from "../types/language.js";
import { withoutReaders } from "../types/metadata.js";
import type { Computed, TableHead } from "../types/table.js";

/**
 * Runs what a model asked to query, or else the query that the question's own words name without doubt. The result is
 * evidence. Without such a query, the tables are kept, so that a refusal can name them.
 */
export const queryTables =
  ({ tables, documents }: Pick<Tools, "tables" | "documents">): Node =>
  async (state, { context, call }) => {
    const { understood } = state;
    if (!tables || !understood || !context.sources.tables) return {};
    const { question, language } = understood;
    const now = new Date().toISOString();
    const known = new Set([...state.excluded, ...state.evidence.map(({ id }) => id)]);
    if (!understood.modelLeads) {
      const found = await tablesFor(state, { tables, documents }, call);
      const plan = planFor(question, language, found);
      const computed = plan?.kind === "query" ? await computedBy(plan.sql, plan.tables) : undefined;
      if (!plan || !computed || !("sql" in computed)) {
        return { tables: found.filter(({ id }) => plan?.tables.includes(id)).map(shortened) };
      }
      const own = plan.tables.flatMap((id) => found.filter((table) => table.id === id));
      const piece = resultEvidence(computed, own, language, now);
      return known.has(piece.id) ? {} : { evidence: [...state.evidence, piece] };
    }
    const asked = state.lookUps.filter(({ by }) => by === "query");
    const ids = state.tables.map(({ id }) => id);
    const found: Evidence[] = [];
    const findings: Finding[] = [];
    for (const one of asked) {
      const computed = await computedBy(one.words, ids);
      const piece = "sql" in computed ? resultEvidence(computed, state.tables, language, now) : undefined;
      if (piece && !known.has(piece.id)) {
        known.add(piece.id);
        found.push(piece);
      }
      const said = "said" in computed ? computed.said : "";
      findings.push({ ...one, evidenceIds: piece ? [piece.id] : [], said });
    }
    return {
      evidence: [...state.evidence, ...found],
      lookUps: state.lookUps.filter(({ by }) => by !== "query"),
      findings: [...state.findings, ...findings],
    };

    /** A query that fails is reported, and costs the others nothing. */
    async function computedBy(sql: string, ids: readonly string[]): Promise<Computed | { said: string }> {
      try {
        return await (tables as NonNullable<typeof tables>).query(sql, ids, { signal: call.signal });
      } catch (error) {
        call.signal.throwIfAborted();
        call.fault(toError(error));
        return { said: error instanceof TableQueryError ? error.message : "The tables could not be queried." };
      }
    }
  };

/**
 * Returns the tables that fit the question best, of documents that hold at the time of the question.
 * @throws StoreUnavailableError
 */
export async function tablesFor(
  { understood, evidence, question, lookUps }: Pick<State, "understood" | "evidence" | "question" | "lookUps">,
  { tables, documents }: Required<Pick<Tools, "tables" | "documents">>,
  { signal }: Pick<Call, "signal">,
): Promise<TableHead[]> {
  const near = [...new Set(evidence.filter(({ source }) => source === "document").map(({ id }) => documentOf(id)))];
  const words = [understood?.question ?? question, ...lookUps.filter(isInDocuments).map((one) => one.words)].join("\n");
  const found = await tables.search(words, MOST_FOUND, { near, signal });
  const isHolding = await holdingIn(documents, timeOf(understood));
  const holding = found.filter(({ documentId }) => isHolding(documentId));
  // What belongs together is asked together: employees and their hours are two sheets of a file.
  const beside = holding
    .slice(0, MOST)
    .flatMap((one) => [one, ...holding.filter((other) => other.documentId === one.documentId).slice(0, BESIDE)]);
  return [...new Set(beside)].slice(0, MOST);
}

/** More than are shown, since some may be out of date, or belong to the others. */
const MOST_FOUND = 20;
const MOST = 5;
const BESIDE = 3;

/** A table with a few cells of each column: what a prompt shows, and a state keeps. */
export const shortened = (table: TableHead): TableHead => ({
  ...table,
  metadata: table.metadata && withoutReaders(table.metadata),
  notes: table.notes.slice(0, MOST_NOTES).map((note) => note.slice(0, LONGEST_NOTE)),
  firstRows: table.firstRows.map((row) => row.map((cell) => cell.slice(0, LONGEST))),
  columns: table.columns.map((column) => ({
    ...column,
    values: column.values.slice(0, SHOWN).map((cell) => cell.slice(0, LONGEST)),
    isWhole: column.isWhole && column.values.length <= SHOWN,
  })),
});

const SHOWN = 8;
const MOST_NOTES = 20;
/** In characters. */
const LONGEST = 60;
const LONGEST_NOTE = 200;

/** Makes evidence from the result of a query. Its source is the first table that the query reads. */
function resultEvidence(
  computed: Computed,
  tables: readonly TableHead[],
  language: Language,
  retrievedAt: string,
): Evidence {
  const [first] = computed.tables;
  const text = resultText(computed, namedTables(tables), language);
  const id = createHash("sha256")
    .update(JSON.stringify([computed.sql, computed.tables]))
    .digest("hex")
    .slice(0, 16);
  const metadata = tables.find((table) => table.id === first?.id)?.metadata;
  return plainHeads(
    asEvidence({
      id: `table:${id}`,
      source: "table",
      title: [...new Set(computed.tables.map(({ title }) => title))].join(", "),
      uri: first?.uri ?? "",
      section: [...new Set(computed.tables.map((table) => table.section))].join(", "),
      text,
      retrievedAt,
      // A figure is as old as the oldest file that it is computed from.
      reviewedAt: computed.tables.map(({ reviewedAt }) => reviewedAt).sort()[0] ?? "",
      ...(metadata && { metadata: withoutReaders(metadata) }),
      computed,
    }),
  );
}
