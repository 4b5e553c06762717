import { Command, Option } from "commander";
import {
  amount,
  collection,
  count,
  days,
  example,
  folder,
  log,
  port,
  price,
  report,
  shard,
  version,
  where,
} from "./options.js";
import { command, EXIT } from "./run.js";

/** Defines the command line. */
export function emend(): Command {
  const program = new Command("emend")
    .description("Answers questions from your documents, and checks every sentence against its source.")
    .version(version(), "-v, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .addOption(
      new Option("--store <dir>", 'the folder of the store, or postgres://… (default: ".emend")').argParser(folder),
    )
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (message, write) => write(`emend: ${onOneLine(message)} Try --help.\n`) })
    .exitOverride((end) => process.exit(end.exitCode === 0 ? 0 : EXIT.usage))
    .addHelpText("after", example("emend ingest docs", 'emend ask "Who approves travel abroad?"'));

  command(program, "ingest", async () => (await import("./ingest.js")).ingestCommand)
    .summary("read files, folders and web pages into the store")
    .description(
      "Reads files, folders, globs, web pages, sitemaps and whole sites into the store. Run again, it updates what changed and removes what vanished. Exit code 1: something could not be read.",
    )
    .argument("<source...>", "files, folders, globs in quotes, addresses of pages or sitemaps, or - for stdin")
    .option("--name <file>", "the name of the document from stdin, whose extension tells its kind (default: stdin.md)")
    .addOption(
      new Option("--crawl", "follow the links of each address, to the pages and files of its site below it").conflicts(
        "shard",
      ),
    )
    .option("--limit <n>", "visit at most n addresses of each site (default: 1000)", count)
    .option("--collection <name>", "put the documents into this collection of emend.json, with its readers")
    .addOption(new Option("--dry-run", "say what would be done, and write nothing").conflicts("watch"))
    .option("--remove-missing", "remove the documents of folders that are missing or empty")
    .option("--watch", "keep running until Ctrl-C, and read files again as they change")
    .option("--shard <n/m>", "take only the nth of m parts of the documents; other processes take the others", shard)
    .option("--json", "print the summary with every file that could not be read as JSON")
    .addHelpText(
      "after",
      example(
        "emend ingest docs handbook/leave.md",
        'emend ingest "docs/**/*.md" https://example.org',
        "emend ingest --crawl https://example.org/docs",
      ),
    );

  command(program, "sync", async () => (await import("./ingest.js")).syncCommand)
    .summary("keep the store in step with all the sources named in emend.json")
    .description(
      "Keeps the store in step with the sources that emend.json names: files and pages, as `ingest` does, and loaders. Says which documents come from none of them. Exit code 1: something could not be read.",
    )
    .option("--config <file>", 'the file that names the sources (default: "emend.json")')
    .option("--prune", "remove the documents that come from none of the sources")
    .addOption(
      new Option("--every <seconds>", "keep running until Ctrl-C, and sync again so many seconds after each time")
        .argParser(count)
        .conflicts("dryRun"),
    )
    .option("--remove-missing", "remove the documents of folders that are missing or empty")
    .option("--dry-run", "say what would be done, and write nothing")
    .option("--json", "print the summary with every file that could not be read as JSON")
    .addHelpText("after", example("emend sync", "emend sync --prune --dry-run"));

  command(program, "list", async () => (await import("./store.js")).listCommand)
    .summary("show which documents are in the store")
    .description("Lists the documents in the store, each with the number of its passages.")
    .option("--json", "print the documents with the hash of each as JSON")
    .addHelpText("after", example("emend list"));

  command(program, "status", async () => (await import("./status.js")).statusCommand)
    .summary("show what the store holds, and the settings in force")
    .description("Counts what the store holds, and lists the settings in force. No key is printed.")
    .option("--json", "print them as JSON")
    .addHelpText("after", example("emend status"));

  command(program, "doctor", async () => (await import("./doctor.js")).doctorCommand)
    .summary("find out what does not work, and what to do")
    .description(
      "Tries what the settings name: variables, store, encoder, and one small call to each endpoint. Exit code 1: something does not work.",
    )
    .option("--json", "print what was found as JSON")
    .addHelpText("after", example("emend doctor"));

  command(program, "backup", async () => (await import("./store.js")).backupCommand)
    .summary("copy the store into a file")
    .description(
      "Copies the store, conversations included, into a new file while others read and write. A store in Postgres is copied with pg_dump.",
    )
    .argument("<file>", "the file to make")
    .addHelpText("after", example("emend backup ../backups/monday.db"));

  command(program, "check", async () => (await import("./check.js")).checkCommand)
    .summary("find documents that need care, and what to do")
    .description(
      "Finds documents that are stale, repeat others, are empty, cannot be read, have changed or whose file is gone. Exit code 1: some need care.",
    )
    .option("--older-than <days>", "days after its last review at which a document is stale (default: 365)", count)
    .option("--json", "print what was found as JSON")
    .addHelpText("after", example("emend check", "emend check --older-than 180"));

  command(program, "show", async () => (await import("./store.js")).showCommand)
    .summary("show a document as it is stored")
    .description(
      "Prints the passages of a document as they are stored: section, language, text, and which are not embedded.",
    )
    .argument("<file>", "a path, an address, or the end of a path if only one document has it")
    .option("--json", "print the document with its passages as JSON")
    .addHelpText("after", example("emend show handbook/leave.md", "emend show leave.md"));

  command(program, "search", async () => (await import("./search.js")).searchCommand)
    .summary("show what retrieval finds, and why")
    .description(
      "Shows the passages that a question finds, best first: rank and score by words, by meaning and fused, and how the encoder judges each. Exit code 3: nothing.",
    )
    .argument("<words...>", "a question, or words")
    .option("--limit <n>", "show at most so many passages, up to 200 (default: 10)", count)
    .addOption(where())
    .addOption(collection())
    .option("--json", "print the passages as JSON")
    .addHelpText(
      "after",
      example('emend search "Who approves travel abroad?"', "emend search --limit 3 出国差旅 审批"),
    );

  command(program, "remove", async () => (await import("./store.js")).removeCommand)
    .summary("remove documents from the store")
    .description(
      "Removes from the store what came from files, folders or pages, whether or not they still exist. The files are left as they are.",
    )
    .argument("<name...>", "files, folders or addresses, or documents as `emend list` names them")
    .option("--json", "print the numbers of documents and passages removed as JSON")
    .addHelpText("after", example("emend remove old-handbook", "emend remove https://example.org/handbook"));

  command(program, "ask", async () => (await import("./ask.js")).askCommand)
    .summary("answer one question")
    .description(
      "Answers one question. Exit code 0: answered, at least in part; 3: refused, or a question back; 1: a part failed.",
    )
    .argument("<question...>", "the question")
    .addOption(where())
    .addOption(collection())
    .option("--json", "print the answer as JSON, alone, on stdout")
    .option("--trace", "print what was decided at each step, and what it took")
    .addOption(log())
    .addHelpText("after", example('emend ask "Who approves travel abroad?"', 'emend ask --json "谁审批出国差旅？"'));

  command(program, "chat", async () => (await import("./chat.js")).chatCommand)
    .summary("have a conversation")
    .description("A conversation: follow-up questions are understood, and a question back can be answered.")
    .option("--resume", "go on with the last conversation")
    .addOption(where())
    .addOption(collection())
    .option("--approve", "show the queries of a web search before they are sent, to let through, change or refuse")
    .option("--trace", "print what was decided at each step, and what it took")
    .addOption(log())
    .addHelpText(
      "after",
      `${example("emend chat")}\n/quit or Ctrl-D ends it, Ctrl-C stops an answer. /help lists the rest.`,
    );

  command(program, "gaps", async () => (await import("./gaps.js")).gapsCommand)
    .summary("make a list of what to write, from the questions not answered")
    .description(
      "Groups the questions of a log that were not answered, the most frequent first. A line of a log is an answer as JSON, as `emend ask --log` writes it. Exit code 1: some line was not an answer.",
    )
    .argument("<log...>", "JSON Lines of answers; - for stdin")
    .option("--json", "print the gaps as JSON")
    .addHelpText("after", example("emend gaps questions.jsonl"));

  const evaluation = command(program, "eval", async () => (await import("./eval.js")).evalCommand)
    .summary("measure the answers to your own questions")
    .description(
      'Asks the questions of a file and measures the answers. A line of the file is {"question": …, "answer": …}, or a row of CSV with these columns; the answer is null or empty where the documents have none. Exit code 1: a demand of --thresholds is not met.',
    )
    .argument("<file>", "questions with right answers: JSON Lines or CSV")
    .addOption(
      new Option(
        "--beside <system>",
        "ask another system too: plain is the usual retrieval with one prompt, or without a model the passage found first",
      ).choices(["plain"]),
    )
    .option("--save <file>", "keep every answer as it comes, so that a run that was stopped can go on")
    .addOption(report())
    .option("--thresholds <file>", 'JSON of what is demanded, such as {"minimum": {"faithfulness": 0.95}}')
    .option("--limit <n>", "ask only n of the questions, always the same ones", count)
    .option("--parallel <n>", "ask n questions at once, each of which then takes longer (default: 1)", count)
    .option("--price <in/out>", "what a million input and output tokens cost, such as 0.15/0.60", price)
    .option("--budget <amount>", "stop once answers and their scores have cost this much, by --price", amount)
    .addOption(where())
    .option("--json", "print the figures and every answer as JSON")
    .addHelpText(
      "after",
      example(
        "emend eval questions.csv --report eval.html",
        "emend eval questions.jsonl --beside plain --save monday.jsonl",
      ),
    )
    .helpCommand(false);

  command(evaluation, "diff", async () => (await import("./eval.js")).evalDiffCommand)
    .summary("compare two saved evaluations")
    .description(
      "Compares two evaluations that --save kept, on the questions in both: the figures, and every question with a different outcome. Exit code 1: a demand of --thresholds is not met.",
    )
    .argument("<before>", "a saved evaluation")
    .argument("<after>", "another one")
    .addHelpText("after", example("emend eval diff monday.jsonl tuesday.jsonl --report diff.html"));

  command(evaluation, "make", async () => (await import("./eval.js")).evalMakeCommand)
    .summary("write questions from the documents, with a chat model")
    .description(
      "Lets the chat model write questions from passages of the store, checks each, and adds those that hold to a file that `emend eval` reads. Run again, it goes on. Read them before you trust them: `emend serve --review` shows them on a page. Exit code 1: there are fewer than wanted.",
    )
    .option("--questions <n>", "how many questions the file should have (default: 40)", count)
    .option("--out <file>", "the file of JSON Lines to add them to (default: questions.jsonl)")
    .addHelpText("after", example("emend eval make --questions 60 --out questions.jsonl"));

  const runs = command(program, "runs", async () => (await import("./runs.js")).runsCommand)
    .summary("show how past questions went")
    .description(
      "Lists what the store records of each question, the newest first, with the sums of all. No text of a document is recorded. Exit code 3: none.",
    )
    .helpCommand(false)
    .option("--since <days>", "only runs of the last n days", count)
    .option("--until <days>", "only runs that are older than n days", count)
    .addOption(new Option("--status <status>", "only runs with this status").choices(STATUSES))
    .addOption(new Option("--tag <failure>", "only runs with this failure").choices(TAGS))
    .addOption(new Option("--feedback <verdict>", "only runs that a reader rated so").choices(["up", "down"]))
    .option("--scope <hash>", 'only runs within this scope, as --json names it; "" for those that saw everything')
    .option("--limit <n>", "at most n runs (default: 20)", count)
    .addOption(new Option("--as <form>", "print them as JSON Lines or CSV").choices(["jsonl", "csv"]).conflicts("json"))
    .option("--json", "print them as JSON, with every step")
    .addHelpText("after", example("emend runs --since 7 --status refused", "emend runs --as csv --limit 100000"));

  command(runs, "show", async () => (await import("./runs.js")).showRunCommand)
    .summary("show how one went, step by step")
    .description("Prints what is recorded of one run, with its steps.")
    .argument("<run>", "its number in `emend runs`")
    .option("--json", "print it as JSON")
    .addHelpText("after", example("emend runs show 42"));

  const config = () =>
    new Option("--config <file>", 'the file with the rules and destinations (default: "emend.json")');
  const alerts = command(program, "alerts", async () => (await import("./alerts.js")).alertsCommand)
    .summary("say when answers get worse")
    .description(
      "Checks the recorded runs against the rules in emend.json, and sends each alert once when it is raised and once when it is resolved. `emend serve` does so every five minutes. Exit code 1: some alert is raised.",
    )
    .helpCommand(false)
    .addOption(config())
    .addHelpText("after", example("emend alerts", "emend alerts test"));

  command(alerts, "test", async () => (await import("./alerts.js")).testAlertsCommand)
    .summary("send a test to every destination")
    .description("Sends a test to every destination in emend.json. Exit code 1: one of them did not accept it.")
    .addOption(config())
    .addHelpText("after", example("emend alerts test"));

  command(program, "feedback", async () => (await import("./runs.js")).feedbackCommand)
    .summary("make an evaluation from readers' opinions of answers")
    .description(
      "Prints readers' opinions of answers, given on the page of `emend serve`, as questions with right answers: JSON Lines that `emend eval` reads.",
    )
    .addOption(new Option("--as <form>", "the form of the lines").choices(["eval"]).default("eval"))
    .addHelpText("after", example("emend feedback --as eval > questions.jsonl"));

  addTokenCommands(program);
  addGraphCommands(program);

  command(program, "read", async () => (await import("./read.js")).readCommand)
    .summary("print the main text of a web page")
    .description("Prints the main text of a web page, or of an HTML or PDF file, as Markdown. Nothing is stored.")
    .argument("<url|file>", "an address, or a file")
    .option("--json", "print the page with its metadata as JSON")
    .addHelpText("after", example("emend read https://example.org/handbook", "emend read --json page.html"));

  command(program, "verify", async () => (await import("./verify.js")).verifyCommand)
    .summary("check a text against its sources")
    .description(
      "Checks a text against sources, sentence by sentence. Exit code 0: everything is supported or likely; 3: something is neither.",
    )
    .argument("<file>", "the text: Markdown or plain")
    .requiredOption("--sources <path...>", "files and folders that have to support it")
    .option("--json", "print the whole report as JSON")
    .addHelpText("after", example("emend verify answer.md --sources docs handbook/leave.md"));

  command(program, "cite", async () => (await import("./verify.js")).citeCommand)
    .summary("attach sources to a text")
    .description(
      "Checks a text as verify does, and prints it with markers after statements that are supported or likely, and the list of sources. Statements without a source are named on stderr. Exit code 3: none has a source.",
    )
    .argument("<file>", "a text: Markdown or plain")
    .requiredOption("--sources <path...>", "files or folders of documents")
    .option("--json", "print the text, its statements and their quotes as JSON, alone, on stdout")
    .addHelpText("after", example("emend cite draft.md --sources docs handbook/leave.md"));

  command(program, "judge", async () => (await import("./judge.js")).judgeCommand)
    .summary("rank passages and check claims, one per line")
    .description(
      'Reads JSON Lines and writes one line for each, in order: {"id", "question", "passages": [text]} gets its passages ranked and graded, with the span of the answer; {"id", "claim", "sources": [text]} is checked. Probabilities are from 0 to 1, and 0.5 is the threshold. Exit code 1: some line was neither.',
    )
    .argument("[file]", "JSON Lines (default: stdin)")
    .addHelpText("after", example("emend judge rows.jsonl > judged.jsonl"));

  command(program, "serve", async () => (await import("./serve.js")).serveCommand)
    .summary("answer on a web page and over HTTP")
    .description(
      "Answers on a web page and over HTTP, with OpenAI's API and its own, until Ctrl-C. On an address that other machines can reach, it needs to know who asks: by EMEND_TOKENS, `emend token` or sign-in.",
    )
    .option("--port <n>", "the port to listen on, 0 for any that is free (default: 8787)", port)
    .option("--host <address>", 'the address to listen on (default: "127.0.0.1")')
    .option("--origin <origin...>", "origins whose web pages may ask, such as https://chat.example.org")
    .option("--widget-origin <origin...>", "origins whose web pages may embed the widget (EMEND_WIDGET_ORIGINS)")
    .option("--review <file>", "questions of `emend eval make` to keep, edit or drop on the page for operators")
    .addHelpText("after", example("emend serve", "emend serve --port 9000"));

  command(program, "mcp", async () => (await import("./mcp.js")).mcpCommand)
    .summary("serve an MCP client")
    .description("Serves ask, search, read, verify and cite to one MCP client, such as an editor, on stdin and stdout.")
    .addHelpText("after", example("emend mcp"));

  command(program, "forget", async () => (await import("./chat.js")).forgetCommand)
    .summary("delete conversations")
    .description("Deletes conversations of `emend chat` and `emend serve`, by their ids or their age.")
    .argument("[id...]", "conversations")
    .option("--older-than <days>", "those without a new question for n days", count)
    .addHelpText("after", example("emend forget --older-than 90"));

  command(program, "diagram", async () => (await import("./diagram.js")).diagramCommand)
    .summary("print the graph as Mermaid")
    .description("Prints the graph of steps that answers a question, as Mermaid.")
    .addHelpText("after", example("emend diagram > graph.mmd"));

  return program;
}

/** Adds the commands of `emend token`. */
function addTokenCommands(program: Command): void {
  const token = program
    .command("token")
    .summary("make and revoke tokens for `emend serve`")
    .description(
      "Tokens that `emend serve` accepts, kept as hashes in the store. Each sees the documents that it was made for.",
    )
    .helpCommand(false);

  command(token, "add", async () => (await import("./token.js")).addTokenCommand)
    .summary("make a token, and print it once")
    .description(
      "Makes a token and prints it. It cannot be printed again. A server that runs with tokens or sign-in accepts it at once; one without needs to be started again.",
    )
    .argument("<name>", "the name by which it is listed and revoked")
    .addOption(where())
    .addOption(new Option("--all", "every document").conflicts("where"))
    .option("--expires <days>", "the days after which it ends, such as 90d (default: never)", days)
    .option("--upload", "its holder may add and delete documents by uploads, within what it sees")
    .option(
      "--operator",
      "its holder is an operator: sees how all questions were answered, and may upload; needs --all",
    )
    .addHelpText(
      "after",
      example("emend token add intranet --where department=hr --expires 90d", "emend token add ada --all --operator"),
    );

  command(token, "list", async () => (await import("./token.js")).listTokensCommand)
    .summary("show which tokens there are")
    .description("Lists the tokens: what each sees and may do, until when, and the day of its last use.")
    .option("--json", "print them as JSON")
    .addHelpText("after", example("emend token list"));

  command(token, "revoke", async () => (await import("./token.js")).revokeTokenCommand)
    .summary("end a token")
    .description(
      "Ends a token at once, also on a server that is running. A token that has ended is taken off the list.",
    )
    .argument("<name>", "its name")
    .addHelpText("after", example("emend token revoke intranet"));
}

/** Adds the commands of `emend graph`. */
function addGraphCommands(program: Command): void {
  const graph = program
    .command("graph")
    .summary("fill and look at the knowledge graph")
    .description(
      "The knowledge graph, which is asked when the documents do not answer: fills it, and shows what it says.",
    )
    .helpCommand(false);

  command(graph, "build", async () => (await import("./graph.js")).buildCommand)
    .summary("read more facts into it than ingest does")
    .description(
      "Reads into the graph what `emend ingest` leaves out: sentences, with a model, and the relations of an ontology. Run again, it reads only what changed.",
    )
    .option("--ontology <file>", "a JSON file of the types and relations to keep")
    .option("--limit <n>", "read at most n passages", count)
    .addHelpText("after", example("emend graph build", "emend graph build --ontology team.json --limit 100"));

  command(graph, "load", async () => (await import("./graph.js")).loadCommand)
    .summary("load triples into it, or run a Cypher script")
    .description(
      "Loads triples into the graph, or runs a Cypher script on Neo4j. Run again, it writes only what changed.",
    )
    .argument("<file...>", "CSV or JSON Lines of triples (.csv .tsv .jsonl .ndjson), for Neo4j also .cypher")
    .addHelpText("after", example("emend graph load examples/handbook-graph.csv"));

  command(graph, "index", async () => (await import("./graph.js")).indexCommand)
    .summary("make a Neo4j graph ready to be looked up")
    .description(
      "Makes the full-text index by which the names in a Neo4j graph are found. Needed if other programs or scripts filled the graph.",
    )
    .addHelpText("after", example("emend graph index"));

  command(graph, "show", async () => (await import("./graph.js")).graphShowCommand)
    .summary("show what it says about a name")
    .description("Shows what the graph says about a name, and the sources. Exit code 3: nothing.")
    .argument("<name...>", "a name")
    .addHelpText("after", example('emend graph show "Heron H40"', "emend graph show 沈若溪"));
}

const STATUSES = ["answered", "partial", "unsure", "needs_clarification", "refused", "unavailable"];
const TAGS = ["SOURCE_FAIL", "NO_RECALL", "BAD_RERANK", "PROMPT_FAIL", "OVERGEN", "NEED_CONTENT"];

/** Joins the lines of a commander message, which puts suggestions on a second line. */
const onOneLine = (message: string) =>
  message
    .replace(/^error: /, "")
    .trim()
    .replace(/\s*\n\s*/g, " ")
    .replace(/(?<![.?!)])$/, ".");
