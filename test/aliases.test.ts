import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Agent, createAgent } from "../src/agent.js";
import { linkedByAliases, readAliases, toldOfAliases } from "../src/aliases.js";
import { loadSettings } from "../src/config.js";
import { UsageError } from "../src/errors.js";
import { fakeChecker, fakePassage, fakeTools, inMemoryKnowledge } from "../src/testing/index.js";
import { aliasesOf } from "../src/text/aliases.js";
import type { KnowledgeGraph } from "../src/tools/knowledge/port.js";
import { call, task } from "./reading/local-evidence.js";

const FILE =
  "# Departments\n\nHR = People team = 人力资源部\r\nIT = Informatics = 信息技术部\n上海分公司 ＝ Shanghai branch\n";
const aliases = aliasesOf([
  ["HR", "People team", "人力资源部"],
  ["IT", "Informatics", "信息技术部"],
  ["C++", "cpp"],
]);

describe("aliases", () => {
  test.each([
    ["Who leads HR?", ["Who leads HR?", "Who leads People team?", "Who leads 人力资源部?"]],
    ["who leads the people  team?", ["who leads the people  team?", "who leads the HR?", "who leads the 人力资源部?"]],
    ["人力资源部由谁负责？", ["人力资源部由谁负责？", "HR由谁负责？", "People team由谁负责？"]],
    ["HR部门由谁负责？", ["HR部门由谁负责？", "People team部门由谁负责？", "人力资源部部门由谁负责？"]],
    ["Is it in the shred or the Chrome?", ["Is it in the shred or the Chrome?"]],
    [
      "Does C++ need IT?",
      ["Does C++ need IT?", "Does cpp need IT?", "Does C++ need Informatics?", "Does C++ need 信息技术部?"],
    ],
  ])("turn a question into one wording for each name: %s", (question, wordings) => {
    expect(aliases.wordings(question)).toEqual(wordings);
  });

  test.each([
    ["The People team is led by Ann.", "Who leads HR?", "Who leads People team?"],
    ["HR, the people team, is led by Ann.", "Who leads HR?", "Who leads HR?"],
    ["Ann leads sales.", "Who leads HR?", "Who leads HR?"],
    ["人力资源部由安负责，信息技术部由李负责。", "Who leads HR and IT?", "Who leads 人力资源部 and 信息技术部?"],
    ["It is led by Ann.", "信息技术部由谁负责？", "信息技术部由谁负责？"],
  ])("rephrase a question with the name that a text uses: %s", (text, question, asked) => {
    expect(aliases.inWordsOf(text, question)).toBe(asked);
  });

  test("give a question at most eight wordings", () => {
    const many = aliasesOf([Array.from({ length: 20 }, (_, i) => `name${i}`)]);
    expect(many.wordings("name3 and name5?")).toHaveLength(8);
  });
});

describe("a file of aliases", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "emend-aliases-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const file = async (text: string) => {
    const path = join(folder, "aliases.txt");
    await writeFile(path, text);
    return path;
  };

  test("has one group of names per line, and EMEND_ALIASES is its path", async () => {
    expect(loadSettings({}, { EMEND_ALIASES: await file(`\uFEFF${FILE}`) }).aliases).toEqual([
      ["HR", "People team", "人力资源部"],
      ["IT", "Informatics", "信息技术部"],
      ["上海分公司", "Shanghai branch"],
    ]);
  });

  test.each([
    ["one name", "HR\n", /aliases\.txt:1: a line has names with = between them/],
    ["an empty name", "# a\nHR = = People\n", /aliases\.txt:2: a line has names/],
    ["a name of another line", "HR = People\n\nhr = Human Relations\n", /aliases\.txt:3: “hr” also stands in line 1/],
  ])("is refused, with the line number, if a line has %s", async (_name, text, message) => {
    const path = await file(text);
    expect(() => readAliases(path)).toThrow(UsageError);
    expect(() => readAliases(path)).toThrow(message);
  });

  test("that does not exist is named in the error", () => {
    expect(() => readAliases(join(folder, "none"))).toThrow(/EMEND_ALIASES: .*none cannot be read/);
  });
});

describe("an agent with aliases", () => {
  let folder: string;
  let agent: Agent;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "emend-aliases-"));
    const groups = [
      ["HR", "People team", "人力资源部"],
      ["IT", "信息技术部"],
    ];
    agent = createAgent({ store: folder, encoder: "off", aliases: groups });
    await agent.tools.documents.upsert([
      fakePassage("en", "The People team approves part-time work.", { title: "Rules" }),
      fakePassage("zh", "信息技术部负责更换损坏的电脑。", { title: "制度", language: "zh" }),
      ...Array.from({ length: 30 }, (_, i) =>
        fakePassage(`other${i}`, `Rule ${i} is on work in room ${i}.`, { title: "" }),
      ),
    ]);
    const entity = (name: string) => ({ name, type: "", aliases: [] });
    const source = { id: "s", documentId: "s", title: "", uri: "s", section: "", reviewedAt: "", hash: "" };
    const triple = { subject: entity("People team"), predicate: "led by", object: entity("Ann Lee"), quote: "" };
    await agent.tools.knowledge?.upsert([{ source, triples: [triple] }]);
  });
  afterAll(async () => {
    await agent.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each([
    ["HR?", "en"],
    ["人力资源部？", "en"],
    ["IT?", "zh"],
  ])("searches for every name, and sorts the passages of all searches by score: %s", async (text, id) => {
    const found = await agent.tools.documents.search({ text }, 2);
    expect(found[0]?.id).toBe(id);
    expect(found.length).toBeLessThanOrEqual(2);
    expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).toSorted((a, b) => b - a));
  });

  test.each([
    ["Does HR approve part-time work?", "The People team approves part-time work"],
    ["IT负责更换损坏的电脑吗？", "信息技术部负责更换损坏的电脑"],
  ])("answers from a document with another name: %s", async (question, expected) => {
    const { status, text } = await agent.ask(question);
    expect([status, text]).toEqual(["answered", expect.stringContaining(expected)]);
  });

  test.each(["Who is HR led by?", "Who is the 人力资源部 led by?"])(
    "answers from a graph with another name: %s",
    async (question) => {
      const { text } = await agent.ask(question);
      expect(text).toContain("Ann Lee");
    },
  );
});

test("the knowledge graph is asked about every name", async () => {
  const asked: (readonly string[])[] = [];
  const facts = async (names: readonly string[]) => {
    asked.push(names);
    return [];
  };
  const graph: KnowledgeGraph = { ...inMemoryKnowledge(), facts };
  await linkedByAliases(graph, aliases).facts(["Ann"], "Does Ann lead HR?");
  expect(asked).toEqual([["Ann", "People team", "人力资源部"]]);
});

test("a question for a chat model lists the other names, if it contains a name that has any", async () => {
  const asked: string[] = [];
  const { generator, checker = fakeChecker("supported") } = fakeTools();
  const told = toldOfAliases(
    {
      generator: {
        leads: async () => true,
        generate: (given, one) => {
          asked.push(`write: ${given.question}`);
          return generator.generate(given, one);
        },
      },
      checker: {
        check: (given, one) => {
          asked.push(`check: ${given.question}`);
          return checker.check(given, one);
        },
      },
    },
    aliases,
  );
  expect(await told.generator.leads?.()).toBe(true);
  await told.generator.generate({ ...task("Who leads HR?", "Ann does."), intent: "other" }, call());
  await told.generator.generate({ ...task("Who leads sales?", "Ann does."), intent: "other" }, call());
  await told.checker.check({ ...task("Who leads 人力资源部?", "Ann does."), claims: [] }, call());
  expect(asked).toEqual([
    "write: Who leads HR? (HR = People team = 人力资源部)",
    "write: Who leads sales?",
    "check: Who leads 人力资源部? (人力资源部 = HR = People team)",
  ]);
});
