import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, OFFICES } from "./emend.js";

test("gaps turns a log of `ask` and `chat` into a list of missing documents", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  const refused = await here.run(["ask", "--log", "log.jsonl", "Who waters the garden of the Lisbon office?"]);
  expect(refused.code).toBe(3);
  const chat = "上海办公室几点开门？\n上海办公室的花园由谁浇水？\n";
  await here.run(["chat", "--log", "log.jsonl"], {}, chat);
  const log = join(here.path, "log.jsonl");
  const lines = (await readFile(log, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { status: string }).status)).toEqual([
    "refused",
    "answered",
    "refused",
  ]);

  const { code, stdout } = await here.run(["gaps", "--json", "log.jsonl"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ answers: 3, gaps: [{ count: 1 }, { count: 1 }] });

  await writeFile(log, `${lines.join("\n")}\nno answer\n`);
  const shown = await here.run(["gaps", "log.jsonl"]);
  expect(shown).toMatchObject({ code: 1, stderr: "emend: 1 line is no answer, and left out.\n" });
  expect(shown.stdout).toMatch(/^1\. asked once, last on \d{4}-\d\d-\d\d\n {3}上海办公室的花园由谁浇水？\n/);
  expect(shown.stdout).toMatch(/Closest: .*docs\/offices\.md.*\n\n2 things to write, from 3 answers\.\n$/s);
});

test("a log that cannot be read or written is named before any question is asked", async () => {
  await using here = await folder({ "empty.jsonl": "" });
  expect(await here.run(["gaps", "empty.jsonl"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--log") });
  const missing = await here.run(["gaps", "missing.jsonl"]);
  expect(missing).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/missing\.jsonl cannot be read: there is no/),
  });
  const unwritable = await here.run(["ask", "--log", "no/such/folder.jsonl", "Who?"]);
  expect(unwritable).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/cannot be written: its folder .* Create it/),
  });
});
