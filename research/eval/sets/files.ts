import { readFileSync } from "node:fs";
import type { z } from "zod";
import { BadDataError } from "../data.js";

/** File names, relative to the output folder, with the lines of each. */
export type Files = Record<string, readonly object[]>;

export interface Choices {
  questions?: number;
  seed: number;
}

/** @throws BadDataError if the file cannot be read, is not JSON or not of this shape. */
export const readJson = <T>(path: string, schema: z.ZodType<T>): T => read(path, schema, JSON.parse);

/** @throws BadDataError if the file cannot be read, a line is not JSON or the whole is not of this shape. */
export const readJsonLines = <T>(path: string, schema: z.ZodType<T>): T =>
  read(path, schema, (text) => text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [JSON.parse(line)])));

function read<T>(path: string, schema: z.ZodType<T>, parse: (text: string) => unknown): T {
  let value: unknown;
  try {
    value = parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new BadDataError(`${path}: ${error instanceof Error ? error.message : "cannot be read"}`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new BadDataError(`${path}: ${issue?.path.join(".")}: ${issue?.message}`);
}
