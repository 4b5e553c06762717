import { describe, expect, test } from "vitest";
import { holdsIn, validityOf } from "../../src/reading/validity.js";

const head = (documentId: string, title = "Policy", metadata: Record<string, string> = {}) => ({
  documentId,
  title,
  metadata,
});
const known = (...heads: Parameters<typeof validityOf>[0]) => Object.fromEntries(validityOf(heads));

describe("a document is valid", () => {
  test("from the first to the last day that it states, including the whole month or year", () => {
    expect(
      known(
        head("a.md", "A", { valid_from: "2024-03-01", valid_until: "2025-06" }),
        head("b.md", "B", { valid_from: "2024年3月", valid_until: "2025" }),
        head("c.md", "C", { valid_from: "soon" }),
      ),
    ).toEqual({
      "a.md": { from: "2024-03-01", until: "2025-06-30", successor: "" },
      "b.md": { from: "2024-03-01", until: "2025-12-31", successor: "" },
    });
  });

  test("until the day before its successor becomes valid, in whichever form the successor names it", () => {
    const found = known(
      head("old/travel.md"),
      head("报销/旧制度.md"),
      head("new/travel.md", "Travel", { valid_from: "2024-03-01", supersedes: "../old/travel.md\n旧制度.md" }),
    );
    const validity = { from: "", until: "2024-02-29", successor: "new/travel.md" };
    expect(found).toMatchObject({ "old/travel.md": validity, "报销/旧制度.md": validity });
  });

  test("until today if its successor states no first day", () => {
    const validity = validityOf([head("handbook-v1.md"), head("handbook-v2.md")]).get("handbook-v1.md");
    const on = (day: string) => holdsIn([{ from: day, until: day }], validity, "2026-11-22");
    expect([on("2020-01-01"), on("2026-11-21"), on("2026-11-22"), on("2030-01-01")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("always if nothing is known about it", () => {
    expect(known(head("a.md"), head("b.md", "B", { author: "Ann" }))).toEqual({});
    expect(holdsIn([{ from: "1999-01-01", until: "1999-01-01" }], undefined, "2026-11-22")).toBe(true);
  });
});

describe("versions are recognised by file names", () => {
  test.each([
    ["d/policy-2023.md", "d/policy-2024-03.md"],
    ["policy_2023_01_05.pdf", "policy_2024_03_01.docx"],
    ["差旅政策2023年.md", "差旅政策2024年3月.md"],
    ["差旅政策（2023版）.md", "差旅政策（2024版）.md"],
    ["handbook-v1.md", "handbook-v2.md"],
    ["handbook-v2.9.md", "handbook-v2.10.md"],
    ["员工手册-第1版.docx", "员工手册-第2版.docx"],
  ])("%s is followed by %s", (older, newer) => {
    expect(validityOf([head(newer), head(older)]).get(older)).toMatchObject({ successor: newer });
    expect(validityOf([head(newer), head(older)]).get(newer)?.successor ?? "").toBe("");
  });

  test("a version is valid from the date in its name to the day before the next version", () => {
    expect(known(head("p-2022.md"), head("p-2023-07.md"), head("p-2025.md"))).toEqual({
      "p-2022.md": { from: "2022-01-01", until: "2023-06-30", successor: "p-2023-07.md" },
      "p-2023-07.md": { from: "2023-07-01", until: "2024-12-31", successor: "p-2025.md" },
      "p-2025.md": { from: "2025-01-01", until: "", successor: "" },
    });
  });

  test("the title may contain the version or the year too", () => {
    expect(known(head("p-2022.md", "Policy 2022"), head("p-2023.md", "Policy 2023"))).not.toEqual({});
    expect(known(head("h-v1.md", "Handbook (version 1)"), head("h-v2.md", "Handbook v2"))).not.toEqual({});
  });

  test("files that are titled by their names are versions if the names differ in the year, but not in the month", () => {
    expect(known(head("prices-2023.csv", "prices-2023"), head("prices-2024.csv", "prices-2024"))).toEqual({
      "prices-2023.csv": { from: "2023-01-01", until: "2023-12-31", successor: "prices-2024.csv" },
      "prices-2024.csv": { from: "2024-01-01", until: "", successor: "" },
    });
    expect(known(head("价格2023年.csv", "价格2023年"), head("价格2024年.csv", "价格2024年"))).not.toEqual({});
    expect(known(head("prices-2024-03.csv", "prices-2024-03"), head("prices-2024-04.csv", "prices-2024-04"))).toEqual(
      {},
    );
  });

  test.each([
    [
      "another title",
      head("minutes-2024-03-01.md", "Minutes of 1 March"),
      head("minutes-2024-03-08.md", "Minutes of 8 March"),
    ],
    ["another folder", head("hr/policy-2023.md"), head("it/policy-2024.md")],
    ["another name", head("travel-v1.md"), head("leave-v2.md")],
    ["a number that is no version", head("room1.md"), head("room2.md")],
    ["no mark before it", head("env2023.md"), head("env2024.md")],
    ["no date", head("form-2023-19.md"), head("form-2023-20.md")],
  ])("files with %s are not versions of one document", (_, one, other) => {
    expect(known(one, other)).toEqual({});
  });
});

describe("a statement that a document supersedes another is ignored", () => {
  test("if it is valid from an earlier day", () => {
    const found = known(
      head("a.md", "A", { valid_from: "2020", supersedes: "b.md" }),
      head("b.md", "B", { valid_from: "2024" }),
    );
    expect(found["b.md"]).toMatchObject({ successor: "" });
  });

  test("if it closes a cycle, so that one document of the cycle stays valid", () => {
    const found = known(
      head("a.md", "A", { supersedes: "b.md" }),
      head("b.md", "B", { supersedes: "c.md" }),
      head("c.md", "C", { supersedes: "a.md" }),
      head("d.md", "D", { supersedes: "d.md" }),
    );
    expect(Object.values(found).filter(({ successor }) => successor === "")).toHaveLength(0);
    expect(Object.keys(found)).toHaveLength(2);
  });

  test("if it is a web page and the other a file or a page of another site", () => {
    const evil = head("https://evil.example/x", "X", { supersedes: "travel.md\nhttps://team.example/travel.md" });
    expect(known(evil, head("travel.md"), head("https://team.example/travel.md"))).toEqual({});
    const own = head("https://team.example/new.md", "X", { supersedes: "travel.md" });
    expect(known(own, head("https://team.example/travel.md"))).not.toEqual({});
  });

  test("if several documents have the name", () => {
    expect(known(head("x/new.md", "N", { supersedes: "travel.md" }), head("a/travel.md"), head("b/travel.md"))).toEqual(
      {},
    );
  });

  test("without delay for long chains and tens of thousands of versions", () => {
    const chain = Array.from({ length: 1_000 }, (_, i) => head(`f${i}.md`, "F", { supersedes: `f${i + 1}.md` }));
    const versions = Array.from({ length: 30_000 }, (_, i) => head(`p-v${Math.floor(i / 1000)}.${i % 1000}.md`));
    expect(validityOf([...chain, ...versions]).size).toBeGreaterThan(30_000);
  });
});
