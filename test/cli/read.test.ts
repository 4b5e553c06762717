import { expect, test } from "vitest";
import { pdf, pdfByMap } from "../tools/web/pdfs.js";
import { folder } from "./emend.js";

const PAGE = "<html><body><p>The ferry leaves the north quay at six.</p></body></html>";

test("read prints an English PDF and a Chinese one", async () => {
  await using here = await folder({
    "timetable.pdf": pdf(["The first boat leaves at six.", "The last boat leaves at eleven."]),
    "时刻表.pdf": pdfByMap("ETen-B5-H", "CNS1", "b2c4a440af5ab4e7bdfca4bbc249b67da558a143"),
  });
  const english = await here.run(["read", "timetable.pdf"]);
  expect(english).toMatchObject({ code: 0, stderr: "" });
  expect(english.stdout).toContain(
    "## Page 1\n\nThe first boat leaves at six.\n\n## Page 2\n\nThe last boat leaves at eleven.",
  );
  const chinese = await here.run(["read", "时刻表.pdf", "--json"]);
  expect(JSON.parse(chinese.stdout)).toMatchObject({ title: "Ferry timetable", text: "第一班渡輪六點開出。" });
});

test("read prints a web page", async () => {
  await using here = await folder({ "ferry.html": PAGE });
  expect((await here.run(["read", "ferry.html"])).stdout).toContain("The ferry leaves the north quay at six.");
});

test("read says why a file cannot be read", async () => {
  await using here = await folder({ "broken.pdf": "%PDF-1.7\nnothing of a PDF follows" });
  const broken = await here.run(["read", "broken.pdf"]);
  expect(broken).toMatchObject({ code: 1, stdout: "" });
  expect(broken.stderr).toMatch(/^emend: .*PDF/);
});
