import { readFileSync } from "node:fs";
import { InvalidArgumentError, Option } from "commander";
import type { Shard } from "../ingest/ingest.js";
import type { Condition } from "../types/filter.js";
import { metadataKey } from "../types/metadata.js";
import { type Price, priceIn } from "../types/price.js";

/** The options of all commands, as commander parses them. */
export interface Options {
  store?: string;
  json?: boolean;
  trace?: boolean;
  approve?: boolean;
  resume?: boolean;
  where?: Condition[];
  collection?: string;
  sources?: string[];
  shard?: Shard;
  ontology?: string;
  limit?: number;
  beside?: "plain";
  save?: string;
  report?: string[];
  thresholds?: string;
  parallel?: number;
  price?: Price;
  budget?: number;
  questions?: number;
  out?: string;
  olderThan?: number;
  log?: string;
  name?: string;
  config?: string;
  dryRun?: boolean;
  prune?: boolean;
  removeMissing?: boolean;
  watch?: boolean;
  every?: number;
  crawl?: boolean;
  port?: number;
  host?: string;
  origin?: string[];
  widgetOrigin?: string[];
  review?: string;
  since?: number;
  until?: number;
  scope?: string;
  status?: string;
  tag?: string;
  feedback?: string;
  as?: string;
  all?: boolean;
  expires?: number;
  upload?: boolean;
  operator?: boolean;
}

export const log = () =>
  new Option("--log <file>", "add each answer to a file, as a line of JSON that `emend gaps` reads");

export function folder(value: string): string {
  if (!value.trim()) throw new InvalidArgumentError("Give a folder.");
  return value;
}

export const where = () =>
  new Option(
    "--where <key=value>",
    "only documents that state this: department=hr, status!=draft, tags=a,b for either; if repeated, all must hold",
  ).argParser(condition);

export const collection = () =>
  new Option("--collection <name,…>", "only documents of these collections, which emend.json names");

function condition(value: string, before: Condition[] = []): Condition[] {
  const [, key = "", not = "", values = ""] = /^([^=!]+)(!?)=(.*)$/su.exec(value) ?? [];
  const each = values.split(/[,，]/).map((one) => one.trim());
  if (metadataKey(key) === "" || each.includes(""))
    throw new InvalidArgumentError("Give key=value, such as department=hr.");
  return [...before, { key: metadataKey(key), values: each, ...(not !== "" && { not: true }) }];
}

export function shard(value: string): Shard {
  const [number = 0, of = 0] = (/^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(value)?.slice(1) ?? []).map(Number);
  if (number === 0 || number > of) throw new InvalidArgumentError("Give a part and the number of parts, such as 1/8.");
  return { number, of };
}

/** Days, also written as 90d. */
export function days(value: string): number {
  return count(value.replace(/d$/, ""));
}

export function count(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError("Give a whole number from 1.");
  return Number(value);
}

export function amount(value: string): number {
  if (!/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) throw new InvalidArgumentError("Give an amount, such as 2.50.");
  return Number(value);
}

export function price(value: string): Price {
  const given = priceIn(value);
  if (!given) throw new InvalidArgumentError("Give an amount, or two, such as 0.15/0.60.");
  return given;
}

/** The time that an option gives as a number of days. */
export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

export const report = () =>
  new Option("--report <file...>", "write a report by the ending of its name: .html a page, .md a summary, .xml JUnit");

export function port(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) throw new InvalidArgumentError("Give a port, 0 to 65535.");
  return Number(value);
}

/** The examples at the end of a command's help. */
export const example = (...lines: string[]) => `\nExample:\n${lines.map((line) => `  ${line}`).join("\n")}`;

/** Reads the version in package.json, which is beside `src` in a checkout and beside `dist` in the package. */
export function version(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
