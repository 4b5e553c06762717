import { expect, test } from "vitest";
import { folder, OFFICES } from "./emend.js";

test("forget deletes conversations by name and by age, and reports a name without a conversation", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  await here.run(["chat"], {}, "When does the Lisbon office open?\n");
  expect(await here.run(["forget"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--older-than") });
  expect(await here.run(["forget", "nobody's"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no conversation nobody's"),
  });
  expect((await here.run(["forget", "--older-than", "1"])).stdout).toBe("0 conversations deleted.\n");
});
