import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import { figures } from "../../src/evaluate/metrics.js";
import { htmlReport } from "../../src/evaluate/report.js";
import { answered } from "./rows.js";

const about = {
  ...{ emend: "1", store: ".emend", documents: 1, content: "c", model: "none", judge: "words" },
  ...{ where: "[]", context: "{}" },
};

function report(...[measured, beside]: Parameters<typeof answered>[0][][]) {
  const compared = {
    measured: { name: "now", rows: (measured ?? []).map(answered) },
    beside: beside && { name: "before", rows: beside.map(answered) },
  };
  return parseHTML(htmlReport({ compared, about, figures: figures(compared), demands: [] })).document;
}

test("text of documents, models and files cannot add markup to the page", () => {
  const evil = `"'><img src=x onerror=alert(1)><script>alert(1)</script>`;
  const document = report([
    {
      ...{
        id: evil,
        question: evil,
        expected: [evil],
        tags: [evil],
        why: evil,
        text: evil,
        faults: [evil],
        outcome: "wrong",
      },
      statements: [
        { text: evil, supported: true, cited: true, citations: [{ quotes: [evil], source: evil, precise: true }] },
      ],
      contexts: [{ source: evil, title: evil, text: evil, relevant: true }],
      notes: {
        rejected: [{ text: evil, reason: { code: "own", words: evil } }],
        failures: [{ tag: "OVERGEN", evidence: evil, remedy: evil }],
        path: [{ step: evil, to: evil, reason: { code: "own", words: evil }, calls: 0, tokens: 0, milliseconds: 0 }],
      },
    },
  ]);
  expect(document.querySelectorAll("img, script, [onerror], [src], [href]")).toHaveLength(0);
  expect(document.querySelector(".question summary")?.textContent).toContain(evil);
  expect(document.querySelector("blockquote")?.textContent).toContain(evil);
});

test("the worst outcome comes first, with a note if its outcome changed", () => {
  const document = report(
    [
      { id: "1", question: "Right?" },
      { id: "2", question: "Wrong?", outcome: "wrong" },
    ],
    [
      { id: "1", question: "Right?" },
      { id: "2", question: "Wrong?" },
    ],
  );
  const summaries = [...document.querySelectorAll(".question > summary")].map((one) => one.textContent?.trim());
  expect(summaries).toEqual(["Wrong? wrong before: right", "Right? right"]);
});

test("a run with questions and no other information is still a valid page", () => {
  expect(report([{}]).querySelectorAll(".question")).toHaveLength(1);
  expect(report([]).querySelector("h1")?.textContent).toBe("emend eval");
});
