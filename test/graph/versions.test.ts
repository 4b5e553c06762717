import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Agent, createAgent } from "../../src/agent.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { onnxEncoder } from "../../src/tools/encoder/onnx.js";
import { openDatabase } from "../../src/tools/store/open.js";

/** Two versions of a policy in both languages, one by its front matter and one by the names of its files. */
const FILES = {
  "travel-2022.md": `---
validFrom: 2022-01-01
---
# Travel policy

## Hotels

A night in a hotel may cost at most 120 euros.

## Approval

Travel abroad is approved by the head of finance.

## Mileage

A kilometre by private car is paid with 19 cents.
`,
  "travel-now.md": `---
validFrom: 2024-03-01
supersedes: travel-2022.md
---
# Travel policy

## Hotels

A night in a hotel may cost at most 165 euros.

## Approval

Travel abroad is approved by the head of the department.
`,
  "考勤制度-2021.md": "# 考勤制度\n\n## 年假\n\n正式员工每年有十天年假。\n\n## 加班\n\n加班由部门经理审批。\n",
  "考勤制度-2023-07.md": "# 考勤制度\n\n## 年假\n\n正式员工每年有十五天年假。\n\n## 加班\n\n加班由人事总监审批。\n",
  "canteen.md": "# Canteen\n\nIn 2023 the canteen served 41,000 meals.\n",
};

const folder = mkdtempSync(join(tmpdir(), "emend-versions-"));
const encoder = onnxEncoder();
const documents = sqlDocuments(openDatabase(join(folder, "store")), { embeddings: encoder });
const tools = { ...localReasoners({ encoder }), encoder, documents };
let agent: Agent;

beforeAll(async () => {
  await mkdir(join(folder, "docs"));
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, "docs", name), text);
  await ingestFiles(["docs"], { documents, cwd: folder });
  await documents.embed?.();
  agent = createAgent({ store: folder, tools });
}, 60_000);
afterAll(async () => {
  await agent?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("with two versions of a policy", () => {
  test.each([
    ["How much may a night in a hotel cost?", "A night in a hotel may cost at most 165 euros."],
    ["How much could a night in a hotel cost in 2022?", "A night in a hotel may cost at most 120 euros."],
    ["As of May 2023, who approves travel abroad?", "Travel abroad is approved by the head of finance."],
    ["Who approves travel abroad?", "Travel abroad is approved by the head of the department."],
    ["正式员工有多少天年假？", "正式员工每年有十五天年假。"],
    ["2022年正式员工有多少天年假？", "正式员工每年有十天年假。"],
    ["截至2022年底，加班由谁审批？", "加班由部门经理审批。"],
    ["加班由谁审批？", "加班由人事总监审批。"],
    ["How many meals did the canteen serve in 2023?", "In 2023 the canteen served 41,000 meals."],
  ])("the version that is valid at the time of the question answers: %s", async (question, claim) => {
    const { claims } = await agent.ask(question);
    expect(claims.map(({ text }) => text)).toEqual([claim]);
  });

  test("the citation says when its version is valid", async () => {
    const { references, leftOut } = await agent.ask("How much could a night in a hotel cost in 2022?");
    expect(references).toMatchObject([
      { title: "Travel policy (in 2022)", validFrom: "2022-01-01", validUntil: "2024-02-29" },
    ]);
    expect(leftOut).toContainEqual(expect.objectContaining({ uri: "docs/travel-now.md", from: "2024-03-01" }));
  });

  test.each([
    [
      "How much is paid for a kilometre by private car?",
      /Not used, because.*docs\/travel-2022\.md \(valid from 2022-01-01 until 2024-02-29, superseded by docs\/travel-now\.md\)/,
    ],
    [
      "2018年时正式员工有多少天年假？",
      /没有采用：.*docs\/考勤制度-2021\.md（有效期2021-01-01至2023-06-30，已由docs\/考勤制度-2023-07\.md取代）/,
    ],
  ])(
    "a question that no valid version answers is refused, and the unused version is named: %s",
    async (question, named) => {
      const { status, text } = await agent.ask(question);
      expect(status).toBe("refused");
      expect(text).toMatch(named);
    },
  );

  test("the versions that a search finds are compared with each other if the store cannot list them", async () => {
    const { heads: _, ...others } = documents;
    const alone = createAgent({ store: folder, tools: { ...tools, documents: others } });
    const { claims } = await alone.ask("加班由谁审批？");
    expect(claims.map(({ text }) => text)).toEqual(["加班由人事总监审批。"]);
  });
});
