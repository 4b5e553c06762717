import { describe, expect, test } from "vitest";
import { ReadingStoppedError } from "../../../src/errors.js";
import { readPageInOwnProcess } from "../../../src/tools/web/read-page.js";
import { HOSTILE } from "./pdfs.js";

const URL = "https://example.org/timetable.pdf";
const MINUTE = 60_000;

describe.each(Object.entries(HOSTILE))("%s", (_, make) => {
  test("ends at a limit", { timeout: 3 * MINUTE }, async () => {
    const read = readPageInOwnProcess(make(), URL, { contentType: "application/pdf", ms: 1_000 });
    await expect(read).rejects.toThrow(ReadingStoppedError);
    await expect(read).rejects.toThrow(/stopped (?:after 1 s|at \d+ MB).*nothing of it was kept.*save it anew/);
  });
});
