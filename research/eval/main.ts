import { Command, InvalidArgumentError, Option } from "commander";
import { UsageError } from "../../src/errors.js";
import { BadDataError } from "./data.js";
import { asTable, type Result, rounded } from "./result.js";
import { KINDS, type Kind, measure, type RunOptions, SYSTEMS } from "./run.js";

/** `npm run eval -- <kind> --data <path> [--json]`: measures one thing on your own data. See research/RESULTS.md. */
const program = new Command("eval")
  .description("Measures emend, and what it is compared with, on JSON Lines data.")
  .argument("<kind>", `what to measure: ${KINDS.join(", ")}`, oneOf(KINDS))
  .requiredOption("--data <path>", "the data: a file, or a folder that holds it")
  .option("--corpus <path>", "qa: a folder of documents, or a corpus.jsonl (default: corpus.jsonl beside the data)")
  .option("--beside <file...>", "extraction: other extractors' texts, as {id: {articleBody, ms?}}")
  .addOption(new Option("--system <name>", "qa: what answers").choices(SYSTEMS).default("emend"))
  .addOption(new Option("--model <name>", "none: the local form, whatever the environment names").choices(["none"]))
  .addOption(new Option("--split <half>", "qa, graph: that half of the questions alone").choices(["tune", "held-out"]))
  .option("--seconds <n>", "qa, graph: the time one question may take (default: as in the product)", positive)
  .option("--limit <n>", "measure this many items only, chosen by the seed", positive)
  .option("--seed <n>", "what the choice depends on", Number, 1)
  .option("--json", "print the result as JSON, alone, on stdout")
  .showHelpAfterError("Run with --help to see the options.")
  .exitOverride((end) => process.exit(end.exitCode === 0 ? 0 : USAGE))
  .action(async (kind: Kind, options: RunOptions & { json?: boolean }) => {
    try {
      show(await measure(kind, options), options.json ?? false);
    } catch (error) {
      if (!(error instanceof BadDataError || error instanceof UsageError)) throw error;
      process.stderr.write(`${error.message}\n`);
      process.exitCode = USAGE;
    }
  });

const USAGE = 2;

function show(result: Result, json: boolean) {
  process.stdout.write(json ? `${JSON.stringify(rounded(result))}\n` : asTable(result));
}

function oneOf(kinds: readonly string[]) {
  return (value: string) => {
    if (!kinds.includes(value)) throw new InvalidArgumentError(`Choose one of: ${kinds.join(", ")}.`);
    return value;
  };
}

function positive(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError("Give a whole number from 1.");
  return number;
}

await program.parseAsync();
