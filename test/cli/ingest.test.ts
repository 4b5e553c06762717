import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, OFFICES } from "./emend.js";

test("says what was added, changed and removed, and nothing else where it is piped", async () => {
  await using here = await folder(OFFICES);
  const first = await here.run(["ingest", "docs"]);
  expect(first).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      /^2 added, 0 changed, 0 unchanged, 0 removed, 0 failed; \d+ passages written to \.emend\.\n$/,
    ),
    stderr: "",
  });
  await writeFile(join(here.path, "docs/offices.md"), "# Offices\n\nThe Lisbon office opens at seven.\n");
  await rm(join(here.path, "docs/办公室.md"));
  const second = await here.run(["ingest", "docs"]);
  expect(second.stdout).toMatch(/^0 added, 1 changed, 0 unchanged, 1 removed, 0 failed; 1 passages? /);
});

test("lists each file that cannot be read, and takes in the others", async () => {
  await using here = await folder({ ...OFFICES, "docs/broken.md": new Uint8Array([1, 0, 0, 2, 0, 0, 3]) });
  const { code, stdout, stderr } = await here.run(["ingest", "docs"]);
  expect(stdout).toMatch(/^2 added.* 1 failed;/);
  expect(stderr).toMatch(/^emend: docs\/broken\.md: [^\n]+\n$/);
  expect(code).toBe(0);
});

test("a folder with nothing to read is a fault", async () => {
  await using here = await folder({ "docs/picture.png": "?" });
  const { code, stdout } = await here.run(["ingest", "docs"]);
  expect(stdout).toMatch(/^Nothing to ingest/);
  expect(code).toBe(1);
});

test("keeps each store apart", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs/offices.md", "--store", "one"]);
  await here.run(["--store", "two", "ingest", "docs/办公室.md"]);
  const one = await here.run(["ask", "--store", "one", "When does the Lisbon office open?"]);
  const two = await here.run(["ask", "--store", "two", "When does the Lisbon office open?"]);
  expect([one.code, two.code]).toEqual([0, 3]);
});

test("knows a document again from whichever folder it is ingested", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  const again = await here.run(["ingest", join(here.path, "docs")]);
  expect(again.stdout).toMatch(/^0 added, 0 changed, 2 unchanged, 0 removed/);
  await using elsewhere = await folder({ "other.md": "# Other\n\nSomething else.\n" });
  const other = await elsewhere.run(["ingest", ".", "--store", join(here.path, ".emend")]);
  expect(other.stdout).toMatch(/^1 added, 0 changed, 0 unchanged, 0 removed/);
});
