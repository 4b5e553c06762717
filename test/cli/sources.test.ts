import { describe, expect, test } from "vitest";
import { sources } from "../../src/cli/transcript.js";
import type { Claim, Reference } from "../../src/types/answer.js";
import type { Language } from "../../src/types/evidence.js";
import type { GraphRow } from "../../src/types/knowledge.js";

const look = { width: Number.POSITIVE_INFINITY, paint: (_format: unknown, text: string) => text };

function shown(language: Language, quote: string, rows: GraphRow[]) {
  const provenance = { cypher: "", parameters: {}, rows };
  const place = { title: "staff", section: "", uri: "staff.csv", date: "2026-02-01" };
  const references: Reference[] = [{ number: 1, evidenceId: "a", source: "graph", ...place, provenance }];
  const claims: Claim[] = [
    { text: quote, support: "supported", citations: [{ reference: 1, quote, start: 0, end: quote.length }] },
  ];
  return sources({ references, claims, language }, look).split("\n").slice(3);
}

const row = (subject: string, quote: string) => ({ subject, predicate: "Team", object: "Sales", quote });

describe("the source of a fact of the graph is shown", () => {
  test("as the quotes that it rests on, each once", () => {
    const rows = [
      row("Ann", "| Ann | Sales |"),
      row("Ben", "| Ben, Cleo | Sales |"),
      row("Cleo", "| Ben, Cleo | Sales |"),
    ];
    expect(shown("en", "Sales is the team of Ann, Ben and Cleo (3 in all).", rows)).toEqual([
      "    “| Ann | Sales |”",
      "    “| Ben, Cleo | Sales |”",
    ]);
    const five = Array.from({ length: 5 }, (_, i) => row(`李${i}`, `| 李${i} | 销售组 |`));
    expect(shown("zh", "小组为销售组的：李0……", five)).toEqual([
      "    “| 李0 | 销售组 |”",
      "    “| 李1 | 销售组 |”",
      "    “| 李2 | 销售组 |”",
      "    ……另有2行",
    ]);
  });

  test("as its rows if one of them rests on no quote", () => {
    const rows = [row("Ann", "| Ann | Sales |"), row("Ben", "")];
    expect(shown("en", "Sales is the team of Ann and Ben (2 in all).", rows)).toEqual([
      "    “Sales is the team of Ann and Ben (2 in all).”",
      ...rows.map((one) => `    ${JSON.stringify(one)}`),
    ]);
  });
});
