import { expect, test } from "vitest";
import { docx } from "../ingest/formats/writers.js";
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
    "[p. 1]\n\nThe first boat leaves at six.\n\n[p. 2]\n\nThe last boat leaves at eleven.",
  );
  const chinese = await here.run(["read", "时刻表.pdf", "--json"]);
  expect(JSON.parse(chinese.stdout)).toMatchObject({ title: "Ferry timetable", text: "第一班渡輪六點開出。" });
});

test("read prints a file of any kind as it is stored, and no bytes of other files", async () => {
  await using here = await folder({
    "lease.docx": await docx({ title: "Lease", text: "The lease ends in May." }),
    "notes.md": "---\nowner: Ana\n---\n# Notes\n\nWords of *notes*.",
    "prices.csv": "City,Limit\nOslo,210\n",
    "setup.exe": Uint8Array.from({ length: 300 }, (_, i) => i % 9),
  });
  const lease = await here.run(["read", "lease.docx"]);
  expect(lease).toMatchObject({ code: 0, stdout: expect.stringMatching(/^# Lease\n[\s\S]*The lease ends in May\./) });
  expect((await here.run(["read", "notes.md"])).stdout).toBe("owner: Ana\n\n# Notes\n\nWords of notes.\n");
  const prices = JSON.parse((await here.run(["read", "prices.csv", "--json"])).stdout);
  expect(prices).toMatchObject({ title: "prices", text: "| City | Limit |\n| --- | --- |\n| Oslo | 210 |" });
  expect(await here.run(["read", "setup.exe"])).toMatchObject({ code: 2, stdout: "" });
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
