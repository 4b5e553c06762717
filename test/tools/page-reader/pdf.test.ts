import { expect, test } from "vitest";
import { readPage } from "../../../src/tools/page-reader/read-page.js";

/** A PDF of one line a page, written by hand. */
function pdf(lines: readonly string[]): Uint8Array {
  const kids = lines.map((_, i) => `${4 + i * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${lines.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...lines.flatMap((line, i) => {
      const drawn = `BT /F1 12 Tf 40 700 Td (${line}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${5 + i * 2} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
      ];
    }),
    "<< /Title (Ferry timetable) /Author (Ann Field) /CreationDate (D:20240305101500Z) >>",
  ];
  let file = "%PDF-1.4\n";
  const starts = objects.map((object, i) => {
    const start = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return start;
  });
  const table = starts.map((start) => `${String(start).padStart(10, "0")} 00000 n \n`).join("");
  const at = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>\nstartxref\n${at}\n%%EOF\n`;
  return new TextEncoder().encode(file);
}

const URL = "https://example.org/timetable.pdf";

test("a PDF is read page by page, by its content type or its first bytes", async () => {
  const bytes = pdf(["The first boat leaves at six.", "The last boat leaves at eleven."]);
  for (const options of [{ contentType: "application/pdf" }, {}]) {
    expect(await readPage(bytes, URL, options)).toEqual({
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
  expect(bytes.length).toBeGreaterThan(0);
});

test("what only claims to be a PDF is an error that says so", async () => {
  await expect(readPage(new TextEncoder().encode("no pdf"), URL, { contentType: "application/pdf" })).rejects.toThrow(
    /PDF/,
  );
});
