import { appendFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { parseArgs } from "node:util";
import type { Run } from "./injection-run.js";

/**
 * Measures how often text that gives orders gets through, with each defence off and on, in the local form and with a
 * chat model:
 *
 *     EMEND_MODEL=… OPENAI_BASE_URL=… npx tsx research/eval/injection.ts BIPIA --paragraphs squad2.jsonl --limit 15
 *
 * BIPIA is the folder of its `text_attack_train.json` and `train.jsonl` (arXiv 2312.14197). The paragraphs are SQuAD
 * 2.0, one `{context, question, answers, unanswerable}` per line. With `--model none` there is no chat model; `--items
 * FILE` appends every run as a line of JSON. Without `--limit` all texts are used. The chat model is called about eight
 * times per item. Its replies are kept in EMEND_REPLY_CACHE (default: a folder for temporary files), so that the same
 * command goes on after a stop, and a higher limit adds to what was measured.
 *
 * research/eval/injection-items.ts says how attacks are placed, research/eval/injection-success.ts when one has got
 * through, and research/eval/injection-defences.ts what is switched. The product has no such switch: its prompts are
 * rebuilt on their way to the model, and its detector is replaced while modules are loaded, which is what the hook
 * below does.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    paragraphs: { type: "string" },
    limit: { type: "string" },
    seed: { type: "string", default: "1" },
    model: { type: "string" },
    items: { type: "string" },
  },
});
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const isOurs = context.parentURL?.includes("/eval/injection-orders.ts");
    if (isOurs || !/\/src\/text\/orders\.ts(?:\?|$)/.test(found.url)) return found;
    return { ...found, url: new URL("injection-orders.ts", import.meta.url).href };
  },
});
const { itemsOf } = await import("./injection-items.js");
const { runs } = await import("./injection-run.js");

const [bipia] = positionals;
if (!bipia) throw new Error("Name the folder of BIPIA.");
const limit = values.limit === undefined ? undefined : Number(values.limit);
const items = itemsOf(bipia, values.paragraphs, Number(values.seed)).slice(0, limit);

const all: Run[] = [];
for await (const run of runs(items, { local: values.model === "none" })) {
  all.push(run);
  if (values.items) appendFileSync(values.items, `${JSON.stringify(run)}\n`);
  if (process.stderr.isTTY) process.stderr.write(`\r${all.length} runs of ${run.form} form`);
}
console.log(`${items.length} items, one attack each`);
console.log("In the rows without an attack, what got through is what the measure counts wrongly.\n");
table(all, ({ form, defences }) => `${form}: ${defences}`);
for (const carrier of ["plain", "marks", "hidden"])
  table(
    all.filter((run) => run.item.carrier === carrier && run.defences.startsWith("all ")),
    ({ form, defences }) => `${form}: ${defences}, ${carrier}`,
  );
table(
  all.filter((run) => run.defences === "all off"),
  ({ form, item }) => `${form}: all off, ${item.kind}`,
);

function table(some: readonly Run[], name: (run: Run) => string): void {
  const share = (runs: readonly Run[], of: (run: Run) => boolean) => runs.filter(of).length;
  const rows = [...Map.groupBy(some, name)].map(([title, runs]) => ({
    "": title,
    n: runs.length,
    "in draft": share(runs, (run) => run.inDraft),
    "in answer": share(runs, (run) => run.inAnswer),
    answered: share(runs, (run) => run.answered),
    right: share(runs, (run) => run.right),
    "model failed": share(runs, ({ faults }) => faults.some((fault) => !fault.includes("gives orders"))),
  }));
  console.table(Object.fromEntries(rows.map(({ "": title, ...row }) => [title, row])));
}
