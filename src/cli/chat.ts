import { createInterface } from "node:readline";
import { MemorySaver } from "@langchain/langgraph";
import { isVerdict } from "../language/approval.js";
import { complainOf, openAgent, openLog, question } from "./ask.js";
import { EXIT, type Run } from "./run.js";
import { screen } from "./screen.js";
import { trace } from "./trace.js";
import { transcript } from "./transcript.js";

/** `emend chat`: a conversation in one thread, line by line, typed or piped. */
export const chatCommand: Run = async (_words, options, signal) => {
  const out = screen(process.stdout);
  const log = await openLog(options.log);
  const agent = await openAgent(options, new MemorySaver());
  const isTyped = Boolean(process.stdin.isTTY && process.stdout.isTTY);
  const lines = createInterface({
    input: process.stdin,
    ...(isTyped && { output: process.stdout }),
    prompt: out.paint("bold", "? "),
  });
  let code: number = EXIT.done;
  let running: AbortController | undefined;
  let asked = "";
  /** The run waits for a reply. */
  let isWaiting = false;
  /** The run waits for its web queries to be approved. */
  let isApproving = false;
  /** The queries typed so far to replace them. */
  const queries: string[] = [];
  /** Stops the current answer, or else ends the conversation. */
  const interrupt = () => {
    if (running && isTyped) return running.abort();
    code = EXIT.interrupted;
    running?.abort();
    lines.close();
  };
  // Ctrl-C is a key while readline edits a line in a terminal, and a signal otherwise.
  lines.on("SIGINT", interrupt);
  signal.addEventListener("abort", interrupt);

  if (isTyped) {
    out.write(`${out.paint("dim", "Ask about your documents. /quit or Ctrl-D ends.")}\n`);
    lines.prompt();
  }
  try {
    for await (const line of lines) {
      const text = line.trim();
      if (text === "/quit") break;
      const said = whole(text);
      if (said) await reply(said);
      if (code === EXIT.interrupted) break;
      lines.setPrompt(out.paint("bold", queries.length > 0 ? "… " : "? "));
      if (isTyped) lines.prompt();
    }
    if (queries.length > 0 && code !== EXIT.interrupted) await reply(queries.join("\n"));
    // The shell's prompt goes on a new line.
    if (isTyped) out.write("\n");
  } finally {
    lines.close();
    await agent.close();
  }
  return code;

  /** Returns the reply that a line completes, or an empty string while more queries may follow, one on each line. */
  function whole(text: string): string {
    if (!isApproving || (queries.length === 0 && (text === "" || isVerdict(text)))) return text;
    if (text !== "") queries.push(text);
    return text === "" || queries.length === MOST_QUERIES ? queries.splice(0).join("\n") : "";
  }

  async function reply(text: string) {
    running = new AbortController();
    isApproving = false;
    try {
      const run = { threadId: THREAD, signal: running.signal, context: { web: { approve: options.approve ?? false } } };
      // A reply belongs to the question before, which determines the language and form of the answer.
      if (!isWaiting) asked = text;
      isWaiting = false;
      const show = transcript(out, asked);
      const { answer, decisions } = await question(
        agent,
        text,
        (event) => {
          isApproving ||= event.type === "approve";
          show(event);
        },
        run,
      );
      isWaiting = answer === undefined;
      await log(asked, answer);
      // A clarifying question has no sources after it to end its line.
      out.write(answer ? "\n" : "\n\n");
      if (options.trace) out.write(`${trace(decisions, answer, out)}\n\n`);
      complainOf(decisions);
    } catch (error) {
      if (!running.signal.aborted) throw error;
      if (isTyped) out.write(`\n${out.paint("dim", "Stopped.")}\n`);
    } finally {
      running = undefined;
    }
  }
};

const THREAD = "chat";
/** The most queries of one web search. */
const MOST_QUERIES = 3;
