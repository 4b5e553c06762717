import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, OFFICES } from "./emend.js";

const opinion = (id: string, given: object) =>
  JSON.stringify({
    ...{ id, at: "2026-03-01T09:00:00.000Z", question: `问${id}？`, verdict: "up", reason: "", expected: "" },
    ...{ status: "answered", text: "八点 [1]。", claims: ["八点。"], history: [] },
    ...given,
  });

test("feedback prints the opinions of readers as an evaluation, and names the ones it omits", async () => {
  await using here = await folder(OFFICES);
  expect(await here.run(["feedback"])).toMatchObject({ code: 2, stderr: expect.stringContaining("emend serve") });
  await here.run(["ingest", "docs"]);
  const file = join(here.path, ".emend", "feedback.jsonl");
  await writeFile(file, `${opinion("1", {})}\n${opinion("2", { verdict: "down" })}\n`);
  const { code, stdout, stderr } = await here.run(["feedback"]);
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([{ id: "1", question: "问1？", language: "zh", answerable: true, answers: ["八点。"], also: [] }]);
  expect(stderr).toBe(
    "emend: 1 answer is left out: nobody said what is right in place of it, or a later opinion does.\n",
  );
  await writeFile(file, `${opinion("1", {})}\n{"id":`);
  expect(await here.run(["feedback"])).toMatchObject({
    code: 1,
    stderr: "emend: 1 line is no feedback, and left out.\n",
  });
});
