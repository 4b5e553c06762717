import { expect, test } from "vitest";
import { decodePage } from "../../../src/tools/web/html-tree.js";

/** The same sentences as bytes, written by hand, since TextEncoder supports only UTF-8. */
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(" ", ""), "hex"));
const around = (inner: Uint8Array, head = "") =>
  Buffer.concat([Buffer.from(`<html><head>${head}</head><body><p>`), inner, Buffer.from("</p></body></html>")]);
const SAMPLES: readonly (readonly [label: string, text: string, hex: string])[] = [
  [
    "gb18030",
    "本市最大的公园昨天开放了一条新的步行道，全长四公里，沿着湖岸一直通到北门。",
    "b1becad0d7eeb4f3b5c4b9abd4b0d7f2ccecbfaab7c5c1cbd2bbccf5d0c2b5c4b2bdd0d0b5c0a3acc8abb3a4cbc4b9abc0efa3acd1d8d7c5bafeb0b6d2bbd6b1cda8b5bdb1b1c3c5a1a3",
  ],
  [
    "big5",
    "本市最大的公園昨天開放了一條新的步行道，全長四公里，沿著湖岸一直通到北門。",
    "a5bba5abb3cca46aaabaa4bdb6e9ac51a4d1b67da9f1a446a440b1f8b773aabaa842a6e6b944a141a5feaaf8a57ca4bda8bda141aa75b5dbb4f2a9a4a440aabdb371a8eca55faaf9a143",
  ],
  [
    "shift_jis",
    "市立図書館は来月から、平日の開館時間を午後十時まで延長すると発表した。",
    "8e7397a7907d8f918ad982cd97888c8e82a982e7814195bd93fa82cc8a4a8ad98e9e8ad482f08cdf8ce38f5c8e9e82dc82c5898492b782b782e982c694ad955c82b582bd8142",
  ],
  [
    "euc-jp",
    "市立図書館は来月から、平日の開館時間を午後十時まで延長すると発表した。",
    "bbd4cea9bfdebdf1b4dba4cfcde8b7eea4aba4e9a1a2cabfc6fca4ceb3abb4dbbbfeb4d6a4f2b8e1b8e5bdbdbbfea4dea4c7b1e4c4b9a4b9a4eba4c8c8afc9bda4b7a4bfa1a3",
  ],
  [
    "euc-kr",
    "시립 도서관은 다음 달부터 평일에 밤 열 시까지 문을 연다고 발표했다.",
    "bdc3b8b320b5b5bcadb0fcc0ba20b4d9c0bd20b4debacec5cd20c6f2c0cfbfa120b9e320bfad20bdc3b1eec1f620b9aec0bb20bfacb4d9b0ed20b9dfc7a5c7dfb4d92e",
  ],
  [
    "windows-1251",
    "В центре города открылась новая библиотека, которую строили почти четыре года.",
    "c220f6e5edf2f0e520e3eef0eee4e020eef2eaf0fbebe0f1fc20edeee2e0ff20e1e8e1ebe8eef2e5eae02c20eaeef2eef0f3fe20f1f2f0eee8ebe820efeef7f2e820f7e5f2fbf0e520e3eee4e02e",
  ],
  [
    "windows-1252",
    "Die Fähre über den Fluß fährt wieder – zehn Jahre nach der letzten Überfahrt für Fußgänger.",
    "4469652046e468726520fc6265722064656e20466c75df2066e4687274207769656465722096207a65686e204a61687265206e61636820646572206c65747a74656e20dc62657266616872742066fc72204675df67e46e6765722e",
  ],
];

test.each(SAMPLES)("reads %s if the server declares it", (label, text, hex) => {
  expect(decodePage(around(bytes(hex)), `text/html; charset="${label}"`)).toContain(text);
});

test.each(SAMPLES)("reads %s if the page declares it", (label, text, hex) => {
  expect(decodePage(around(bytes(hex), `<meta charset=${label}>`), "text/html")).toContain(text);
});

test.each(SAMPLES)("recognises %s without a declaration", (_, text, hex) => {
  expect(decodePage(around(bytes(hex)))).toContain(text);
});

test.each(SAMPLES.slice(0, 5))("trusts the bytes of %s over a server that declares Latin-1", (_, text, hex) => {
  expect(decodePage(around(bytes(hex)), "text/html; charset=iso-8859-1")).toContain(text);
});

test("reads UTF-8 against any declaration, and UTF-16 by its byte order mark", () => {
  const text = "步行道 über";
  expect(decodePage(around(Buffer.from(text)), "text/html; charset=gb2312")).toContain(text);
  expect(decodePage(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]))).toBe(text);
});

test("accepts any bytes and any charset label", () => {
  expect(decodePage(bytes("fffefdfc00ff80"), "text/html; charset=klingon")).toBeTypeOf("string");
  expect(decodePage(new Uint8Array())).toBe("");
});

const [, BIG5, BIG5_HEX] = SAMPLES[1] ?? ["", "", ""];

test.each([
  ["a comment", "<!-- <meta charset=gbk> -->"],
  ["a script", "<script>const charset='gbk'; document.write('<meta charset=gbk>')</script>"],
  ["a style", "<style>/* charset=gbk */</style>"],
  ["a title", "<title>What charset=gbk means</title>"],
  ["another meta", "<meta name=description content='charset=gbk'>"],
])("does not take the charset in %s for the encoding of the page", (_, head) => {
  expect(decodePage(around(bytes(BIG5_HEX), `${head}<meta charset=big5>`))).toContain(BIG5);
  // Too few bytes to recognise the encoding without the declaration.
  const short = Buffer.concat([Buffer.from(`<head>${head}<meta charset=big5></head>`), bytes("b4f2")]);
  expect(decodePage(short)).toContain("湖");
});

test("does not take a charset in the body for a declaration", () => {
  const page = Buffer.concat([Buffer.from("<body><p>"), bytes(BIG5_HEX), Buffer.from("<meta charset=gbk>")]);
  expect(decodePage(page)).toContain(BIG5);
});

test("accepts http-equiv and the XML declaration", () => {
  for (const head of ["<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=Big5'>", ""])
    for (const start of head === "" ? ['<?xml version="1.0" encoding="Big5"?>'] : [""]) {
      const page = Buffer.concat([Buffer.from(`${start}<html><head>${head}</head><p>`), bytes("b4f2")]);
      expect(decodePage(page)).toContain("湖");
    }
});
