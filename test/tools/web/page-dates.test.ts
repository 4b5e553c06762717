import { expect, test } from "vitest";
import { dateIn, dateInUrl } from "../../../src/tools/web/page-dates.js";

test.each([
  ["2024-03-05T23:30:00+08:00", "2024-03-05"],
  ["2024/3/5 08:00", "2024-03-05"],
  ["20240305", "2024-03-05"],
  ["20240305T101500Z", "2024-03-05"],
  ["Tue, 05 Mar 2024 10:15:00 GMT", "2024-03-05"],
  ["Published: March 5th, 2024 at noon", "2024-03-05"],
  ["发布时间：2024年3月5日 10:15", "2024-03-05"],
  ["2024년 3월 5일", "2024-03-05"],
  ["05.03.2024", "2024-03-05"],
  ["25/03/2024", "2024-03-25"],
  ["03/25/2024", "2024-03-25"],
  ["03/05/2024", ""],
  ["2024-13-45", ""],
  ["2024-02-30", ""],
  ["valid until 31 December 2087", ""],
  ["call 555-2024", ""],
  ["no date", ""],
])("reads %s as %s", (text, date) => {
  expect(dateIn(text)).toBe(date);
});

test.each([
  ["https://a.example/2024/03/05/story.html", "2024-03-05"],
  ["https://a.example/news/2024-03-05-story", "2024-03-05"],
  ["https://a.example/2024/mar/05/story", "2024-03-05"],
  ["https://a.example/t20240305_123.htm", "2024-03-05"],
  ["https://a.example/item/20249905", ""],
  ["https://a.example/story-2024", ""],
])("finds in %s the date %s", (url, date) => {
  expect(dateInUrl(url)).toBe(date);
});
