import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, test } from "vitest";
import { ReadingStoppedError } from "../../../src/errors.js";
import { readPageInOwnProcess } from "../../../src/tools/web/read-page.js";
import { HOSTILE, pdf } from "./pdfs.js";

const URL = "https://example.org/timetable.pdf";
const MINUTE = 60_000;

describe.each(Object.entries(HOSTILE))("%s", (_, make) => {
  test("ends at a limit without blocking the main process", { timeout: 3 * MINUTE }, async () => {
    const bytes = make();
    const delay = monitorEventLoopDelay({ resolution: 5 });
    await readPageInOwnProcess(pdf(["Warm."]), URL);
    delay.enable();
    const read = readPageInOwnProcess(bytes, URL, { contentType: "application/pdf", ms: 1_000 });
    await expect(read).rejects.toThrow(ReadingStoppedError);
    await expect(read).rejects.toThrow(/stopped (?:after 1 s|at \d+ MB).*nothing of it was kept.*save it anew/);
    delay.disable();
    // A few milliseconds on an idle machine; in this process it would be seconds.
    expect(delay.max / 1e6).toBeLessThan(1_000);
  });
});
