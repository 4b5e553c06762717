import { describe, expect, test } from "vitest";
import { chunk } from "../../../src/ingest/chunk.js";
import { contentOf } from "../../../src/ingest/formats/registry.js";

async function sections(body: string, subject = "Re: Heating", kind = "text/plain") {
  const mail = `From: Ann <ann@example.org>\nSubject: ${subject}\nDate: Fri, 06 Feb 2026 10:00:00 +0100\nMIME-Version: 1.0\nContent-Type: ${kind}; charset=utf-8\n\n${body}`;
  const content = await contentOf(new TextEncoder().encode(mail), "a.eml");
  const passages = chunk({ documentId: "a", uri: "a", hash: "", ...content });
  return passages.map(({ section, reviewedAt, text }) => [section, reviewedAt, text.split("\n\n").slice(1).join(" ")]);
}

const NEWEST = ["", "2026-02-06", "- From: Ann ann@example.org\n- Date: 2026-02-06T09:00:00.000Z On 12 February."];

describe("an older message that a mail quotes is a section with its own date:", () => {
  test("Gmail, inside each other", async () => {
    const body =
      "On 12 February.\n\nOn Thu, Feb 5, 2026 at 10:00 AM Bea Berg <bea@example.org>\nwrote:\n\n> When?\n>\n> On Wed, Feb 4, 2026 at 9:00 AM Ann <ann@example.org> wrote:\n>\n>> On 9 February.\n";
    expect(await sections(body)).toEqual([
      NEWEST,
      ["On Thu, Feb 5, 2026 at 10:00 AM Bea Berg bea@example.org wrote", "2026-02-05", "When?"],
      ["On Wed, Feb 4, 2026 at 9:00 AM Ann ann@example.org wrote", "2026-02-04", "On 9 February."],
    ]);
  });

  test("in HTML, with the line that introduces it inside the quote", async () => {
    const body =
      "<p>On 12 February.</p><div class=gmail_quote><div>On Thu, 5 Feb 2026 Bea wrote:</div><blockquote><p>When?</p><blockquote><p>On Wed, 4 Feb 2026 Ann wrote:<br>On 9 February.</p></blockquote></blockquote></div>";
    expect(await sections(body, "Re: Heating", "text/html")).toEqual([
      NEWEST,
      ["On Thu, 5 Feb 2026 Bea wrote", "2026-02-05", "When?"],
      ["On Wed, 4 Feb 2026 Ann wrote", "2026-02-04", "On 9 February."],
    ]);
  });

  test.each([
    [
      "Outlook",
      "_____________\nFrom: Bea <b@example.org>\nSent: Thursday, February 5, 2026 10:00 AM\nTo: Ann\nSubject: Re: Heating\n\nWhen?",
      "Bea b@example.org, Thursday, February 5, 2026 10:00 AM",
    ],
    [
      "Outlook in German",
      "Von: Bea <b@example.org>\nGesendet: Donnerstag, 5. Februar 2026 10:00\nAn: Ann\nBetreff: AW: Heating\n\nWhen?",
      "Bea b@example.org, Donnerstag, 5. Februar 2026 10:00",
    ],
    [
      "a line of dashes",
      "-----Original Message-----\nFrom: Bea\nSent: 5 February 2026\n\nWhen?",
      "Bea, 5 February 2026",
    ],
    [
      "a forwarded mail",
      "Begin forwarded message:\n\nFrom: Bea\nSubject: Plan\nDate: 5 February 2026\n\nWhen?",
      "Bea, 5 February 2026",
    ],
    ["German", "Am 05.02.26 um 10:00 schrieb Bea:\n> When?", "Am 05.02.26 um 10:00 schrieb Bea"],
    [
      "French",
      "Le jeu. 5 févr. 2026 à 10:00, Bea <b@example.org> a écrit :\n\n> When?",
      "Le jeu. 5 févr. 2026 à 10:00, Bea b@example.org a écrit",
    ],
    [
      "Spanish",
      "El jue, 5 de febrero de 2026, Bea <b@example.org> escribió:\n> When?",
      "El jue, 5 de febrero de 2026, Bea b@example.org escribió",
    ],
    [
      "Chinese",
      "在 2026年2月5日 10:00，张伟 <z@example.org> 写道：\n> When?",
      "在 2026年2月5日 10:00，张伟 z@example.org 写道",
    ],
    [
      "QQ",
      "------------------ 原始邮件 ------------------\n发件人: 张伟;\n\n发送时间: 2026年2月5日(星期四) 上午10:00\n\n主题: Re: Heating\n\nWhen?",
      "张伟, 2026年2月5日(星期四) 上午10:00",
    ],
    ["no quote marks", "On 5 Feb 2026 Bea <b@example.org> wrote:\n\nWhen?", "On 5 Feb 2026 Bea b@example.org wrote"],
  ])("%s", async (_name, quoted, section) => {
    expect(await sections(`On 12 February.\n\n${quoted}\n`)).toEqual([NEWEST, [section, "2026-02-05", "When?"]]);
  });

  test("replies below or between its lines are the newest message, which comes first", async () => {
    const body = "On 5 Feb 2026, Bea wrote:\n> Who?\n\nAnn.\n\n> When?\n\nOn 12 February.\n";
    const [newest, older, ...rest] = await sections(body);
    expect(newest?.[2]).toMatch(/Ann\. On 12 February\.$/);
    expect([older, rest]).toEqual([["On 5 Feb 2026, Bea wrote", "2026-02-05", "Who? When?"], []]);
  });

  test("without a date, or with one after the mail's, it has none", async () => {
    expect(await sections("On 12 February.\n\n> When?\n")).toEqual([NEWEST, ["Quoted message", "", "When?"]]);
    const later = "On 12 February.\n\nOn 1 Mar 2026, Bea wrote:\n> When?\n";
    expect(await sections(later)).toEqual([NEWEST, ["On 1 Mar 2026, Bea wrote", "", "When?"]]);
  });
});

test.each([
  "When: 5 February 2026\nWhere: Room 3\nContact: bea@example.org",
  "On 5 Feb 2026 we met at 10:00, and decided:\n\n- The key stays.",
  "Please bring:\n\n- a pen",
])("a mail that quotes nothing is one message: %j", async (body) => {
  expect(await sections(body)).toHaveLength(1);
});

test("200 kB of marks of quotes are read quickly", async () => {
  for (const mark of [
    "> ",
    `${">".repeat(500)}\n`,
    "On 5 Feb 2026 a@b.c wrote:\n\n",
    "From: a\nDate: 5 Feb 2026\n---\n",
    "> a:\n",
  ]) {
    const start = process.cpuUsage();
    await sections(mark.repeat(200_000 / mark.length));
    expect(process.cpuUsage(start).user).toBeLessThan(6_000_000);
  }
}, 60_000);
