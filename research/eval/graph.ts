import type { Reply } from "../../src/evaluate/ask.js";
import { containsAnswer } from "../../src/evaluate/match.js";
import type { GraphItem } from "./data.js";
import { costs } from "./meter.js";
import type { Measured, Metrics } from "./result.js";

/** A query that was written for a question, and how far it got. */
export interface WrittenQuery {
  cypher: string;
  parsed: boolean;
  passedGuard: boolean;
  /** Null where it did not run. */
  rows: number | null;
  error: string;
}

/** What a system answered, and the queries that it wrote, in order. */
export type AskGraph = (item: GraphItem) => Promise<{ reply: Reply; queries: readonly WrittenQuery[] }>;

/**
 * Asks every system every question, and judges the answers.
 * @param progress called with the number of answers so far.
 */
export async function graph(
  items: readonly GraphItem[],
  system: AskGraph,
  baselines: Readonly<Record<string, AskGraph>>,
  progress: (done: number) => void = () => {},
): Promise<Measured> {
  const systems = [["", system], ...Object.entries(baselines)] as const;
  const judged = new Map<string, Judged[]>(systems.map(([name]) => [name, []]));
  let done = 0;
  for (const item of items) {
    for (const [name, ask] of systems) {
      const said = await ask(item);
      judged.get(name)?.push({ item, ...said, outcome: outcomeOf(item, said.reply) });
      progress(++done);
    }
  }
  const of = (name: string) => judged.get(name) ?? [];
  return {
    n: items.length,
    metrics: measures(of("")),
    baselines: Object.fromEntries(Object.keys(baselines).map((name) => [name, measures(of(name))])),
    items: items.map((item, i) => ({
      id: item.id,
      question: item.question,
      kind: item.kind,
      expected: item.answers,
      ...shown(of("")[i]),
      ...Object.fromEntries(Object.keys(baselines).map((name) => [name, shown(of(name)[i])])),
    })),
  };
}

type Outcome = "right" | "wrong" | "refusedWrongly" | "refusedRightly" | "answeredUnanswerable" | "failed";

interface Judged {
  item: GraphItem;
  reply: Reply;
  queries: readonly WrittenQuery[];
  outcome: Outcome;
}

function outcomeOf(item: GraphItem, { failed, refused, text }: Reply): Outcome {
  if (failed) return "failed";
  if (!item.answerable) return refused ? "refusedRightly" : "answeredUnanswerable";
  if (refused) return "refusedWrongly";
  return containsAnswer(text, item.answers) && !item.not.some((other) => containsAnswer(text, [other]))
    ? "right"
    : "wrong";
}

function measures(judged: readonly Judged[]): Metrics {
  const count = (outcome: Outcome, among = judged) => among.filter((one) => one.outcome === outcome).length;
  const isGood = ({ outcome }: Judged) => outcome === "right" || outcome === "refusedRightly";
  const groups = (of: (item: GraphItem) => string) =>
    [...new Set(judged.map(({ item }) => of(item)))].map((name): [string, number] => {
      const group = judged.filter(({ item }) => of(item) === name);
      return [`rightOfAll ${name} (${group.length})`, group.filter(isGood).length / group.length];
    });
  return {
    answerable: judged.filter(({ item }) => item.answerable).length,
    unanswerable: judged.filter(({ item }) => !item.answerable).length,
    right: count("right"),
    wrong: count("wrong"),
    refusedWrongly: count("refusedWrongly"),
    refusedRightly: count("refusedRightly"),
    answeredUnanswerable: count("answeredUnanswerable"),
    failed: count("failed"),
    rightOfAll: judged.filter(isGood).length / judged.length,
    ...Object.fromEntries([...groups(({ kind }) => kind), ...groups(({ language }) => language)]),
    ...validity(judged.map(({ queries }) => queries)),
    ...costs(judged.map(({ reply }) => reply.cost)),
  };
}

/** For questions with a query: how far the last query got, by the number of repairs allowed. */
function validity(all: readonly (readonly WrittenQuery[])[]): Metrics {
  const asked = all.filter((queries) => queries.length > 0);
  const after = (repairs: number) => asked.flatMap((queries) => queries.slice(0, repairs + 1).slice(-1));
  const share = (of: (query: WrittenQuery) => boolean, repairs: number) =>
    asked.length === 0 ? null : after(repairs).filter(of).length / asked.length;
  return {
    questionsWithQuery: asked.length,
    queriesWritten: all.flat().length,
    repairsPerQuestion: asked.length === 0 ? null : (all.flat().length - asked.length) / asked.length,
    ...Object.fromEntries(
      [0, 1, 2].flatMap((repairs) => [
        [`parses after ${repairs} repairs`, share(({ parsed }) => parsed, repairs)],
        [`passes the guard after ${repairs} repairs`, share(({ passedGuard }) => passedGuard, repairs)],
        [`returns rows after ${repairs} repairs`, share(({ rows }) => (rows ?? 0) > 0, repairs)],
      ]),
    ),
  };
}

const shown = (judged: Judged | undefined) =>
  judged && {
    outcome: judged.outcome,
    answer: judged.reply.text,
    queries: judged.queries,
    ...judged.reply.notes,
    ...judged.reply.cost.usage,
    seconds: judged.reply.cost.seconds,
    faults: judged.reply.cost.faults,
  };
