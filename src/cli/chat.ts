import { createInterface } from "node:readline";
import { MemorySaver } from "@langchain/langgraph";
import { isVerdict } from "../language/approval.js";
import { complainOf, openAgent, question } from "./ask.js";
import { EXIT, type Run } from "./run.js";
import { screen } from "./screen.js";
import { trace } from "./trace.js";
import { transcript } from "./transcript.js";

/** `emend chat`: a conversation in one thread, line by line. Lines may be piped in. */
export const chatCommand: Run = async (_words, options, signal) => {
  const out = screen(process.stdout);
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
  /** The run waits for a reply, or for queries to be let through: those that were written so far in their place. */
  let isWaiting = false;
  let isApproving = false;
  const queries: string[] = [];
  /** Stops the answer that is being made; where there is none, ends the conversation. */
  const interrupt = () => {
    if (running && isTyped) return running.abort();
    code = EXIT.interrupted;
    running?.abort();
    lines.close();
  };
  // A terminal in line editing sends Ctrl-C as a key, everything else as a signal.
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
    // What the shell writes next begins on a line of its own.
    if (isTyped) out.write("\n");
  } finally {
    lines.close();
    await agent.close();
  }
  return code;

  /** What is said with a line; nothing where more lines may follow: queries in the place of those shown, one a line. */
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
      // A reply to what was asked back belongs to the question before: its language and its form are that one's.
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
      // A question back has no sources under it that would end its line.
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
/** As many as are searched for at once. */
const MOST_QUERIES = 3;
