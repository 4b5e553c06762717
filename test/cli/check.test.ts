import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/tools/store/open.js";
import { folder } from "./emend.js";

const today = new Date().toISOString().slice(0, 10);
const FILES = {
  "docs/fresh.md": `---\nreviewed: ${today}\n---\n# Fresh\n\nThe office opens at eight.\n`,
  "docs/old.md": "---\nreviewed: 2001-02-03\n---\n# Old\n\nThe office opens at nine.\n",
  "docs/差旅.md": "# 差旅\n\n出国差旅由部门负责人审批。\n",
  "docs/副本.md": "# 差旅\n\n出国差旅由部门负责人审批。\n",
  "docs/per-diem.md": "# Per diem\n\nFor meals the company pays 35 euros a day.\n",
  "docs/trips-v1.md": "# Trips\n\nThe company pays 28 euros a day for meals.\n",
  "docs/trips-v2.md": "# Trips\n\nFor meals the company pays 40 euros a day.\n",
  "docs/gone.md": "# Gone\n\nIt was here.\n",
  "docs/edited.md": "# Edited\n\nBefore.\n",
};

test("lists documents that are stale, repeated, empty, unreadable, changed or gone, each with a remedy", async () => {
  await using here = await folder(FILES);
  await here.run(["ingest", "docs"]);
  await rm(join(here.path, "docs/gone.md"));
  await writeFile(join(here.path, "docs/edited.md"), "# Edited\n\nAfter.\n");
  await writeFile(join(here.path, "docs/broken.docx"), "no Word file");
  await writeFile(join(here.path, "docs/empty.md"), "");
  const { code, stdout } = await here.run(["check", "--json"]);
  expect(code).toBe(1);
  const { findings } = JSON.parse(stdout) as { findings: { kind: string; document: string; remedy: string }[] };
  expect(findings.map(({ kind, document }) => `${kind} ${document}`).sort()).toEqual([
    "changed docs/edited.md",
    "contradicting docs/per-diem.md",
    "duplicate docs/差旅.md",
    "empty docs/empty.md",
    "orphaned docs/gone.md",
    "stale docs/old.md",
    "unreadable docs/broken.docx",
  ]);
  for (const { remedy } of findings) expect(remedy).not.toBe("");
  const shown = await here.run(["check"]);
  expect(shown.code).toBe(1);
  expect(shown.stdout).toMatch(
    /^stale \(1\) {2}.*emend remove <file>\n {2}docs\/old\.md {2}It was last reviewed on 2001-02-03\.\n/,
  );
  expect(shown.stdout).toContain("\n  docs/差旅.md  All of it stands word for word in docs/副本.md.\n");
  expect(shown.stdout).toMatch(/\n\n7 documents need care\.\n$/);
  expect((await here.run(["list"])).stdout).toContain("docs/gone.md");
});

test("a store without problems is reported as such, one of another version as well, and the age limit is an option", async () => {
  const reviewed = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 10);
  await using here = await folder({ "docs/a.md": `---\nreviewed: ${reviewed}\n---\n# A\n\nThe office opens.\n` });
  await here.run(["ingest", "docs"]);
  expect(await here.run(["check"])).toEqual({ code: 0, stdout: "Nothing needs care.\n", stderr: "" });
  expect(await here.run(["check", "--older-than", "39"])).toMatchObject({ code: 1 });
  const database = openDatabase(join(here.path, ".emend"));
  await database.write((to) => to.all("UPDATE emend.documents SET hash = 'of another version'"));
  await database.close();
  expect((await here.run(["check"])).stdout).toContain("or another version of emend ingested it.");
  await here.run(["ingest", "docs"]);
  expect(await here.run(["check", "--older-than", "41"])).toMatchObject({ code: 0 });
});

test("an empty store is an error that says what to do", async () => {
  await using here = await folder();
  expect(await here.run(["check"])).toMatchObject({ code: 1, stderr: expect.stringContaining("emend ingest") });
});

test("a file that cannot be read is reported in complete sentences", async () => {
  await using here = await folder({ "docs/fresh.md": "# Fresh\n\nThe office opens at eight.\n" });
  await here.run(["ingest", "docs"]);
  await writeFile(join(here.path, "docs/broken.json"), '{"opens": 8,}');
  const { stdout } = await here.run(["check"]);
  expect(stdout).toMatch(/ {2}docs\/broken\.json {2}It is not valid JSON: [^\n]+[^.]\. It is not in the store\.\n/);
});
