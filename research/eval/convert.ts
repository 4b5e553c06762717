import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Command, InvalidArgumentError } from "commander";
import { BadDataError } from "./data.js";
import type { Files } from "./sets/files.js";
import { readingSuites, readReading } from "./sets/reading.js";
import { rgb } from "./sets/rgb.js";
import { squad2 } from "./sets/squad2.js";
import { summedits, wice } from "./sets/support.js";

/** Turns a public data set into the suites that it can measure. The output does not go into the repository. */
const SETS: Record<string, (input: string, options: { questions?: number; seed: number }) => Files> = {
  squad2,
  xquad: (input, options) => readingSuites(readReading(input), options),
  cmrc2018: (input, options) => readingSuites(readReading(input), options),
  "rgb-zh": rgb,
  "rgb-en": rgb,
  wice,
  summedits,
};

const program = new Command("eval:convert")
  .description("Turns a public data set into suites for npm run eval.")
  .argument("<set>", `one of: ${Object.keys(SETS).join(", ")}`)
  .argument("<input>", "the set's file as published (summedits: its folder)")
  .argument("<output>", "a folder; files of the same names are overwritten")
  .option("--questions <n>", "how many questions the qa suite asks, half of them unanswerable (default: all)", even)
  .option("--seed <n>", "what every choice depends on", Number, 1)
  .exitOverride((end) => process.exit(end.exitCode === 0 ? 0 : USAGE))
  .action((set: string, input: string, output: string, options: { questions?: number; seed: number }) => {
    const convert = SETS[set];
    if (!convert)
      return fail(`There is no set ${JSON.stringify(set)}. Choose one of: ${Object.keys(SETS).join(", ")}.`);
    try {
      for (const [name, lines] of Object.entries(convert(input, options))) {
        const path = join(output, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
        process.stdout.write(`${path}  ${lines.length}\n`);
      }
    } catch (error) {
      if (!(error instanceof BadDataError)) throw error;
      fail(error.message);
    }
  });

const USAGE = 2;

function fail(message: string) {
  process.stderr.write(`${message}\n`);
  process.exitCode = USAGE;
}

function even(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 2 || number % 2 === 1)
    throw new InvalidArgumentError("Give an even number from 2.");
  return number;
}

program.parse();
