import { readFileSync } from "node:fs";
import { reasonInWords } from "../../src/answer/messages/index.js";
import { type VerifiedClaim, verify } from "../../src/checking/verify.js";
import { loadDocuments } from "../../src/ingest/load.js";
import { onnxEncoder } from "../../src/tools/encoder/onnx.js";
import type { Encoder } from "../../src/tools/encoder/port.js";
import { holds } from "../../src/types/answer.js";

/** The sets, each with true.md and false.md, and the folders of the documents that they are about. */
export const SETS: Record<string, readonly string[]> = {
  company: ["research/eval/company/files"],
  natural: ["research/eval/natural/files"],
  development: ["research/eval/claims/development/files", "examples/handbook", "node_modules/ignore/README.md"],
  "held-out": [
    "research/eval/claims/held-out/files",
    "research/eval/company/files",
    "research/eval/natural/files",
    "node_modules/chokidar/README.md",
    "node_modules/@biomejs/biome/README.zh-CN.md",
  ],
  later: [
    ...["canteen", "handbook-v2", "travel-2024", "考勤制度-2023-07", "仓库规程-第2版"].map(
      (name) => `research/eval/versions/files/${name}.md`,
    ),
    ...["depots", "shifts", "值班表", "补贴标准", "仓库"].map((name) => `research/eval/tables/files/${name}.md`),
  ],
};

const folderOf = (set: string) =>
  set in { company: 0, natural: 0 } ? `research/eval/${set}` : `research/eval/claims/${set}`;

/** Returns the claims of a set with their verdicts, over all of its documents. */
export async function judged(set: string, truth: "true" | "false", encoder: Encoder): Promise<VerifiedClaim[]> {
  const { documents } = await loadDocuments(SETS[set] ?? []);
  const sources = documents.map(({ documentId: id, title, uri, text }) => ({ id, title, uri, text }));
  const { claims } = await verify(readFileSync(`${folderOf(set)}/${truth}.md`, "utf8"), sources, {
    tools: { encoder },
  });
  return claims;
}

/**
 * `npx tsx research/eval/claims.ts [sets...]`: counts how many true and false claims `verify` accepts, and how many it
 * calls contradicted.
 */
async function main(sets: readonly string[]) {
  await using encoder = closing(onnxEncoder());
  for (const set of sets) {
    for (const truth of ["true", "false"] as const) {
      const claims = await judged(set, truth, encoder);
      for (const { verdict, text, reason } of claims)
        if (holds({ verdict }) !== (truth === "true"))
          console.log(`${truth}, ${verdict}: ${text} (${reasonInWords({ reason }, "en")})`);
      const count = (...some: VerifiedClaim["verdict"][]) =>
        claims.filter(({ verdict }) => some.includes(verdict)).length;
      const accepted = `${count("supported", "likely")} of ${claims.length} accepted (${count("supported")} supported)`;
      console.log(`${set}, ${truth}: ${accepted}, ${count("contradicted")} contradicted`);
    }
  }
}

const closing = (encoder: Encoder): Encoder & AsyncDisposable => ({
  ...encoder,
  [Symbol.asyncDispose]: () => encoder.close(),
});

if (process.argv[1]?.endsWith("claims.ts")) {
  const asked = process.argv.slice(2);
  await main(asked.length > 0 ? asked : Object.keys(SETS));
}
