import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sqlKnowledge } from "../../src/tools/knowledge/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { fakeServer, saysJson } from "../tools/chat/fake-server.js";
import { ended, folder } from "./emend.js";

const LEADS = {
  "docs/leads.md": "---\nreviewed: 2026-03-09\n---\n# Leads\n\n| Area | Lead |\n|-|-|\n| Roost | Noor el Amrani |\n",
  "docs/部门.md": "# 部门负责人\n\n| 部门 | 负责人 |\n|-|-|\n| 采购部 | 梁嘉懿 |\n",
};
const TEAM = "subject,predicate,object\nNoor el Amrani,reports to,Joost van Rees\n梁嘉懿,汇报对象,林雨晴\n";

describe("graph build", () => {
  test("finds nothing to read after an ingest, which fills the graph itself", async () => {
    await using here = await folder(LEADS);
    await here.run(["ingest", "docs"]);
    const shown = await here.run(["graph", "show", "梁嘉懿"]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("采购部 -- 负责人 -> 梁嘉懿") });
    expect(shown.stdout).toContain('"| 采购部 | 梁嘉懿 |"');
    expect(await here.run(["graph", "build"])).toEqual({
      code: 0,
      stdout: "0 passages read, 2 unchanged, 0 removed, 0 failed; 0 triples written.\n",
      stderr: "",
    });
    await rm(join(here.path, "docs/leads.md"));
    await writeFile(join(here.path, "docs/部门.md"), LEADS["docs/部门.md"].replace("梁嘉懿", "方可"));
    await here.run(["ingest", "docs"]);
    expect((await here.run(["graph", "show", "Roost"])).code).toBe(3);
    expect((await here.run(["graph", "show", "采购部"])).stdout).toContain("采购部 -- 负责人 -> 方可");
  });

  test("uses the configured model, and reports its cost", async () => {
    const fact = {
      subject: "采购部",
      subjectType: "部门",
      relation: "负责人",
      object: "梁嘉懿",
      objectType: "人员",
      sentence: 3,
    };
    await using server = await fakeServer(saysJson({ facts: [fact] }));
    await using here = await folder({ "docs/部门.md": LEADS["docs/部门.md"] });
    await here.run(["ingest", "docs"]);
    const model = { EMEND_MODEL: "fake", OPENAI_BASE_URL: server.baseURL };
    const built = await here.run(["graph", "build"], model);
    expect(built.stdout).toBe(
      "1 passage read, 0 unchanged, 0 removed, 0 failed; 1 triple written. 1 model calls, 1020 tokens.\n",
    );
  });

  test("names the passage that a model could not read, and tries it again the next time", async () => {
    await using server = await fakeServer(saysJson("nonsense"), saysJson("nonsense"), saysJson({ facts: [] }));
    await using here = await folder({ "docs/部门.md": LEADS["docs/部门.md"] });
    await here.run(["ingest", "docs"]);
    const model = { EMEND_MODEL: "fake", OPENAI_BASE_URL: server.baseURL };
    const failed = await here.run(["graph", "build"], model);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/^emend: docs\/部门\.md#0: .*tried again at the next run\.\n$/);
    expect((await here.run(["graph", "build"], model)).stdout).toMatch(/^1 passage read, 0 unchanged/);
  });

  test("follows an ontology, and refuses an invalid one", async () => {
    await using here = await folder({
      ...LEADS,
      "o.json": '{"relations": [{"name": "led by", "aliases": ["Lead"]}]}',
      "bad.json": "{",
    });
    await here.run(["ingest", "docs"]);
    expect((await here.run(["graph", "build", "--ontology", "o.json"])).stdout).toMatch(/; 1 triple written/);
    expect((await here.run(["graph", "show", "Roost"])).stdout).toContain("Roost -- led by -> Noor el Amrani");
    expect(await here.run(["graph", "build", "--ontology", "bad.json"])).toMatchObject({ code: 2, stdout: "" });
    expect(await here.run(["graph", "build", "--limit", "0"])).toMatchObject({ code: 2, stdout: "" });
  });

  test("says that there is nothing to read", async () => {
    await using here = await folder();
    expect(await here.run(["graph", "build"])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^Nothing to read/),
    });
  });
});

describe("graph load", () => {
  test("loads files, names bad lines, and reports them by its exit code", async () => {
    await using here = await folder({
      "team.csv": `${TEAM},leads,Water\n`,
      "more.jsonl": '{"subject": "A1", "predicate": "is", "object": "B2"}\n',
    });
    expect(await here.run(["graph", "load", "team.csv", "more.jsonl"])).toEqual({
      code: 1,
      stdout: "team.csv: 2 triples, 2 written, 1 line skipped.\nmore.jsonl: 1 triple, 1 written, 0 lines skipped.\n",
      stderr: "emend: team.csv, line 4: it has no subject. The line is skipped.\n",
    });
    expect((await here.run(["graph", "show", "Joost", "van", "Rees"])).stdout).toContain(
      "Noor el Amrani -- reports to -> Joost van Rees",
    );
  });

  test("reads nothing if one of the files cannot be loaded", async () => {
    await using here = await folder({ "team.csv": TEAM, "team.xlsx": "" });
    expect((await here.run(["graph", "load", "team.csv", "team.xlsx"])).code).toBe(2);
    expect((await here.run(["graph", "show", "梁嘉懿"])).code).toBe(3);
  });

  test("loses and duplicates nothing when it is killed halfway and run again", async () => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `Person ${i},works in,部门${i % 9}`);
    await using here = await folder({ "big.csv": ["subject,predicate,object", ...lines].join("\n") });
    const child = here.start(["graph", "load", "big.csv"]);
    const over = ended(child);
    const graph = sqlKnowledge(openDatabase(join(here.path, ".emend")));
    while ((await graph.sources()).length === 0 && child.exitCode === null) await new Promise(setImmediate);
    child.kill("SIGKILL");
    await over;
    const stored = async () => (await graph.sources()).reduce((sum, { triples }) => sum + triples, 0);
    const before = await stored();
    expect(before).toBeGreaterThan(0);
    const { stdout } = await here.run(["graph", "load", "big.csv"]);
    expect(stdout).toBe(`big.csv: 30000 triples, ${30_000 - before} written, 0 lines skipped.\n`);
    expect(await stored()).toBe(30_000);
    await graph.close();
  });

  test("loads the complete sample graph", async () => {
    const sample = await readFile("examples/handbook-graph.csv");
    await using here = await folder({ "handbook-graph.csv": sample });
    expect(await here.run(["graph", "load", "handbook-graph.csv"])).toMatchObject({ code: 0, stderr: "" });
  });
});

test("graph index says that a graph in a folder needs no index", async () => {
  await using here = await folder();
  expect(await here.run(["graph", "index"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Nothing to do/),
  });
});

test("graph show says which names it does not know, and prints no terminal control characters", async () => {
  await using here = await folder({ "a.csv": "subject,predicate,object\nAna,says,\u001b[2Jboo\n" });
  expect(await here.run(["graph", "show", "Ana"])).toMatchObject({
    code: 3,
    stdout: "The graph says nothing of Ana.\n",
  });
  await here.run(["graph", "load", "a.csv"]);
  const { stdout } = await here.run(["graph", "show", "Ana"]);
  expect(stdout).toContain("Ana -- says ->");
  expect(stdout).not.toContain("\u001b");
});
