import { expect, test } from "vitest";
import { documentNamed } from "../../src/cli/store.js";
import { UsageError } from "../../src/errors.js";
import { fakeEndpoint } from "../tools/encoder/endpoint.js";
import { folder, OFFICES } from "./emend.js";

test("show prints the passages of a document as they are stored, in both languages", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  const english = await here.run(["show", "docs/offices.md"]);
  expect(english).toMatchObject({ code: 0, stderr: "" });
  expect(english.stdout).toMatch(
    /^Offices\ndocs\/offices\.md · reviewed 2026-02-01 · 1 passage, 0 embedded\nreviewed=2026-02-01\n\n#0 · en · not embedded\n/,
  );
  expect(english.stdout).toContain(
    "\nThe Lisbon office opens at eight in the morning. The Utrecht office opens at nine.\n",
  );
  const { stdout } = await here.run(["show", "--json", "办公室.md"]);
  expect(JSON.parse(stdout)).toMatchObject({
    documentId: "docs/办公室.md",
    uri: "docs/办公室.md",
    metadata: {},
    passages: [{ id: "docs/办公室.md#0", position: 0, language: "zh", text: expect.stringContaining("出国差旅") }],
  });
});

test("show says which passages have a vector of the current model", async () => {
  await using here = await folder(OFFICES);
  await using endpoint = await fakeEndpoint();
  const fake = { EMEND_EMBEDDINGS_MODEL: "fake", EMEND_EMBEDDINGS_BASE_URL: endpoint.baseURL };
  await here.run(["ingest", "docs"], fake);
  expect((await here.run(["show", "offices.md"], fake)).stdout).toContain(" · 1 passage, all embedded\n");
  const other = await here.run(["show", "offices.md"], { ...fake, EMEND_EMBEDDINGS_MODEL: "other" });
  expect(other.stdout).toMatch(/ · 1 passage, 0 embedded\nreviewed=2026-02-01\n\n#0 · en · not embedded\n/);
});

test("a name that matches no document is refused", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  expect(await here.run(["show", "leave.md"])).toEqual({
    code: 2,
    stdout: "",
    stderr: "emend: Nothing in the store comes from leave.md. What is in it: emend list.\n",
  });
});

const IDS = [
  "docs/a/leave.md",
  "docs/b/leave.md",
  "docs/b/travel.md",
  "/mnt/hr/pay.md",
  "https://example.org/pay",
  "差旅.md",
];
const named = (name: string, here = "/home") => documentNamed(name, IDS, "/home", here);

test.each([
  ["its id", "docs/a/leave.md", "docs/a/leave.md"],
  ["a path from elsewhere", "../b/travel.md", "docs/b/travel.md"],
  ["an absolute path", "/mnt/hr/pay.md", "/mnt/hr/pay.md"],
  ["an address", "https://example.org/pay", "https://example.org/pay"],
  ["the end of a path", "b/leave.md", "docs/b/leave.md"],
  ["a file's name", "travel.md", "docs/b/travel.md"],
  ["a Chinese name", "差旅.md", "差旅.md"],
])("a document can be named by %s", (_name, name, id) => {
  expect(named(name, "/home/docs/a")).toBe(id);
});

test("a name that matches several documents is refused with a list of them", () => {
  expect(() => named("leave.md")).toThrow(UsageError);
  expect(() => named("leave.md")).toThrow("2 documents: docs/a/leave.md, docs/b/leave.md.");
  expect(() => named("docs/b")).toThrow("2 documents: docs/b/leave.md, docs/b/travel.md.");
});

test("a part of a file name matches nothing", () => {
  expect(() => named("ravel.md")).toThrow("Nothing in the store");
  expect(() => named("")).toThrow("Give a document");
});
