import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import { folder, OFFICES } from "./emend.js";

afterEach(() => void vi.useRealTimers());

/** The conversations in the store of a folder. */
async function threadsIn(path: string): Promise<string[]> {
  const threads = sqlThreads(openDatabase(join(path, ".emend")));
  try {
    return await threads.threads();
  } finally {
    await threads.close();
  }
}

test("forget deletes conversations by name and by age, and reports a name without a conversation", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  for (const _ of [1, 2]) await here.run(["chat"], {}, "When does the Lisbon office open?\n");
  const [first = "", second = ""] = await threadsIn(here.path);
  expect(await here.run(["forget"])).toMatchObject({ code: 2, stderr: expect.stringContaining("--older-than") });
  expect(await here.run(["forget", first, "nobody's"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no conversation nobody's"),
  });
  expect(await threadsIn(here.path)).toEqual([first, second]);
  expect((await here.run(["forget", first])).stdout).toBe("1 conversation deleted.\n");
  expect(await threadsIn(here.path)).toEqual([second]);

  expect((await here.run(["forget", "--older-than", "2"])).stdout).toBe("0 conversations deleted.\n");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3 * 86_400_000 });
  expect((await here.run(["forget", "--older-than", "2"])).stdout).toBe("1 conversation deleted.\n");
  expect(await threadsIn(here.path)).toEqual([]);
});
