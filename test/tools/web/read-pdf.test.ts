import { expect, test, vi } from "vitest";
import { readPageInOwnProcess, readPdfPage } from "../../../src/tools/web/read-page.js";
import { pdf, pdfByMap } from "./pdfs.js";

// A process is started, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const URL = "https://example.org/timetable.pdf";

test("a PDF is recognised by its content type or its first bytes, and is read page by page", async () => {
  const bytes = pdf(["The first boat leaves at six.", "The last boat leaves at eleven."]);
  for (const options of [{ contentType: "application/pdf" }, {}]) {
    expect(await readPageInOwnProcess(bytes, URL, options)).toEqual({
      url: URL,
      canonicalUrl: URL,
      title: "Ferry timetable",
      byline: "Ann Field",
      published: "2024-03-05",
      modified: "",
      language: "",
      markdown: "## Page 1\n\nThe first boat leaves at six.\n\n## Page 2\n\nThe last boat leaves at eleven.",
      text: "The first boat leaves at six.\nThe last boat leaves at eleven.",
      needsJavaScript: false,
    });
  }
});

test("a file that only claims to be a PDF is an error that says so", async () => {
  await expect(
    readPageInOwnProcess(new TextEncoder().encode("no pdf"), URL, { contentType: "application/pdf" }),
  ).rejects.toThrow(/PDF/);
});

test("a Buffer is read like other bytes, and is not modified", async () => {
  const bytes = Buffer.from(pdf(["The first boat leaves at six."]));
  const before = Buffer.from(bytes);
  expect((await readPageInOwnProcess(bytes, URL)).text).toBe("The first boat leaves at six.");
  expect(bytes.equals(before)).toBe(true);
});

test("a reply with the type HTML is read as HTML, whatever it begins with", async () => {
  const page = "%PDF-1.4 <p>is how a file of that format begins; this page is about such files.</p>";
  const { text } = await readPageInOwnProcess(new TextEncoder().encode(page), URL, {
    contentType: "text/html; charset=utf-8",
  });
  expect(text).toContain("this page is about such files");
});

const hex = (text: string) => Buffer.from(text, "utf16le").swap16().toString("hex");
const SIMPLIFIED = "第一班渡轮六点开出。";
const TRADITIONAL = "第一班渡輪六點開出。";

test.each([
  ["UniGB-UCS2-H", "GB1", hex(SIMPLIFIED), SIMPLIFIED],
  ["UniCNS-UTF16-H", "CNS1", hex(TRADITIONAL), TRADITIONAL],
  ["UniJIS-UCS2-H", "Japan1", hex("渡し船は六時に出ます。"), "渡し船は六時に出ます。"],
  ["UniKS-UCS2-H", "Korea1", hex("첫 배는 여섯 시에 떠난다."), "첫 배는 여섯 시에 떠난다."],
  ["GBK-EUC-H", "GB1", "b5dad2bbb0e0b6c9c2d6c1f9b5e3bfaab3f6a1a3", SIMPLIFIED],
  ["GB-EUC-H", "GB1", "b5dad2bbb0e0b6c9c2d6c1f9b5e3bfaab3f6a1a3", SIMPLIFIED],
  ["GBKp-EUC-H", "GB1", "b5dad2bbb0e0b6c9c2d6c1f9b5e3bfaab3f6a1a3", SIMPLIFIED],
  ["ETen-B5-H", "CNS1", "b2c4a440af5ab4e7bdfca4bbc249b67da558a143", TRADITIONAL],
  ["90ms-RKSJ-H", "Japan1", "936e82b5914482cd985a8e9e82c98f6f82dc82b78142", "渡し船は六時に出ます。"],
  ["KSCms-UHC-H", "Korea1", "c3b920b9e8b4c220bfa9bcb820bdc3bfa120b6b0b3adb4d92e", "첫 배는 여섯 시에 떠난다."],
])("text in a font with the predefined character map %s is read", async (map, ordering, codes, text) => {
  expect((await readPdfPage(pdfByMap(map, ordering, codes), URL)).text).toBe(text);
});
