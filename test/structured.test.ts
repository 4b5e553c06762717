import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Agent, createAgent } from "../src/agent.js";
import { ingestFiles } from "../src/ingest/ingest.js";

const FILES: Readonly<Record<string, string>> = {
  "march.md": `# Outage in March

## Summary

The booking service answered nobody for two hours.

## Root cause

A certificate had expired, and the warning went to a closed mailbox.
`,
  "august.md": `# Outage in August

## Summary

Search was slow for a day.

## Root cause

An index was built at noon.
`,
  "三月.md": "# 三月停电\n\n## 概况\n\n东楼停电两小时。\n\n## 根本原因\n\n施工队挖断了电缆。\n",
  "八月.md": "# 八月漏水\n\n## 概况\n\n书库进水。\n\n## 根本原因\n\n水管接头老化。\n",
  "lending.md": `# Lending

The registrar is Yusuf Adeyemi. He came to us from Gdansk. He answers within ten working days.

Every borrower provides:

- proof of insurance
- a report on the climate of the rooms
- the name of a courier
`,
  "rooms.csv": "Room,Seats,Price (EUR)\nLamp room,40,150\nBoat hall,200,900\n",
};

let folder: string;
let agents: Record<"words alone" | "the encoder", Agent>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "emend-structured-"));
  await mkdir(join(folder, "archive"));
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text);
  await writeFile(join(folder, "archive", "march.md"), FILES["march.md"]?.replaceAll("\n\n", "\n\n\n") ?? "");
  const store = join(folder, ".emend");
  agents = {
    "words alone": createAgent({ store, encoder: "off" }),
    "the encoder": createAgent({ store, encoder: "model" }),
  };
  const { documents } = agents["the encoder"].tools;
  await ingestFiles([folder], { documents, cwd: folder });
  await documents.embed?.();
}, 120_000);
afterAll(async () => {
  for (const agent of Object.values(agents)) await agent.close();
  await rm(folder, { recursive: true, force: true });
});

describe.each(["words alone", "the encoder"] as const)("an answer by %s depends on", (by) => {
  test.each([
    ["the headings above", "What was the root cause of the outage in March?", "march.md", /certificate had expired/],
    ["the headings above, in Chinese", "三月停电的根本原因是什么？", "三月.md", /挖断了电缆/],
    ["the header of a table", "How many seats does the Boat hall have?", "rooms.csv", /Room: Boat hall; Seats: 200/],
    [
      "what introduces a list",
      "What does a borrower provide?",
      "lending.md",
      /Every borrower provides:[\s\S]*a courier/,
    ],
    ["who a pronoun means", "Did Yusuf Adeyemi come from Gdansk?", "lending.md", /Yusuf Adeyemi. He came to us from/],
  ])("%s", async (_name, question, file, expected) => {
    const { text, references } = await agents[by].ask(question);
    expect(text.replace(/ \[\d+\]/g, "")).toMatch(expected);
    const places = references.map(({ uri, alsoIn = [] }) => [uri, ...alsoIn].sort());
    expect(places).toEqual([file === "march.md" ? ["archive/march.md", file] : [file]]);
  });
});
