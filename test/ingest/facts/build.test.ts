import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { EndpointError, MalformedReplyError } from "../../../src/errors.js";
import { type BuildOptions, buildKnowledge, parseOntology } from "../../../src/ingest/facts/build.js";
import { localExtractor } from "../../../src/ingest/facts/local-extractor.js";
import { inMemoryDocuments } from "../../../src/testing/documents.js";
import { inMemoryKnowledge } from "../../../src/testing/knowledge.js";
import type { KnowledgeGraph, Triple, TripleExtractor } from "../../../src/tools/knowledge/port.js";
import { sqlKnowledge } from "../../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../../src/tools/store/open.js";
import type { Passage } from "../../../src/types/evidence.js";
import { passagesOf } from "../../tools/knowledge/passages.js";

const ROW = "| Roost | Noor el Amrani |";
const ENGLISH = passagesOf("leads.md", `The lead of Roost is Noor el Amrani.\n\n| Project | Lead |\n|-|-|\n${ROW}`, {
  title: "Leads",
  reviewedAt: "2026-03-09",
});
const CHINESE = passagesOf("部门.md", "| 部门 | 负责人 |\n|-|-|\n| 采购部 | 梁嘉懿 |", { title: "部门负责人" });

describe("a built graph", () => {
  test("has the facts of the documents with their sources", async () => {
    const { knowledge, build } = graphOf([...ENGLISH, ...CHINESE]);
    expect(await build()).toMatchObject({ read: 2, unchanged: 0, triples: 3, failures: [], left: 0 });
    const [english] = await knowledge.facts(["Roost"], "lead");
    expect(english).toMatchObject({
      others: ["Noor el Amrani"],
      source: { documentId: "leads.md", reviewedAt: "2026-03-09", quotes: [ROW] },
    });
    expect(await said(knowledge, "采购部")).toEqual(["采购部 负责人 梁嘉懿"]);
  });

  test("has the review date of a document, which is in no passage", async () => {
    const leave = passagesOf("休假.md", "年假按工龄计算。", { title: "休假制度", reviewedAt: "2026-01-20" });
    const { knowledge, build } = graphOf([...leave, ...ENGLISH]);
    await build();
    expect(await said(knowledge, "休假制度")).toEqual(["休假制度 审阅日期 2026-01-20"]);
    expect(await said(knowledge, "Leads")).toEqual(["Leads review date 2026-03-09"]);
  });

  test("has no fact that is not in its passage, whatever the extractor returns", async () => {
    const good = says("Roost", "lead", "Noor el Amrani", "The lead of Roost is Noor el Amrani.");
    const { knowledge, build } = graphOf(
      ENGLISH,
      reader(() => [
        good,
        { ...good, predicate: "owner", quote: "Noor el Amrani owns Roost." },
        { ...good, predicate: "boss", object: entity("Ana Silva") },
        { ...good, predicate: "chief", quote: "" },
        { ...good, predicate: "head", subject: entity("Roo"), object: entity("Noor") },
        { ...good, predicate: "x".repeat(100) },
        { ...good, predicate: "named", object: { ...good.object, aliases: ["Noor", "The boss"] } },
      ]),
    );
    await build();
    expect(await said(knowledge, "Noor el Amrani")).toEqual([
      "Roost lead Noor el Amrani",
      "Roost named Noor el Amrani",
    ]);
    expect(await knowledge.facts(["The boss"], "")).toEqual([]);
  });

  test("has only facts with both names in the quote, or one of them in the heading above", async () => {
    const page = passagesOf(
      "page.md",
      "# Shanghai and Qingdao\n\n## Roost\n\nThe team is small.\n\n| | K1 | K2 |\n|-|-|-|\n| Weight | 610 g | 420 g |\n\nAna Silva leads.",
      { title: "青岛试验站" },
    );
    const { knowledge, build } = graphOf(
      page,
      reader(() => [
        says("K2", "weight", "420 g", "| Weight | 610 g | 420 g |"),
        says("Roost", "lead", "Ana Silva", "Ana Silva leads."),
        says("青岛试验站", "负责人", "Ana Silva", "Ana Silva leads."),
        says("Shanghai", "boss", "Ana Silva", "Ana Silva leads."),
        says("The team", "boss", "Ana Silva", "Ana Silva leads."),
        says("Roost", "weight", "K1", "Ana Silva leads."),
      ]),
    );
    await build();
    expect(await said(knowledge, "Ana Silva")).toEqual(["Roost lead Ana Silva", "青岛试验站 负责人 Ana Silva"]);
    expect(await said(knowledge, "K2")).toEqual(["K2 weight 420 g"]);
    expect(await said(knowledge, "K1")).toEqual([]);
  });

  test("follows the names and types of an ontology", async () => {
    const ontology = parseOntology(
      JSON.stringify({
        entities: ["Person", { name: "Team", aliases: ["部门"] }],
        relations: [{ name: "led by", from: "Team", to: "Person", aliases: ["lead", "负责人"] }],
      }),
      "team.json",
    );
    const { knowledge, build } = graphOf([...ENGLISH, ...CHINESE]);
    await build({ ontology });
    expect(await said(knowledge, "采购部")).toEqual(["采购部 led by 梁嘉懿"]);
    expect(await said(knowledge, "Leads")).toEqual([]);
    expect((await knowledge.schema()).relations).toMatchObject([{ type: "led by", from: "Team", to: "Person" }]);
  });
});

describe("rebuilding a graph", () => {
  test("applies the current permissions of a document to its facts", async () => {
    const page = (department: string) =>
      passagesOf("page.md", "| Team | Lead |\n|-|-|\n| Roost | Ana Silva |", { metadata: { department } });
    const { documents, knowledge, build } = graphOf(page("hr"));
    const told = async (department: string) =>
      (await knowledge.facts(["Roost"], "", { filter: [{ key: "department", values: [department] }] })).length;
    await build();
    expect([await told("hr"), await told("it")]).toEqual([1, 0]);
    await documents.upsert(page("it"));
    await build();
    expect([await told("hr"), await told("it")]).toEqual([0, 1]);
  });

  test("does not read a passage again, even if it moved within its document", async () => {
    const page = (...sections: string[]) =>
      passagesOf("page.md", sections.map((name) => `# ${name}\n\n${name}: ${LONG}`).join("\n\n"));
    const { documents, build } = graphOf(page("First", "Last"));
    expect((await documents.list())[0]?.passages).toBe(2);
    await build();
    await documents.upsert(page("First", "Middle", "Last"));
    expect(await build()).toMatchObject({ read: 1, unchanged: 2, removed: 0 });
    await documents.upsert(page("Middle", "Last"));
    // The first passage of a document is also read for the date of the document.
    expect(await build()).toMatchObject({ read: 1, unchanged: 1, removed: 2 });
    expect(await build()).toMatchObject({ read: 0, unchanged: 2, removed: 0 });
  });

  test("removes the facts of a changed or removed passage", async () => {
    const { documents, knowledge, build } = graphOf([...ENGLISH, ...CHINESE]);
    await build();
    await documents.upsert(
      passagesOf("部门.md", "| 部门 | 负责人 |\n|-|-|\n| 采购部 | 方可 |", { title: "部门负责人" }),
    );
    await documents.remove(["leads.md"]);
    expect(await build()).toMatchObject({ read: 1, removed: 2 });
    expect(await said(knowledge, "采购部")).toEqual(["采购部 负责人 方可"]);
    expect(await said(knowledge, "Roost")).toEqual([]);
  });

  test("keeps facts from elsewhere", async () => {
    const { knowledge, build } = graphOf(ENGLISH);
    const source = { id: "mine", documentId: "gone.md", title: "", uri: "", section: "", reviewedAt: "", hash: "1" };
    await knowledge.upsert([{ source, triples: [says("Ana", "knows", "Bo", "")] }]);
    await build();
    expect(await said(knowledge, "Ana")).toEqual(["Ana knows Bo"]);
  });

  test("reads again with another model or ontology, and keeps the facts of a model if there is none now", async () => {
    const { build } = graphOf(ENGLISH);
    await build();
    expect((await build({ extractor: reader(() => [], "model.1 small") })).read).toBe(1);
    expect((await build({ extractor: reader(() => [], "model.1 large") })).read).toBe(1);
    expect(await build()).toMatchObject({ read: 0, unchanged: 1 });
    const ontology = parseOntology('{"relations": ["lead"]}', "o.json");
    expect((await build({ extractor: reader(() => [], "model.1 large"), ontology })).read).toBe(1);
  });

  test("finishes the work of a killed build, even if nothing changed", async () => {
    const { knowledge, build } = graphOf(ENGLISH);
    await build();
    const tidy = vi.fn(async () => {});
    expect(await build({ knowledge: { ...knowledge, tidy } })).toMatchObject({ read: 0 });
    expect(tidy).toHaveBeenCalledOnce();
  });

  test("continues after a limit", async () => {
    const { build } = graphOf([...ENGLISH, ...CHINESE]);
    expect(await build({ limit: 1 })).toMatchObject({ read: 1, left: 1 });
    expect(await build({ limit: 1 })).toMatchObject({ read: 1, unchanged: 1, left: 0 });
  });
});

describe("a model that fails", () => {
  const pages = ["a", "b", "c", "d", "e"].flatMap((name) =>
    passagesOf(`${name}.md`, `The lead of ${name.toUpperCase()}1 is Ana Silva.`),
  );

  test("on one passage skips that passage until the next build", async () => {
    const { build } = graphOf(pages);
    const failing = reader(({ documentId }) => {
      if (documentId === "b.md") throw new MalformedReplyError("It was not JSON.");
      return [];
    });
    expect(await build({ extractor: failing })).toMatchObject({
      read: 4,
      failures: [{ passage: "b.md#0", reason: "It was not JSON." }],
    });
    expect(await build({ extractor: reader(() => []) })).toMatchObject({ read: 1, unchanged: 4, failures: [] });
  });

  test("on several passages in a row ends the build, and the facts so far are stored", async () => {
    const { knowledge, build } = graphOf(pages);
    let asked = 0;
    const down = reader(({ documentId }) => {
      asked += 1;
      if (documentId > "b") throw new EndpointError("It cannot be reached.");
      return [];
    });
    await expect(build({ extractor: down })).rejects.toThrow("cannot be reached");
    expect([asked, (await knowledge.sources()).length]).toEqual([4, 1]);
  });

  test("with a programming error ends the build with that error", async () => {
    const { build } = graphOf(ENGLISH);
    const broken = reader(() => {
      throw new TypeError("undefined is not a function");
    });
    await expect(build({ extractor: broken })).rejects.toThrow(TypeError);
  });
});

test("a build that is stopped anywhere and started again loses and duplicates nothing", {
  timeout: 60_000,
}, async () => {
  const pages = Array.from({ length: 5 }, (_, i) =>
    passagesOf(
      `${i}.md`,
      `| Team | Lead |\n|-|-|\n| Team ${i} | Ana Silva |\n\n| 组 | 负责人 |\n|-|-|\n| 第${i}组 | 方可 |`,
      {
        reviewedAt: "2026-01-01",
      },
    ),
  ).flat();
  const undisturbed = await onDisk();
  await undisturbed.buildOf(pages);
  const expected = await contents(undisturbed.knowledge);
  expect(expected.sources).toHaveLength(5);
  for (const stopAfter of [0, 1, 4]) {
    const disturbed = await onDisk();
    await expect(disturbed.buildOf(pages, stopAfter)).rejects.toThrow("stopped");
    expect(await disturbed.knowledge.sources()).toHaveLength(stopAfter);
    expect(await disturbed.buildOf(pages)).toMatchObject({ read: 5 - stopAfter, unchanged: stopAfter });
    expect(await contents(disturbed.knowledge)).toEqual(expected);
    await disturbed.close();
  }
  await undisturbed.close();
});

const LONG = "Every reading comes with its uncertainty, and the station keeps it. ".repeat(25);

const entity = (name: string) => ({ name, type: "", aliases: [] });
const says = (subject: string, predicate: string, object: string, quote: string): Triple => ({
  subject: entity(subject),
  predicate,
  object: entity(object),
  quote,
});

/** An extractor that calls the given function, one passage at a time. */
const reader = (extract: (passage: Passage) => Triple[], identity = "model.1 scripted"): TripleExtractor => ({
  identity,
  atOnce: 1,
  extract: async (passage) => extract(passage),
});

function graphOf(passages: readonly Passage[], extractor: TripleExtractor = localExtractor()) {
  const [documents, knowledge] = [inMemoryDocuments(passages), inMemoryKnowledge()];
  const build = (options: Partial<BuildOptions> = {}) =>
    buildKnowledge({ documents, knowledge, extractor, ...options });
  return { documents, knowledge, build };
}

async function said(knowledge: KnowledgeGraph, name: string): Promise<string[]> {
  const facts = await knowledge.facts([name], name);
  return facts
    .filter(({ entity, others }) => entity === name || others.includes(name))
    .map(({ entity, predicate, others, direction }) =>
      (direction === "out" ? [entity, predicate, ...others] : [...others, predicate, entity]).join(" "),
    )
    .sort();
}

/** A graph in a separate folder, and a function that builds it and stops after so many groups. */
async function onDisk() {
  const path = mkdtempSync(join(tmpdir(), "emend-build-"));
  const knowledge = sqlKnowledge(openDatabase(path));
  return {
    knowledge,
    buildOf(passages: readonly Passage[], stopAfter = Number.POSITIVE_INFINITY) {
      const stop = new AbortController();
      let groups = 0;
      return buildKnowledge({
        documents: inMemoryDocuments(passages),
        knowledge,
        extractor: { ...localExtractor(), atOnce: 1 },
        signal: stop.signal,
        onProgress: () => {
          if (groups++ === stopAfter) stop.abort(new Error("stopped"));
        },
      });
    },
    async close() {
      await knowledge.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

async function contents(knowledge: KnowledgeGraph) {
  const facts = await knowledge.facts(["Ana Silva", "方可"], "lead 负责人", { limit: 100 });
  return { sources: await knowledge.sources(), facts: facts.map(({ id }) => id).sort() };
}
