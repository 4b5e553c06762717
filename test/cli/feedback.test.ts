import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeFeedback } from "../../src/testing/runs-contract.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { folder, OFFICES } from "./emend.js";

test("feedback prints the opinions of readers as an evaluation, and says which it omits", async () => {
  await using here = await folder(OFFICES);
  const none = { code: 2, stderr: expect.stringContaining("emend serve") };
  expect(await here.run(["feedback"])).toMatchObject(none);
  await here.run(["ingest", "docs"]);
  expect(await here.run(["feedback"])).toMatchObject(none);
  const database = openDatabase(join(here.path, ".emend"));
  const runs = sqlRuns(database);
  for (const id of ["1", "2"]) {
    const verdict = id === "1" ? "up" : "down";
    const said = fakeFeedback({ id, verdict, question: `问${id}？`, text: "八点 [1]。", claims: ["八点。"] });
    await runs.addFeedback(said, { thread: id });
  }
  await runs.addFeedback(fakeFeedback({ id: "3" }), { thread: "3" });
  await database.write((to) => to.all("UPDATE emend.feedback SET record = '{' WHERE id = '3'"));
  await database.close();
  const { code, stdout, stderr } = await here.run(["feedback", "--as", "eval"]);
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([{ id: "1", question: "问1？", language: "zh", answerable: true, answers: ["八点。"], also: [] }]);
  expect(stderr).toBe(
    "emend: 1 opinion is damaged in the store, and left out. Check the disk.\n" +
      "emend: 1 answer is left out: nobody said what is right in place of it, or a later opinion does.\n",
  );
});
