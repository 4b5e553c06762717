import { mkdtempSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { UsageError } from "../../../src/errors.js";
import { loadTriples } from "../../../src/ingest/facts/load-triples.js";
import { inMemoryKnowledge } from "../../../src/testing/knowledge.js";
import type { KnowledgeGraph, Triple, TripleSource } from "../../../src/tools/knowledge/port.js";
import { line } from "../../tools/knowledge/passages.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "emend-load-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a table of triples", () => {
  test("is loaded with types, aliases, source, date and quote", async () => {
    const { load, stored } = graph();
    const text =
      'subject,predicate,object,subject_type,object_type,subject_aliases,object_aliases,source,date,quote\n"Silva, Ana",leads,Water,Person,Team,安娜|Ana,水质组,Staff list,2026/3/1,"She ""leads"" it."\n';
    expect(await load("a.csv", text)).toMatchObject({ triples: 1, written: 1, skipped: 0 });
    expect(stored()).toEqual([
      {
        source: expect.objectContaining({
          documentId: "a.csv",
          title: "Staff list",
          uri: "a.csv",
          reviewedAt: "2026-03-01",
        }),
        triples: [
          {
            subject: { name: "Silva, Ana", type: "Person", aliases: ["安娜", "Ana"] },
            predicate: "leads",
            object: { name: "Water", type: "Team", aliases: ["水质组"] },
            quote: 'She "leads" it.',
          },
        ],
      },
    ]);
  });

  test("can come from any spreadsheet: separators, upper or lower case headers, line ends, a byte order mark", async () => {
    for (const text of [
      "\uFEFFSubject,Predicate,Object\r\nAna,leads,Water\r\n",
      "predicate;object;subject\nleads;Water;Ana\n",
      "subject\tpredicate\tobject\n\nAna\tleads\tWater",
    ]) {
      const { load, said } = graph();
      await load("a.csv", text);
      expect(said()).toEqual(["Ana | leads | Water"]);
    }
  });

  test("can be in UTF-8, GB18030 or UTF-16", async () => {
    const text = "subject,predicate,object\n采购部,负责人,梁嘉懿\n";
    const gb18030 = Buffer.concat([
      Buffer.from("subject,predicate,object\n"),
      Buffer.from("b2c9b9bab2bf2cb8bad4f0c8cb2cc1babccedcb20a", "hex"),
    ]);
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
    for (const bytes of [Buffer.from(text), gb18030, utf16]) {
      const { load, said } = graph();
      await load("a.csv", bytes);
      expect(said()[0]).toBe("采购部 | 负责人 | 梁嘉懿");
    }
  });

  test("without a required column is refused with the name of the column", async () => {
    const { load, stored } = graph();
    await expect(load("a.csv", "subject,object\nAna,Water\n")).rejects.toThrow(/no column predicate/);
    await expect(load("a.csv", "")).rejects.toThrow(UsageError);
    expect(stored()).toEqual([]);
  });
});

test("can also be written as JSON Lines", async () => {
  const { load, stored } = graph();
  await load(
    "a.jsonl",
    '{"subject": "Heron", "predicate": "weight", "object": 11.5, "subjectType": "Product", "subject_aliases": ["苍鹭"], "date": "2026-01-02"}\n',
  );
  expect(stored()).toMatchObject([
    {
      source: { title: "a.jsonl", reviewedAt: "2026-01-02" },
      triples: [
        {
          subject: { name: "Heron", type: "Product", aliases: ["苍鹭"] },
          predicate: "weight",
          object: { name: "11.5" },
        },
      ],
    },
  ]);
});

describe("a bad line", () => {
  test("is reported by its number, and the others are loaded", async () => {
    const { load, said } = graph();
    const text = [
      "subject,predicate,object,date",
      "Ana,leads,Water,",
      ",leads,Air,",
      '"Bo" Li,leads,Air,',
      "Cem,leads,Soil,tomorrow",
      `${"x".repeat(300)},leads,Soil,`,
      '"Two\nlines",leads,Soil,',
      "方可,负责,仓库,2026-04-01",
    ].join("\n");
    const { faults, skipped, triples } = await load("a.csv", text);
    expect(said().sort()).toEqual(["Ana | leads | Water", "Two lines | leads | Soil", "方可 | 负责 | 仓库"]);
    expect([skipped, triples]).toEqual([4, 3]);
    expect(faults.map(({ line, reason }) => `${line}: ${reason}`)).toEqual([
      "3: it has no subject",
      expect.stringMatching(/^4: a quotation mark/),
      expect.stringMatching(/^5: its date is not a date.*tomorrow/),
      expect.stringMatching(/^6: a name has at most 200/),
    ]);
  });

  test("with a quotation mark that is never closed does not affect other lines", async () => {
    const { load, said } = graph();
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => `Ana ${from + i},leads,Team`);
    const text = [
      "subject,predicate,object",
      ...lines(2, 50),
      '"Bo,leads,Air',
      ...lines(51, 300),
      'Cem,"leads,Air',
      "Dee,leads,Air",
    ];
    const { faults } = await load("a.csv", text.join("\n"));
    expect(faults.map((fault) => fault.line)).toEqual([50, 300]);
    expect(said()).toHaveLength(298);
    expect(said()).toContain("Dee | leads | Air");
  });

  test("of JSON Lines is reported too", async () => {
    const { load } = graph();
    const { faults } = await load(
      "a.jsonl",
      '{"subject": "Ana"}\nnonsense\n[1]\n{"subject": "A", "predicate": "b", "object": "C"}\n',
    );
    expect(faults.map((fault) => fault.line)).toEqual([1, 2, 3]);
  });
});

describe("loading a file again", () => {
  const many = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `Person ${from + i},works in,部门${i % 7}`);
  const csv = (lines: readonly string[]) => ["subject,predicate,object", ...lines].join("\n");

  test("writes nothing if nothing changed, and still reports the bad lines", async () => {
    const { load } = graph();
    const text = csv([...many(0, 3000), "no good"]);
    expect(await load("a.csv", text)).toMatchObject({ written: 3000, skipped: 1 });
    expect(await load("a.csv", text)).toMatchObject({ triples: 3000, written: 0, removed: 0, skipped: 1 });
  });

  test("finishes the work of a killed load, even if nothing changed", async () => {
    const { load } = graph();
    await load("a.csv", csv(many(0, 3)));
    const tidy = vi.fn(async () => {});
    const knowledge = { ...inMemoryKnowledge(), tidy };
    expect(await load("a.csv", csv(many(0, 3)), { knowledge })).toMatchObject({ triples: 3 });
    expect(tidy).toHaveBeenCalledOnce();
  });

  test("after a line was inserted at the top writes little, and stores each line once", async () => {
    const { load, said } = graph();
    await load("a.csv", csv(many(0, 20_000)));
    const { written, removed } = await load("a.csv", csv(["Ana,leads,Water", ...many(0, 20_000)]));
    expect(written).toBeLessThan(8_000);
    expect(removed).toBeGreaterThan(0);
    expect(new Set(said()).size).toBe(20_001);
    expect(said()).toHaveLength(20_001);
  });

  test("writes lines again that another version of emend read", async () => {
    const { load, stored } = graph();
    const text = csv(["Ana,leads,Water"]);
    await load("a.csv", text);
    const [{ source, triples } = { source: undefined, triples: [] }] = stored();
    const knowledge = inMemoryKnowledge();
    if (source) await knowledge.upsert([{ source: { ...source, hash: `old ${source.hash}` }, triples }]);
    expect(await load("a.csv", text, { knowledge })).toMatchObject({ written: 1, removed: 0 });
    expect(await load("a.csv", text, { knowledge })).toMatchObject({ written: 0, removed: 0 });
  });

  test("removes the triples of deleted lines, of this file only", async () => {
    const { load, said } = graph();
    await load("a.csv", csv(["Ana,leads,Water", "Bo,leads,Air"]));
    await load("b.csv", csv(["Ana,leads,Water"]));
    await load("a.csv", csv(["Bo,leads,Air"]));
    expect(said().sort()).toEqual(["Ana | leads | Water", "Bo | leads | Air"]);
    await load("b.csv", csv([]));
    expect(said()).toEqual(["Bo | leads | Air"]);
  });

  test("after it was stopped loses and duplicates nothing", async () => {
    const text = csv(many(0, 12_000));
    const undisturbed = graph();
    await undisturbed.load("a.csv", text);
    const { load, said, stored } = graph();
    const stop = new AbortController();
    await expect(
      load("a.csv", text, {
        signal: stop.signal,
        onProgress: (lines) => lines > 8_000 && stop.abort(new Error("stopped")),
      }),
    ).rejects.toThrow("stopped");
    const before = said().length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(12_000);
    expect(await load("a.csv", text)).toMatchObject({ triples: 12_000, written: 12_000 - before });
    const ids = (given: typeof stored) =>
      given()
        .map(({ source }) => source.id)
        .sort();
    expect(ids(stored)).toEqual(ids(undisturbed.stored));
    expect(said().sort()).toEqual(undisturbed.said().sort());
  });
});

test("a file of another format and a missing file are refused", async () => {
  const { load } = graph();
  await expect(load("a.xlsx", "")).rejects.toThrow(/\.csv \.tsv \.jsonl \.ndjson/);
  const nowhere = join(folder, "nowhere.csv");
  await expect(loadTriples(nowhere, { knowledge: inMemoryKnowledge() })).rejects.toThrow(
    `There is no file ${nowhere}.`,
  );
});

/** A graph that records what it is given. */
function graph() {
  const stored = new Map<string, { source: TripleSource; triples: readonly Triple[] }>();
  const kept = inMemoryKnowledge();
  const knowledge: KnowledgeGraph = {
    ...kept,
    async upsert(given) {
      await kept.upsert(given);
      for (const one of given) stored.set(one.source.id, one);
    },
    async remove(ids) {
      for (const id of ids) stored.delete(id);
      return kept.remove(ids);
    },
  };
  return {
    stored: () => [...stored.values()],
    said: () => [...stored.values()].flatMap(({ triples }) => triples.map(line)),
    async load(name: string, content: string | Uint8Array, options: Partial<Parameters<typeof loadTriples>[1]> = {}) {
      await writeFile(join(folder, name), content);
      return loadTriples(join(folder, name), { knowledge, cwd: folder, ...options });
    },
  };
}
