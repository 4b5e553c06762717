import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import { BadDataError } from "./data.js";

/** A page whose text people have marked. */
export interface TruePage {
  id: string;
  url: string;
  html: string;
  truth: string;
}

const Truth = z.record(z.string(), z.object({ articleBody: z.string(), url: z.string().default("") }));

/**
 * The pages of an extraction set: `ground-truth.json` `{id: {articleBody, url?}}` and `html/<id>.html.gz` in UTF-8.
 * @throws BadDataError if a file is missing or not of this form.
 */
export function readPages(folder: string): TruePage[] {
  const path = join(folder, "ground-truth.json");
  if (!existsSync(path)) throw new BadDataError(`${path}: there is no such file.`);
  const truth = Truth.safeParse(parsed(path));
  if (!truth.success) throw new BadDataError(`${path}: not of the form {id: {articleBody, url?}}.`);
  return Object.entries(truth.data).map(([id, { articleBody, url }]) => {
    const page = join(folder, "html", `${id}.html.gz`);
    if (!existsSync(page)) throw new BadDataError(`${page}: there is no such file.`);
    return { id, url, html: gunzipSync(readFileSync(page)).toString("utf8"), truth: articleBody };
  });
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new BadDataError(`${path}: not JSON.`);
  }
}
