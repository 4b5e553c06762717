import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { EXIT, running } from "./run.js";

/** The command line as commander knows it. A command's code is loaded when it is run, so that help comes at once. */
export function emend(): Command {
  const program = new Command("emend")
    .description("Answers questions from your documents, and checks every sentence against its source.")
    .version(version(), "-v, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .addOption(new Option("--store <dir>", 'the folder of the store (default: ".emend")').argParser(folder))
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (message, write) => write(`emend: ${onOneLine(message)} Try --help.\n`) })
    .exitOverride((end) => process.exit(end.exitCode === 0 ? 0 : EXIT.usage))
    .addHelpText("after", example("emend ingest docs", 'emend ask "Who approves travel abroad?"'));

  program
    .command("ingest")
    .summary("read files and folders into the store")
    .description("Reads files and folders into the store. Run again, it takes in what changed and drops what vanished.")
    .argument("<path...>", "files or folders of Markdown, plain text or HTML")
    .addHelpText("after", example("emend ingest docs handbook/leave.md"))
    .action(running(async (...args) => (await import("./ingest.js")).ingestCommand(...args)));

  program
    .command("ask")
    .summary("answer one question")
    .description("Answers one question. Exit code 0: answered, in part at least; 3: refused, or it asks back.")
    .argument("<question...>", "the question")
    .option("--json", "print the answer as JSON, alone, on stdout")
    .option("--trace", "print what was decided at each step, and what it took")
    .addHelpText("after", example('emend ask "Who approves travel abroad?"', 'emend ask --json "谁审批出国差旅？"'))
    .action(running(async (...args) => (await import("./ask.js")).askCommand(...args)));

  program
    .command("chat")
    .summary("have a conversation")
    .description("A conversation: follow-up questions are understood, and a question back can be answered.")
    .option("--trace", "print what was decided at each step, and what it took")
    .addHelpText("after", `${example("emend chat")}\n/quit or Ctrl-D ends it, Ctrl-C stops an answer.`)
    .action(running(async (...args) => (await import("./chat.js")).chatCommand(...args)));

  program
    .command("diagram")
    .summary("print the graph as Mermaid")
    .description("Prints the graph of steps that answers a question, as Mermaid.")
    .addHelpText("after", example("emend diagram > graph.mmd"))
    .action(running(async () => (await import("./diagram.js")).diagramCommand()));

  return program;
}

export interface Options {
  store?: string;
  json?: boolean;
  trace?: boolean;
}

const example = (...lines: string[]) => `\nExample:\n${lines.map((line) => `  ${line}`).join("\n")}`;

/** commander puts what it suggests on a second line. */
const onOneLine = (message: string) =>
  message
    .replace(/^error: /, "")
    .trim()
    .replace(/\s*\n\s*/g, " ")
    .replace(/(?<![.?!)])$/, ".");

function folder(value: string): string {
  if (!value.trim()) throw new InvalidArgumentError("Give a folder.");
  return value;
}

/** The package's own, beside `src` in a checkout and beside `dist` where it is installed. */
function version(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
