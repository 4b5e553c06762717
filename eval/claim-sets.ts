import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { readClaim } from "../src/tools/entailment/claim.js";
import { type Ground, readGround } from "../src/tools/entailment/ground.js";
import { signsOf } from "../src/tools/entailment/signs.js";
import { madeClaims } from "./made-claims.js";
import { readJson, readJsonLines } from "./sets/files.js";
import { readReading } from "./sets/reading.js";

/** A claim with what is counted about it. */
export interface ClaimRow {
  set: string;
  /** What it must not be parted from when one part is fitted on and another measured: its document. */
  group: string;
  /** For a made claim, how it was made. */
  kind: string;
  claim: string;
  sources: readonly string[];
  supported: boolean;
  signs: Record<string, Record<string, number>>;
}

/** WiCE, SummEdits by domain, and claims made for the paragraphs of CMRC 2018 and XQuAD, from a folder that holds them as published. */
export function readClaimSets(folder: string): ClaimRow[] {
  const read = new Map<string, Ground>();
  const row = (item: Omit<ClaimRow, "signs">): ClaimRow => {
    const [source = ""] = item.sources;
    const ground = read.get(source) ?? readGround([source]);
    read.set(source, ground);
    return { ...item, signs: signsOf(readClaim(item.claim), ground) };
  };
  return [...wice(join(folder, "wice/claim_dev.jsonl")), ...summedits(join(folder, "summedits")), ...made(folder)].map(
    row,
  );
}

export const isMade = (set: string) => set.startsWith("made");
export const isSummedits = (set: string) => set.startsWith("summedits");

type Item = Omit<ClaimRow, "signs">;

const Wice = z.array(
  z.object({
    label: z.string(),
    claim: z.string(),
    evidence: z.array(z.string()),
    meta: z.object({ claim_title: z.string() }),
  }),
);

const wice = (path: string): Item[] =>
  readJsonLines(path, Wice).map(({ label, claim, evidence, meta }) => ({
    set: "wice",
    group: meta.claim_title,
    kind: label,
    claim,
    sources: [evidence.join("\n")],
    supported: label === "supported",
  }));

const Summedits = z.array(
  z.object({ doc: z.string(), summary: z.string(), label: z.literal([0, 1]), edit_types: z.array(z.string()) }),
);

const summedits = (folder: string): Item[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) =>
      readJson(join(folder, name), Summedits).map(({ doc, summary, label, edit_types }) => ({
        set: basename(name, ".json").replace("_", " "),
        group: doc,
        kind: edit_types.join("+"),
        claim: summary,
        sources: [doc],
        supported: label === 1,
      })),
    );

const READING = [
  ["made cmrc", "cmrc2018/cmrc2018_trial.json"],
  ["made xquad-zh", "xquad/xquad.zh.json"],
  ["made xquad-en", "xquad/xquad.en.json"],
] as const;

const made = (folder: string): Item[] =>
  READING.flatMap(([set, path]) =>
    madeClaims(readReading(join(folder, path))).map(({ group, kind, claim, source, supported }) => ({
      set,
      // The two languages of XQuAD are one text: their articles have the same numbers.
      group: set === "made cmrc" ? `cmrc ${group}` : `xquad ${group.split(" ")[0]}`,
      kind,
      claim,
      sources: [source],
      supported,
    })),
  );
