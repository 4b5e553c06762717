import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, OFFICES } from "./emend.js";

const TOWNS =
  "Aveiro Bergen Calais Delft Exeter Faro Ghent Halle Ibiza Jena Kassel Leiden Malaga Nantes Oviedo Parma Rennes Siena Turin Utrecht Verona".split(
    " ",
  );
const DOCUMENT = TOWNS.map(
  (town, i) =>
    `# ${town}\n\nThe ${town} office opens its doors to visitors and staff at ${8 + (i % 3)}:15 in the morning.`,
);

/** Questions with and without an answer that word overlap alone cannot tell apart. */
const QUESTIONS = TOWNS.flatMap((town, i) => [
  {
    question: `When does the ${town} office open its doors to visitors and staff in the morning?`,
    answer: `${8 + (i % 3)}:15`,
  },
  { question: `When does the ${town} office open its kitchen to visitors and staff in the morning?`, answer: null },
]);
/** Their answers are in no document. */
const UNKNOWN = ["Aveiro", "Bergen", "Calais"].map((town) => ({
  question: `Which colour has the door in ${town}?`,
  answer: `mauve of ${town}`,
}));
const ANSWERED = TOWNS.map((town) => ({ question: `What opens in ${town}?`, answer: "office" }));
const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");

test("tune finds a threshold, reports it on the held-out half, and writes it to .env, where it takes effect", async () => {
  await using here = await folder({
    "towns.md": DOCUMENT.join("\n\n"),
    "q.jsonl": lines([...QUESTIONS, ...UNKNOWN]),
    ".env": "# mine",
  });
  await here.run(["ingest", "towns.md"]);
  const { code, stdout, stderr } = await here.run(["tune", "q.jsonl", "--write"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^emend: It is written to \.env/m) });
  expect(stderr).toMatch(/No document has the expected answer of 3 questions, such as “Which/);
  expect(stdout).toMatch(/The held-out half: \d+ questions, \d+ of them without an answer/);
  const [, setting = ""] = /^EMEND_CONTEXT='(.*)'$/m.exec(stdout) ?? [];
  expect(JSON.parse(setting)).toMatchObject({ minRelevant: 1 });
  expect(await readFile(join(here.path, ".env"), "utf8")).toBe(
    `# mine\n# Found by emend tune\nEMEND_CONTEXT='${setting}'\n`,
  );
  expect(JSON.parse((await here.run(["status", "--json"])).stdout).settings.context).toContain(setting.slice(1, -1));
});

test.each([
  ["few questions", QUESTIONS.slice(0, 12), /q\.jsonl has 12 questions, and tuning needs 40/],
  ["questions that all have an answer", QUESTIONS.filter(({ answer }) => answer).concat(ANSWERED), /without one/],
] as const)("tune refuses %s, and says what to do", async (_name, questions, said) => {
  await using here = await folder({ ...OFFICES, "q.jsonl": lines(questions) });
  const { code, stdout, stderr } = await here.run(["tune", "q.jsonl", "--write"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(said);
  expect(stderr).toContain("emend eval make");
});
