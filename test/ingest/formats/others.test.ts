import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { contentOf } from "../../../src/ingest/formats/registry.js";
import { pdf } from "../../tools/web/pdfs.js";
import { utf8, zip } from "./writers.js";

vi.setConfig({ testTimeout: 60_000 });

const text = async (name: string, content: string | Uint8Array) =>
  (await contentOf(typeof content === "string" ? utf8(content) : content, name)).text;

describe("a calendar", () => {
  const calendar = (...lines: string[]) => ["BEGIN:VCALENDAR", ...lines, "END:VCALENDAR"].join("\r\n");
  const event = (...lines: string[]) => calendar("BEGIN:VEVENT", ...lines, "END:VEVENT");
  test("says what is when, where and with whom, in the zone that is given", async () => {
    const lines = event(
      "SUMMARY:Berth planning\\, spring",
      "DTSTART;TZID=Europe/Oslo:20250303T100000",
      "DTEND;TZID=Europe/Oslo:20250303T113000",
      "LOCATION:Room",
      "  4",
      'ORGANIZER;CN="Berg, Ana":mailto:ana@example.org',
      "ATTENDEE;CN=Odd Lunde;PARTSTAT=DECLINED:mailto:odd@example.org",
      "DESCRIPTION:Bring the list.\\nCoffee is served.",
    );
    expect(await text("a.ics", lines)).toBe(
      "## Berth planning, spring\n\n- When: 2025-03-03 10:00 to 11:30 (Europe/Oslo)\n- Where: Room 4\n- Organizer: Berg, Ana ana@example.org\n- Attendees: Odd Lunde odd@example.org (declined)\n\nBring the list.\nCoffee is served.",
    );
  });

  test.each([
    ["RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10", "every week on Monday, Wednesday 10 times in all"],
    ["RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR;UNTIL=20251231", "every 2 months on the last Friday until 2025-12-31"],
    ["RRULE:FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=1", "every year on day 1 in May"],
    ["RRULE:FREQ=WEEKLY;BYSETPOS=1", "every week (BYSETPOS=1)"],
    ["RRULE:FREQ=SECONDLY", "FREQ=SECONDLY"],
  ])("says how an event repeats: %s", async (rule, words) => {
    expect(await text("a.ics", event("SUMMARY:x", rule))).toContain(`- Repeats: ${words}`);
  });

  test("counts whole days up to the one before the end, and adds a duration", async () => {
    const days = event("SUMMARY:x", "DTSTART;VALUE=DATE:20250610", "DTEND;VALUE=DATE:20250613");
    expect(await text("a.ics", days)).toContain("When: 2025-06-10 to 2025-06-12");
    expect(await text("a.ics", event("SUMMARY:x", "DTSTART;VALUE=DATE:20250610"))).toContain("2025-06-10 (all day)");
    const long = event("SUMMARY:x", "DTSTART:20250303T230000Z", "DURATION:PT1H30M");
    expect(await text("a.ics", long)).toContain("When: 2025-03-03 23:00 to 2025-03-04 00:30 (UTC)");
  });

  test("does not state a cancelled event as one that takes place, nor an open task as done", async () => {
    const cancelled = await text("a.ics", event("SUMMARY:Regatta", "DTSTART:20250610T100000", "STATUS:CANCELLED"));
    expect(cancelled).toBe("## ~~Regatta~~\n\n- ~~When: 2025-06-10 10:00~~\n- Status: cancelled");
    const tasks = await text(
      "a.ics",
      calendar(
        "BEGIN:VTODO",
        "SUMMARY:Order rope",
        "DUE:20250301T170000Z",
        "END:VTODO",
        "BEGIN:VTODO",
        "SUMMARY:Paint buoy",
        "STATUS:COMPLETED",
        "END:VTODO",
      ),
    );
    expect(tasks).toContain("- [ ] Order rope\n- Due: 2025-03-01 17:00 (UTC)");
    expect(tasks).toContain("- [x] Paint buoy\n- Status: done");
  });

  test("is in Chinese words for a Chinese calendar", async () => {
    const lines = event(
      "SUMMARY:部门例会",
      "DTSTART:20250303T090000",
      "LOCATION:三号会议室",
      "RRULE:FREQ=WEEKLY;BYDAY=MO",
    );
    expect(await text("a.ics", lines)).toBe(
      "## 部门例会\n\n- 时间：2025-03-03 09:00\n- 重复：每周 周一\n- 地点：三号会议室",
    );
  });
});

test("contacts have their names, numbers and addresses, in any encoding", async () => {
  const cards = [
    "BEGIN:VCARD\nVERSION:3.0\nFN:Ana Berg\nORG:Norrland Freight;Harbour\nTEL;TYPE=WORK,VOICE:+47 123\nitem1.EMAIL:ana@example.org\nADR;TYPE=HOME:;;Quay 3;Oslo;;0150;Norway\nEND:VCARD",
    "BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E6=B2=88=E8=8B=A5=\n=E6=BA=AA\nTEL;CELL:138\nEND:VCARD",
  ];
  expect(await text("a.vcf", cards.join("\n"))).toBe(
    "## Ana Berg\n\n- Organization: Norrland Freight, Harbour\n- Phone (work): +47 123\n- Email: ana@example.org\n- Address (home): Quay 3, Oslo, 0150, Norway\n\n## 沈若溪\n\n- Phone (cell): 138",
  );
});

describe("XML", () => {
  test("with text is read by its titles, paragraphs, tables and lists", async () => {
    const book = `<?xml version="1.0"?><!DOCTYPE book [<!ENTITY x "boom">]><book><info><title>Harbour rules</title></info>
      <chapter><title>Fees</title><para>The fee is EUR 25, not &x;.</para><section><title>Prices</title>
      <table><title>Limits</title><tgroup cols="3"><colspec colname="a"/><colspec colname="b"/><colspec colname="c"/>
      <thead><row><entry>Region</entry><entry>City</entry><entry>Limit</entry></row></thead><tbody>
      <row><entry morerows="1">Europe</entry><entry>Paris</entry><entry>250</entry></row><row><entry>Rome</entry><entry>150</entry></row>
      </tbody></tgroup></table><itemizedlist><listitem><para>One</para></listitem></itemizedlist></section></chapter></book>`;
    const content = await contentOf(utf8(book), "a.xml");
    expect(content.title).toBe("Harbour rules");
    expect(content.text).toContain("## Fees\n\nThe fee is EUR 25, not &x;.\n\n### Prices\n\nLimits");
    expect(content.text).toContain(
      "| Region | City | Limit |\n| --- | --- | --- |\n| Europe | Paris | 250 |\n| Europe | Rome | 150 |",
    );
    expect(content.text).toContain("- One");
    const task =
      "<task><title>Mooring</title><taskbody><steps><step><cmd>Throw the line.</cmd></step><step><cmd>Tie <b>it</b>.</cmd></step></steps></taskbody></task>";
    expect(await text("a.dita", task)).toBe("# Mooring\n\n1. Throw the line.\n2. Tie it.");
  });

  test("with data is a table of its elements and their attributes", async () => {
    const data =
      '<shop><item sku="A1"><name>Rope</name><price currency="EUR">12.50</price></item><item sku="A2"><name>Buoy</name><price currency="EUR">90</price></item></shop>';
    expect(await text("a.xml", data)).toBe(
      "| sku | name | price currency | price |\n| --- | --- | --- | --- |\n| A1 | Rope | EUR | 12.50 |\n| A2 | Buoy | EUR | 90 |",
    );
  });

  test("of a feed is read entry by entry", async () => {
    const feed =
      "<rss><channel><title>News</title><item><title>Quay closed</title><link>https://example.org/1</link><pubDate>Mon, 03 Mar 2025</pubDate><description><![CDATA[<p>The quay is closed until <b>May</b>.</p>]]></description></item></channel></rss>";
    expect(await text("a.rss", feed)).toBe(
      "# News\n\n## Quay closed\n\n- Date: Mon, 03 Mar 2025\n- Link: https://example.org/1\n\nThe quay is closed until May.",
    );
  });
});

describe("LaTeX", () => {
  const tex = (body: string, head = "") =>
    text("a.tex", `\\documentclass{article}${head}\\begin{document}${body}\\end{document}`);
  test("has sections, lists, boxes and notes, and no comments", async () => {
    const body = `\\section{Fees}\\label{x}
      % no
      Paid \\emph{early},\\footnote{In advance.} 10\\% off. % why
      \\begin{itemize}\\item One\\begin{enumerate}\\item inner\\end{enumerate}\\item[$\\square$] Review\\end{itemize}
      After.`;
    expect(await tex(body)).toBe(
      "## Fees\n\nPaid early, 10% off.\n\nIn advance.\n\n- One\n   1. inner\n- [ ] Review\n\nAfter.",
    );
  });

  test("keeps strikes and powers, in text and in formulas", async () => {
    expect(
      await tex(
        "The fee is \\sout{EUR 20} EUR 25. $10^{5}$ cells, $a \\leq 10^{-3}$, 12\\,m$^2$, x\\textsuperscript{a+b}.",
      ),
    ).toBe("The fee is ~~EUR 20~~ EUR 25. 10⁵ cells, a ≤ 10⁻³, 12 m², x^(a+b).");
  });

  test("shows what its own commands stand for", async () => {
    const head = "\\newcommand{\\fee}{EUR 25}\\newcommand{\\price}[2]{EUR #1 per #2}";
    expect(await tex("The fee is \\fee{}, a cabin is \\price{40}{night}.", head)).toBe(
      "The fee is EUR 25, a cabin is EUR 40 per night.",
    );
  });

  test("has tables whose merged cells keep their columns", async () => {
    const table =
      "\\begin{tabular}{l|l|r}\\hline Region & City & Limit \\\\ \\hline \\multirow{2}{*}{Europe} & Paris & 250 \\\\ & Rome & 150 \\\\ \\multicolumn{2}{c}{Elsewhere} & \\textbf{90} \\\\ \\end{tabular}";
    expect(await tex(table)).toBe(
      "| Region | City | Limit |\n| --- | --- | --- |\n| Europe | Paris | 250 |\n| Europe | Rome | 150 |\n| Elsewhere |  | 90 |",
    );
  });
});

describe("a diagram", () => {
  test("of draw.io says what is connected to what, compressed or not", async () => {
    const { text: shown, places } = await contentOf(
      readFileSync(new URL("files/flow.drawio", import.meta.url)),
      "flow.drawio",
    );
    const page =
      "- Gateway\n   - Queue\n- Ledger DB\n\n- Gateway → Ledger DB: every 10 minutes\n- Ledger DB → Queue: sync";
    expect(shown).toBe(`## Flow\n\n${page}\n\n## Plain\n\n${page}`);
    expect(places?.map(({ name }) => name)).toEqual(["Flow", "Plain"]);
  });

  test("of Visio says what is connected to what", async () => {
    const shape = (id: number, label: string, more = "") => `<Shape ID="${id}"${more}><Text>${label}</Text></Shape>`;
    const page = `<PageContents><Shapes>${shape(1, "Gateway")}<Shape ID="2" Master="4"/>${shape(3, "every 10 minutes")}</Shapes><Connects><Connect FromSheet="3" FromCell="BeginX" ToSheet="1"/><Connect FromSheet="3" FromCell="EndX" ToSheet="2"/></Connects></PageContents>`;
    const relation = (target: string) =>
      `<Relationships><Relationship Id="r1" Type="x/page" Target="${target}"/></Relationships>`;
    const drawing = zip({
      "visio/document.xml": "<VisioDocument/>",
      "visio/pages/pages.xml": '<Pages><Page Name="Flow"><Rel r:id="r1"/></Page></Pages>',
      "visio/pages/_rels/pages.xml.rels": relation("page1.xml"),
      "visio/pages/page1.xml": page,
      "visio/masters/masters.xml": '<Masters><Master ID="4"><Rel r:id="r1"/></Master></Masters>',
      "visio/masters/_rels/masters.xml.rels": relation("master1.xml"),
      "visio/masters/master1.xml": `<MasterContents><Shapes>${shape(5, "Ledger")}</Shapes></MasterContents>`,
    });
    expect(await text("a.vsdx", drawing)).toBe(
      "## Flow\n\n- Gateway\n- Ledger\n\n- Gateway → Ledger: every 10 minutes",
    );
  });
});

describe("an archive", () => {
  test("holds its documents under their names, and names what it does not read", async () => {
    const inner = zip({ "deep.md": "# Deep\n\nThe deep text." });
    const archive = zip({
      "docs/leave.md": "# Leave\n\nFive days.",
      "a.mp4": "x",
      ".git/x.md": "no",
      "in.zip": inner,
      "bad.docx": "x",
    });
    const content = await contentOf(archive, "a.zip");
    expect(content.places?.map(({ name }) => name)).toEqual(["docs/leave.md", "in.zip", "in.zip, deep.md", ""]);
    expect(content.text).toContain("# docs/leave.md\n\n# Leave\n\nFive days.");
    expect(content.text).toContain("The deep text.");
    expect(content.text).toMatch(/# Files that are not read\n\n- a\.mp4\n- bad\.docx: Its content is not DOCX/);
    expect(content.text).not.toMatch(/\bno\b/);
  });

  test("is limited in its depth and its size", async () => {
    let nested = zip({ "a.md": "The end." });
    for (let i = 0; i < 6; i++) nested = zip({ "in.zip": nested });
    await expect(contentOf(nested, "a.zip")).rejects.toThrow(/too many other files/);
    await expect(contentOf(zip({ "a.txt": "x".repeat(210_000_000) }), "a.zip")).rejects.toThrow(/more than 200 MB/);
    await expect(contentOf(zip({ "a.mp4": "x" }), "a.zip")).rejects.toThrow(
      /None of its 1 files can be read, such as a\.mp4/,
    );
  });

  test("by gzip is the file that it holds", async () => {
    expect(await text("prices.csv.gz", gzipSync("City,Limit\nOslo,210\n"))).toBe(
      "| City | Limit |\n| --- | --- |\n| Oslo | 210 |",
    );
    await expect(contentOf(gzipSync("x").subarray(0, 12), "a.txt.gz")).rejects.toThrow(/damaged/);
  });

  test("a mailbox has its mails in the order of their dates", async () => {
    const mails = `From odd@example.org Tue Mar  4 10:00:00 2025
From: Odd <odd@example.org>
Subject: Re: Heater
Date: Tue, 4 Mar 2025 10:00:00 +0000

No: on 12 February.

From ana@example.org Mon Mar  3 10:00:00 2025
From: Ana <ana@example.org>
Subject: Heater
Date: Mon, 3 Mar 2025 10:00:00 +0000

On 9 February.
>From now on it is warm.
`;
    const { text: shown, places, reviewedAt } = await contentOf(utf8(mails), "a.mbox");
    expect(places?.map(({ name }) => name)).toEqual(["Heater", "Re: Heater"]);
    expect(shown).toContain("On 9 February.\nFrom now on it is warm.");
    expect(reviewedAt).toBe("2025-03-04");
  });
});

test("a flat file of OpenDocument is read like an archive", async () => {
  const flat = `<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:meta><dc:title>Rules</dc:title></office:meta><office:body><office:text><text:h text:outline-level="1">Fees</text:h><text:p>EUR 25.</text:p></office:text></office:body></office:document>`;
  const content = await contentOf(utf8(flat), "a.fodt");
  expect([content.title, content.text]).toEqual(["Rules", "# Fees\n\nEUR 25."]);
});

describe("iWork", () => {
  test("Numbers: cells are what Numbers shows, in rows under their header", async () => {
    const { text: shown, places } = await contentOf(
      readFileSync(new URL("files/prices.numbers", import.meta.url)),
      "prices.numbers",
    );
    expect(shown).toBe(
      `## Prices

### Limits

| City | Limit | From | Open | Share |
| --- | --- | --- | --- | --- |
| Oslo | 210 | 2025-03-01 | TRUE | 12.5% |
| Rome | EUR 150.50 | 2025-04-01 10:30 | FALSE |  |
| ~~北京~~ | 99 |  | TRUE |  |

## 第二

### 表

| 甲 | 丙 |
| --- | --- |
| 乙 | 5 |`,
    );
    expect(places?.map(({ name }) => name)).toEqual(["Prices", "第二"]);
  });

  test("a preview that is a PDF is read, and a file of iWork 2009 without one is refused", async () => {
    expect(await text("a.pages", zip({ "QuickLook/Preview.pdf": pdf(["The first boat leaves at six."]) }))).toContain(
      "The first boat leaves at six.",
    );
    await expect(text("a.key", zip({ "index.apxl": "<x/>" }))).rejects.toThrow(/Export it as PDF/);
  });
});
