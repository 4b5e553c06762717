import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { extname } from "node:path";
import { cannotBe, EmptyStoreError, UsageError } from "../errors.js";
import { isLeft, readChangeableText } from "../evaluate/made.js";
import { makeQuestions } from "../evaluate/make.js";
import { type Question, readQuestions } from "../evaluate/questions.js";
import { openChat } from "../tools/chat/open-chat.js";
import { openEncoder } from "../tools/encoder/onnx.js";
import { PRIVATE } from "../tools/store/make-folder.js";
import { storeName } from "../tools/store/settings.js";
import { costOf } from "../types/price.js";
import { settingsOf, usingTools } from "./open.js";
import { progress } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, oneLine, screen, warn, withCount } from "./screen.js";

/** `emend eval make`: writes questions from the stored documents into a file that `emend eval` reads. */
export const evalMakeCommand: CommandRun = async (_words, options, signal) => {
  const { questions: most = 40, out = "questions.jsonl", price, budget } = options;
  if (budget !== undefined && !price) throw new UsageError("--budget needs --price, such as --price 0.15/0.60.");
  const before = await beginning(out);
  const settings = settingsOf(options);
  if (!settings.model)
    throw new UsageError("A chat model writes the questions. Name one with EMEND_MODEL, see docs/configuration.md.");
  const encoder = openEncoder(settings);
  if (!encoder) throw new UsageError("The encoder checks the questions, and EMEND_ENCODER is off. Unset it.");
  await using tools = await usingTools(settings, { encoder });
  if (await tools.documents.isEmpty()) throw new EmptyStoreError(storeName(settings));
  const dropped = new Map<string, number>();
  let [made, cost] = [0, 0];
  using line = progress();
  try {
    await makeQuestions({
      documents: tools.documents,
      encoder,
      chat: openChat(settings.model, { cache: settings.replyCache }),
      most,
      before,
      signal,
      mayGoOn: () => budget === undefined || cost < budget,
      spent: (usage) => {
        if (price) cost += costOf(usage, price);
      },
      onMade: async (question) => {
        await append(out, `${JSON.stringify(question)}\n`);
        line.say(`${++made}: ${oneLine(question.question)}`);
      },
      onDropped: (reason) => {
        dropped.set(reason, (dropped.get(reason) ?? 0) + 1);
      },
    });
  } finally {
    line.stop();
    const all = [...dropped].toSorted(([, a], [, b]) => b - a).map(([reason, n]) => [`  ${n}`, reason]);
    const sum = all.reduce((total, [n]) => total + Number(n), 0);
    const head = `${withCount(made, "question")} written to ${out}, to be read before use. Dropped: ${sum}`;
    screen(process.stdout).write(`${[head, ...columns(all, "rl")].join("\n")}\n`);
  }
  const there = made + before.filter(isLeft).length;
  if (there >= most) return EXIT.done;
  const spent = budget !== undefined && cost >= budget;
  warn(
    spent
      ? `The money was spent. To go on, run it again with a higher --budget and the same --out.`
      : `The documents gave ${there} of the ${most} questions. A larger model has fewer dropped.`,
  );
  return EXIT.fault;
};

/** Returns the questions in the file; none if there is no file. @throws UsageError if the file cannot be continued. */
async function beginning(path: string): Promise<Question[]> {
  if (extname(path) !== ".jsonl") throw new UsageError(`--out ${path}: name a file that ends with .jsonl.`);
  const text = existsSync(path) ? await readChangeableText(path) : "";
  if (text.trim() === "") return [];
  const questions = await readQuestions(path, { withDropped: true });
  if (!text.endsWith("\n")) await append(path, "\n");
  return questions;
}

const append = (path: string, text: string) => appendFile(path, text, PRIVATE).catch(cannotBe("written", path));
