import { expect, test } from "vitest";
import { EndpointError } from "../../src/errors.js";
import {
  type ContractTest,
  documentsContract,
  embeddingsContract,
  fakeTools,
  inMemoryDocuments,
  inMemoryKnowledge,
  knowledgeContract,
  reasonersContract,
  rerankerContract,
  runsContract,
  threadsContract,
  webSearchContract,
} from "../../src/testing/index.js";
import type { Documents } from "../../src/tools/documents/port.js";
import type { KnowledgeGraph } from "../../src/tools/knowledge/port.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";

/** What an adapter of someone else is told: the names of the promises that it breaks. */
async function broken(contract: readonly ContractTest[]): Promise<string[]> {
  const names = await Promise.all(
    contract.map(({ name, run }) =>
      run().then(
        () => [],
        () => [name],
      ),
    ),
  );
  return names.flat();
}

/** A store in memory with one fault. */
const storeWith = (fault: (store: Documents) => Partial<Documents>) =>
  documentsContract(async () => {
    const store = inMemoryDocuments();
    const { embed: _, embedded: __, ...withoutModel } = { ...store, ...fault(store) };
    return () => withoutModel;
  });

test("a store without vectors keeps every promise", async () => {
  expect(await broken(storeWith(() => ({})))).toEqual([]);
});

test.each<[string, (store: Documents) => Partial<Documents>, string]>([
  [
    "forgets to remove",
    () => ({ remove: async () => 0 }),
    "remove removes whole documents, returns how many passages went, and ignores unknown documents",
  ],
  [
    "returns what the filter leaves out",
    (store) => ({ get: (ids) => store.get(ids) }),
    "search, get and neighbours return only passages that meet the filter, in every mode",
  ],
  [
    "ignores what to exclude",
    (store) => ({ search: ({ exclude: _, ...query }, ...rest) => store.search(query, ...rest) }),
    "a search leaves out excluded passages and fills their places with the next ones",
  ],
  [
    "ignores an abort",
    (store) => ({ upsert: (passages) => store.upsert(passages) }),
    "an aborted write throws the reason and writes nothing",
  ],
])("a store that %s is told which promise it breaks", async (_, fault, promise) => {
  expect(await broken(storeWith(fault))).toContain(promise);
});

test.each<[string, (graph: KnowledgeGraph) => Partial<KnowledgeGraph>, string]>([
  [
    "adds to a source instead of replacing it",
    (graph) => ({
      upsert: (given) =>
        graph.upsert(
          given.map((one, i) => ({ ...one, source: { ...one.source, id: `${one.source.id} ${Math.random()} ${i}` } })),
        ),
    }),
    "a write replaces a whole source, and no other",
  ],
  [
    "shows facts of every source",
    (graph) => ({ facts: (entities, question, { filter: _, ...rest } = {}) => graph.facts(entities, question, rest) }),
    "with a filter, a look-up returns only facts of matching sources, with only the names, types and aliases that those sources use",
  ],
  [
    "ignores an abort",
    (graph) => ({ upsert: (given) => graph.upsert(given) }),
    "an aborted write throws the reason and writes nothing",
  ],
])("a knowledge graph that %s is told which promise it breaks", async (_, fault, promise) => {
  const contract = knowledgeContract(async () => {
    const graph = inMemoryKnowledge();
    return () => ({ ...graph, ...fault(graph) });
  });
  expect(await broken(contract)).toContain(promise);
});

test("a store of runs that ignores conditions, and one of conversations that forgets them, are told so", async () => {
  const databases = [":memory:", ":memory:"].map((place) => openDatabase(place));
  const [ofRuns, ofThreads] = databases;
  if (!ofRuns || !ofThreads) throw new Error("There is no database.");
  await ofRuns.write(async () => {});
  const runs = sqlRuns(ofRuns, { days: 99_999 });
  const careless = async () => ({ ...runs, find: (_: object, limit: number) => runs.find({}, limit) });
  const conditions = "recorded runs are returned as they were, the newest first, by any condition";
  const ofConditions = runsContract(careless).filter(({ name }) => name === conditions);
  expect(await broken(ofConditions)).toEqual([conditions]);
  const forgets = async () => () =>
    Object.assign(sqlThreads(ofThreads), { conversation: async () => [], close: async () => {} });
  const text = "any text is read back unchanged";
  expect(await broken(threadsContract(forgets).filter(({ name }) => name === text))).toEqual([text]);
  for (const database of databases) await database.close();
});

test("parts that keep no promise are told so", async () => {
  const deaf = { identity: "", embed: async (texts: readonly string[]) => texts.map(() => [2]) };
  expect(await broken(embeddingsContract(async () => deaf))).toEqual([
    "names its model",
    "returns one unit vector per text, all with the same dimension",
    "places texts with shared words nearer than texts without",
    "embeds the beginning of a text that is too long, and does not change the other vectors of the batch",
    "stops when aborted",
  ]);
  const first = {
    identity: "first",
    rank: async (_: string, texts: readonly string[]) => texts.map((_, i) => 1 / (1 + i)),
  };
  expect(await broken(rerankerContract(async () => first))).toEqual([
    "returns one score from 0 to 1 per passage, in their order",
    "stops when aborted",
  ]);
  const { grader } = fakeTools();
  const inventing: typeof grader = {
    grade: async (task, call) => ({ ...(await grader.grade(task, call)), entities: ["Atlantis"] }),
  };
  expect(await broken(reasonersContract(async () => ({ grader: inventing })))).toEqual([
    "grades every strip of every piece of evidence from 0 to 1 (en)",
    "grades every strip of every piece of evidence from 0 to 1 (zh)",
  ]);
  const page = { url: "ftp://a.org", title: "A <b>bridge</b>", snippet: "", published: "" };
  const engine = (search: () => Promise<(typeof page)[]>) => async () => ({ search });
  const leaking = () => Promise.reject(new EndpointError("The key secret is refused.", 401));
  expect(
    await broken(
      webSearchContract(
        "bridge",
        engine(async () => [page, page]),
        { refuses: engine(leaking) },
      ),
    ),
  ).toEqual([
    "returns addresses, titles and plain text",
    "returns at most as many results as asked",
    "stops when aborted",
    "throws an EndpointError if the engine refuses",
  ]);
});
