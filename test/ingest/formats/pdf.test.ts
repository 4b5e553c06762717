import { describe, expect, test, vi } from "vitest";
import { contentOf } from "../../../src/ingest/formats/registry.js";
import { pdfByMap, pdfDrawn } from "../../tools/web/pdfs.js";

vi.setConfig({ testTimeout: 60_000 });

const at = (x: number, y: number, text: string, size = 11) => `BT /F1 ${size} Tf ${x} ${y} Td (${text}) Tj ET `;
const read = async (operators: string, more = "") => (await contentOf(pdfDrawn(operators, more), "a.pdf")).text;

describe("form fields", () => {
  const widget = (type: string, [x, y, width, height]: readonly number[], more: string) =>
    `<< /Type /Annot /Subtype /Widget /FT /${type} /Rect [${x} ${y} ${(x ?? 0) + (width ?? 0)} ${(y ?? 0) + (height ?? 0)}] ${more} >>`;
  const box = (x: number, y: number, state: string, more = "") =>
    widget("Btn", [x, y, 12, 12], `/V /${state} /AS /${state} /AP << /N << /Yes 5 0 R /Off 5 0 R >> >> ${more}`);

  test("a value stands beside the words that name it, or above it, or has the name that the form gives it", async () => {
    const drawn = at(72, 700, "Requested by") + at(72, 660, "Purpose of the trip:");
    const fields = [
      widget("Tx", [200, 695, 150, 18], "/T (who) /TU (Full name) /V (Milena Oravec)"),
      widget("Tx", [72, 610, 300, 44], "/T (why) /Ff 4096 /V (Samples\\nand tools)"),
      widget(
        "Ch",
        [72, 540, 100, 18],
        "/T (form[0].home_port[0]) /Ff 131072 /Opt [[(b) (Bergen)] [(o) (Oslo)]] /V (b)",
      ),
      widget("Tx", [72, 500, 100, 18], "/T (empty)"),
      widget("Tx", [72, 460, 100, 18], "/T (hidden) /F 2 /V (secret)"),
      widget("Tx", [72, 430, 100, 18], "/T (word) /Ff 8192 /V (password)"),
    ];
    expect(await read(drawn, `/Annots [${fields.join(" ")}]`)).toBe(
      "Requested by: Milena Oravec\n\nPurpose of the trip: Samples and tools\n\nhome port: Bergen",
    );
  });

  test("check boxes are checked or not, beside their words", async () => {
    const drawn = at(72, 700, "Trailer:") + at(150, 700, "Yes") + at(220, 700, "No") + at(90, 660, "I agree.");
    const fields = [box(134, 697, "Yes"), box(204, 697, "Off"), box(72, 657, "Off"), box(72, 600, "Yes", "/TU (Rush)")];
    expect(await read(drawn, `/Annots [${fields.join(" ")}]`)).toBe(
      "Trailer: [x] Yes [ ] No\n- [ ] I agree.\n\n- [x] Rush",
    );
  });
});

test("comments of readers are kept with their author, and what a reader struck out is struck out", async () => {
  const note = (kind: string, more: string) =>
    `<< /Type /Annot /Subtype /${kind} /Rect [72 698 140 712] /QuadPoints [72 712 140 712 72 698 140 698] ${more} >>`;
  const annotations = [
    note("Highlight", "/T (Ana Berg) /Contents (agreed by phone)"),
    note("Highlight", ""),
    note("StrikeOut", ""),
  ];
  expect(
    await read(at(72, 700, "EUR 90 a day") + at(72, 686, "Dogs are free."), `/Annots [${annotations.join(" ")}]`),
  ).toBe("~~EUR 90 a day~~\nDogs are free.\n\n> Comment by Ana Berg: agreed by phone");
});

test("boxes that are drawn are check boxes, checked if something is in them; a coloured square is none", async () => {
  const square = (y: number) => `72 ${y} 9 9 re S `;
  const drawn =
    square(699) +
    at(88, 700, "The review is approved") +
    square(679) +
    "73 680 m 80 687 l S 73 687 m 80 680 l S " +
    at(88, 680, "The backup is tested") +
    square(659) +
    at(73, 660, "X") +
    at(88, 660, "The plan is signed") +
    "0 0 1 rg 72 619 9 9 re f 0 g " +
    at(88, 620, "Sales");
  expect(await read(drawn)).toBe(
    "- [ ] The review is approved\n- [x] The backup is tested\n- [x] The plan is signed\n\nSales",
  );
});

test("borders are drawn as lines, as thin areas, or as cells", async () => {
  const cells = ["City", "Fee", "Oslo", "EUR 2"].map((text, i) =>
    at(55 + (i % 2) * 100, 708 - Math.floor(i / 2) * 20, text),
  );
  const text = "| City | Fee |\n| --- | --- |\n| Oslo | EUR 2 |";
  const each = (draw: (x1: number, y1: number, x2: number, y2: number) => string) =>
    [0, 1, 2]
      .map((i) => draw(50 + i * 100, 680, 50 + i * 100, 720) + draw(50, 680 + i * 20, 250, 680 + i * 20))
      .join("");
  const lines = each((x1, y1, x2, y2) => `${x1} ${y1} m ${x2} ${y2} l S `);
  const areas = each((x1, y1, x2, y2) => `${x1} ${y1} ${x2 - x1 + 0.5} ${y2 - y1 + 0.5} re f `);
  const boxes = [0, 1, 2, 3].map((i) => `${50 + (i % 2) * 100} ${680 + Math.floor(i / 2) * 20} 100 20 re S `).join("");
  for (const drawn of [lines, areas, boxes]) expect(await read(drawn + cells.join(""))).toBe(text);
});

test("a page is read as it is turned, and text in another direction after the rest", async () => {
  const turned = "q 0 1 -1 0 600 0 cm BT /F1 11 Tf 60 500 Td (The first boat) Tj 0 -14 Td (leaves at six.) Tj ET Q ";
  expect(await read(turned, "/Rotate 90")).toBe("The first boat\nleaves at six.");
  expect(await read(turned + at(72, 40, "page 3"))).toBe("The first boat\nleaves at six.\n\npage 3");
});

test("words that are drawn twice for a bold look are read once", async () => {
  expect(await read(at(72, 700, "All cats are free.") + at(72.3, 700, "All cats are free."))).toBe(
    "All cats are free.",
  );
});

test("vertical Chinese text is read column by column", async () => {
  const hex = (text: string) => Buffer.from(text, "utf16le").swap16().toString("hex");
  const columns = `${hex("第一班渡轮六点开出。")}> Tj -24 0 Td <${hex("末班船十一点返回。")}`;
  expect((await contentOf(pdfByMap("UniGB-UCS2-V", "GB1", columns), "a.pdf")).text).toBe(
    "第一班渡轮六点开出。末班船十一点返回。",
  );
});
