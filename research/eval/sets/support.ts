import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { BadDataError } from "../data.js";
import { type Choices, type Files, readJson, readJsonLines } from "./files.js";

const Wice = z.array(
  z.object({
    label: z.enum(["supported", "partially_supported", "not_supported"]),
    claim: z.string(),
    evidence: z.array(z.string()),
    meta: z.object({ id: z.string() }),
  }),
);

/** WiCE: a claim of Wikipedia and the sentences of the page it cites. Partly supported counts as not supported. */
export function wice(input: string, _: Choices): Files {
  const lines = readJsonLines(input, Wice).map(({ label, claim, evidence, meta }) => ({
    id: meta.id,
    claim,
    sources: [evidence.join("\n")],
    supported: label === "supported",
  }));
  return { "support.jsonl": lines };
}

const Summedits = z.array(z.object({ id: z.string(), doc: z.string(), summary: z.string(), label: z.literal([0, 1]) }));

/** SummEdits: a summary and its document; an edit made some summaries untrue. One file per domain. */
export function summedits(folder: string, _: Choices): Files {
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  if (files.length === 0) throw new BadDataError(`${folder}: holds no .json file.`);
  const lines = files.flatMap((name) =>
    readJson(join(folder, name), Summedits).map(({ doc, summary, label }, i) => ({
      id: `${basename(name, ".json")}-${i}`,
      claim: summary,
      sources: [doc],
      supported: label === 1,
    })),
  );
  return { "support.jsonl": lines };
}
