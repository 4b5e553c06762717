import { Command, InvalidArgumentError, Option } from "commander";
import { checkByCode } from "../../src/checking/cascade.js";
import { sample } from "../../src/evaluate/statistics.js";
import { BadDataError } from "./data.js";
import { type Case, casesOf, isUntouched, KINDS } from "./mutate.js";
import { readTriples } from "./mutate-triples.js";
import { asEvidence } from "./passages.js";

/**
 * `npx tsx research/eval/mutations.ts <paths...>`: counts how many claims changed on purpose are noticed by code alone.
 */
const program = new Command("mutations")
  .description("Changes true claims on purpose and counts what checking by code alone notices.")
  .argument("<paths...>", "reading sets (XQuAD, CMRC 2018: .json; SQuAD 2.0: .jsonl), or folders that hold some")
  .option("--limit <n>", "use this many sentences only, chosen by the seed", positive)
  .option("--seed <n>", "what every choice depends on", Number, 1)
  .addOption(new Option("--half <half>", "that half of the paragraphs alone").choices(["tune", "held-out"]))
  .option("--json", "print every claim with its verdict, as JSON, alone, on stdout")
  .exitOverride((end) => process.exit(end.exitCode === 0 ? 0 : USAGE))
  .action((paths: string[], options: { limit?: number; seed: number; half?: string; json?: boolean }) => {
    try {
      const all = readTriples(paths).filter(({ half }) => options.half === undefined || half === options.half);
      const cases = casesOf(sample(all, options.limit, options.seed), options.seed);
      const judged = cases.map(judge);
      process.stdout.write(
        options.json ? `${JSON.stringify({ rows: rowsOf(judged), items: judged })}\n` : asText(judged),
      );
    } catch (error) {
      if (!(error instanceof BadDataError)) throw error;
      process.stderr.write(`${error.message}\n`);
      process.exitCode = USAGE;
    }
  });

const USAGE = 2;

type Judged = ReturnType<typeof judge>;

function judge({ id, kind, how, language, half, claim, sources }: Case) {
  const { verdict, settledBy, reason } = checkByCode(claim, sources.map(asEvidence));
  return { id, kind, how, language, half, claim, verdict: settledBy ? verdict : ("in doubt" as const), reason };
}

function rowsOf(judged: readonly Judged[]) {
  return KINDS.flatMap((kind) =>
    (["en", "zh"] as const).map((language) => {
      const some = judged.filter((item) => item.kind === kind && item.language === language);
      const share = (of: (item: Judged) => boolean) =>
        some.length === 0 ? null : some.filter(of).length / some.length;
      const sure = share(({ verdict }) => verdict === "unsupported" || verdict === "contradicted");
      const supported = share(({ verdict }) => verdict === "supported");
      return {
        kind,
        language,
        n: some.length,
        supported,
        inDoubt: share(({ verdict }) => verdict === "in doubt"),
        sure,
      };
    }),
  );
}

function asText(judged: readonly Judged[]): string {
  const percent = (value: number | null) => (value === null ? "-" : `${(100 * value).toFixed(1)}`);
  const lines = rowsOf(judged).map((row) => {
    const detected = row.supported === null ? null : 1 - row.supported;
    const cells = isUntouched(row.kind)
      ? [percent(row.supported), percent(row.inDoubt), percent(row.sure)]
      : [percent(detected), percent(row.inDoubt), percent(row.sure)];
    return [row.kind, row.language, String(row.n), ...cells];
  });
  const split = lines.findIndex(([kind = ""]) => kind.startsWith("untouched"));
  return [
    grid([["changed, in %", "", "n", "detected", "in doubt", "for sure"], ...lines.slice(0, split)]),
    grid([["untouched, in %", "", "n", "supported", "in doubt", "false alarms"], ...lines.slice(split)]),
    "",
  ].join("\n\n");
}

function grid(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) =>
      row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  "),
    )
    .join("\n");
}

function positive(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError("Give a whole number from 1.");
  return number;
}

program.parse();
