import { userInfo } from "node:os";
import { createInterface } from "node:readline";
import { isVerdict } from "../conversation/review.js";
import { UsageError } from "../errors.js";
import { openDatabase } from "../tools/store/open.js";
import { sqlThreads } from "../tools/threads/sql.js";
import type { Answer } from "../types/answer.js";
import type { Conversation } from "../types/conversation.js";
import { askAndShow, openAgent, openLog, warnOfFaults, warnOfLostRecords } from "./ask.js";
import { chosenBy, contextFor } from "./collections.js";
import { settingsOf } from "./open.js";
import { daysAgo } from "./options.js";
import { warnOfWait } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { screen, withCount } from "./screen.js";
import { trace } from "./trace.js";
import { sources, transcript } from "./transcript.js";

/** `emend chat`: a conversation, line by line, typed or piped. It is kept in the store's folder, to be resumed. */
export const chatCommand: CommandRun = async (_words, options, signal) => {
  const out = screen(process.stdout);
  const log = await openLog(options.log);
  const chosen = await chosenBy(options);
  const threads = sqlThreads(openDatabase(settingsOf(options).store, { onWait: warnOfWait }));
  const agent = await openAgent(options, { checkpointer: threads });
  let thread = (options.resume && (await threads.threads(MINE))[0]) || begun();
  // Before lines are read: otherwise lines that came in the meantime would be lost.
  const { turns, waiting }: Conversation = options.resume ? await agent.conversation(thread) : { turns: [] };
  const isTyped = Boolean(process.stdin.isTTY && process.stdout.isTTY);
  const lines = createInterface({
    input: process.stdin,
    ...(isTyped && { output: process.stdout }),
    prompt: out.paint("bold", "? "),
  });
  let code: number = EXIT.done;
  let running: AbortController | undefined;
  let asked = "";
  let last: Answer | undefined;
  /** The run waits for a reply. */
  let isWaiting = false;
  /** The run waits for its web queries to be approved. */
  let isApproving = false;
  /** The queries typed so far to replace them. */
  const queries: string[] = [];
  if (waiting) {
    asked = turns.at(-1)?.question ?? "";
    isWaiting = true;
    isApproving = waiting.type === "approve";
    transcript(out, asked)(waiting);
    out.write("\n\n");
  }
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
    out.write(`${out.paint("dim", "Ask about your documents. Type /help for commands.")}\n`);
    lines.prompt();
  }
  try {
    for await (const line of lines) {
      const text = line.trim();
      if (text === "/quit") break;
      const said = text.startsWith("/") ? command(text) : whole(text);
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
    await threads.close();
  }
  await warnOfLostRecords(agent);
  return code;

  /** Runs a command such as /new. A line that begins with a slash is never a question. */
  function command(text: string): string {
    if (text === "/new") {
      thread = begun();
      last = undefined;
      isWaiting = isApproving = false;
      queries.length = 0;
      out.write(`${out.paint("dim", "New conversation.")}\n\n`);
    } else if (text === "/sources")
      out.write(
        `${last && last.references.length > 0 ? sources(last, out) : "There is no answer with sources yet."}\n\n`,
      );
    else out.write(`${text === "/help" ? HELP : `Unknown command ${text}.\n${HELP}`}\n\n`);
    return "";
  }

  /** Returns the reply that a line completes, or an empty string while more queries may follow, one on each line. */
  function whole(text: string): string {
    if (!isApproving || (queries.length === 0 && (text === "" || isVerdict(text)))) return text;
    if (text !== "") queries.push(text);
    return text === "" || queries.length === MAX_QUERIES ? queries.splice(0).join("\n") : "";
  }

  async function reply(text: string) {
    running = new AbortController();
    isApproving = false;
    try {
      const context = contextFor(agent, chosen, options.where, { web: { approve: options.approve ?? false } });
      const run = { threadId: thread, signal: running.signal, context, chosen };
      // A reply belongs to the question before, which determines the language and form of the answer.
      if (!isWaiting) asked = text;
      isWaiting = false;
      const show = transcript(out, asked);
      const { answer, decisions } = await askAndShow(
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
      last = answer ?? last;
      // A clarifying question has no sources after it to end its line.
      out.write(answer ? "\n" : "\n\n");
      if (options.trace) out.write(`${trace(decisions, answer, out)}\n\n`);
      warnOfFaults(decisions);
    } catch (error) {
      if (!running.signal.aborted) throw error;
      if (isTyped) out.write(`\n${out.paint("dim", "Stopped.")}\n`);
    } finally {
      running = undefined;
    }
  }
};

/** Other users and the server may share the store: `--resume` finds only conversations of this user. */
const MINE = `chat:${nameOfUser()}:`;
const begun = () => `${MINE}${crypto.randomUUID()}`;

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, a user may have no name.
    return "";
  }
}

const HELP = [
  "/sources  show the sources of the last answer",
  "/new      start a new conversation",
  "/quit     quit, like Ctrl-D; resume with `emend chat --resume`",
].join("\n");

/** The most queries of one web search. */
const MAX_QUERIES = 3;

/** `emend forget`: deletes conversations, by their ids or their age. */
export const forgetCommand: CommandRun = async (ids, options) => {
  const { olderThan } = options;
  if (ids.length === 0 && olderThan === undefined)
    throw new UsageError("Name the conversations to delete, or give --older-than <days>.");
  const threads = sqlThreads(openDatabase(settingsOf(options).store, { onWait: warnOfWait }));
  try {
    const known = new Set(ids.length > 0 ? await threads.threads() : []);
    const unknown = ids.filter((id) => !known.has(id));
    if (unknown.length > 0)
      throw new UsageError(`There is no conversation ${unknown.join(", ")}. Nothing was deleted.`);
    for (const id of ids) await threads.deleteThread(id);
    const old = olderThan === undefined ? 0 : await threads.deleteBefore(daysAgo(olderThan));
    process.stdout.write(`${withCount(ids.length + old, "conversation", "conversations")} deleted.\n`);
    return EXIT.done;
  } finally {
    await threads.close();
  }
};
