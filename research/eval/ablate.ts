import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { registerHooks } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Encoder, Judged } from "../../src/tools/encoder/port.js";
import type { CheckedClaim } from "../../src/types/answer.js";
import type { SupportItem } from "./data.js";

/**
 * `npx tsx research/eval/ablate.ts [--corpora DIR] [--data DIR] [rule...]`: switches each rule off in turn, and prints
 * what changes without it, on the sets that rules were made on (tuned) and on those that none was made on (unseen).
 *
 * A rule is a module of `src`. Off, it exports what it would say if it never applied. Every measurement is a process of
 * its own, and all share what the encoder said and the stores (`.eval-cache/ablate`), so only the first one takes long.
 *
 * `--corpora` holds clones of the handbooks, one folder each; `--data` holds public sets as `npm run eval:convert` writes
 * them. What is not there is left out.
 */
const RULES: Record<string, string> = {
  "checking/belongs": "export const misplaced = () => undefined;",
  "checking/doubts": "export const doubtOf = () => undefined;",
  "facts/chinese-names": "export const chineseNames = () => []; export const unlistedWords = () => [];",
  "facts/disagree": `export const differInAmount = () => false; export const amountAskedBy = () => undefined;
    export const valueIn = () => undefined;`,
  "facts/limits": `export const withinLimit = () => undefined; export const isWithinLimits = () => undefined;
    export const isLimit = () => false;`,
  "facts/opposites": "export const opposed = () => undefined;",
  "facts/strength": "export const overstated = () => undefined;",
  "reading/asked-rows": "export const askedRows = () => undefined;",
  "reading/asked-time": "export const askedTime = () => undefined;",
  "reading/lacks": "export const lacks = () => ({ names: 0, amounts: 0, language: 0 });",
  "reading/lacks-kind": "export const lacksKind = () => false;",
  "reading/missing": 'export const missingFrom = () => ""; export const absentFrom = () => [];',
  "reading/rows": "export const aboutOthers = () => () => ({ names: 0, amounts: 0 });",
  "reading/siblings": "export const aboutSibling = () => () => false; export const areSiblings = () => false;",
  "reading/standalone": "export const standalone = (question) => question;",
  "text/intent": 'export const intentOf = () => "other";',
  "text/question-parts": "export const questionParts = (text) => [text];",
  "text/spelling": "export const misspeltWords = () => [];",
};

/** Rules that only claims meet, which are not in a quote. */
const OF_CLAIMS = ["checking/belongs", "checking/doubts"];
/** Rules that claims may meet too. */
const ALSO_OF_CLAIMS = /^(?:checking|facts)\//;

type Side = "tuned" | "unseen";

interface Options {
  corpora: string;
  data: string;
}

interface QaSet {
  side: Side;
  questions: string;
  corpus: string;
}

function qaSets({ corpora, data }: Options): Record<string, QaSet> {
  const own = (name: string, side: Side, file = "questions") => ({
    side,
    questions: `research/eval/${name}/${file}.jsonl`,
    corpus: `research/eval/${name}/files`,
  });
  const followUps = (name: string, corpus = `research/eval/${name}/files`) => ({
    side: "tuned" as const,
    questions: `research/eval/follow-ups/${name}.jsonl`,
    corpus,
  });
  const handbook = (name: string, within = "") => ({
    side: "unseen" as const,
    questions: `research/eval/handbooks/${name}.jsonl`,
    corpus: join(corpora, name, within),
  });
  const open = (name: string, side: Side) => ({
    side,
    questions: join(data, name, "qa/qa.jsonl"),
    corpus: join(data, name, "qa/corpus.jsonl"),
  });
  return {
    company: own("company", "tuned"),
    natural: own("natural", "tuned"),
    tables: own("tables", "tuned"),
    "tables, several rows": own("tables", "tuned", "several-rows"),
    versions: own("versions", "tuned"),
    examples: { side: "tuned", questions: "examples/questions.jsonl", corpus: "examples/handbook" },
    "follow-ups, company": followUps("company"),
    "follow-ups, natural": followUps("natural"),
    "follow-ups, handbook": followUps("handbook", "examples/handbook"),
    squad2: open("squad2", "tuned"),
    basecamp: handbook("basecamp"),
    artsy: handbook("artsy"),
    "18f": handbook("18f", "pages"),
    halo: handbook("halo", "docs"),
    opb: handbook("opb", "src"),
    "tables, held out": own("tables", "unseen", "held-out"),
    "xquad-en": open("xquad-en", "unseen"),
    "xquad-zh": open("xquad-zh", "unseen"),
    cmrc: open("cmrc", "unseen"),
  };
}
const MAX_QUESTIONS = 60;

const CLAIMS: Record<string, Side> = {
  company: "tuned",
  natural: "tuned",
  development: "tuned",
  "held-out": "unseen",
  later: "unseen",
};

/** Suites of `npm run eval:convert`: a claim beside its sources. Some take long, so they are asked less. */
const SUPPORT: Record<string, { side: Side; claims: number }> = {
  summedits: { side: "tuned", claims: 180 },
  planted: { side: "unseen", claims: 184 },
  "rgb-en": { side: "unseen", claims: 60 },
  "xquad-zh": { side: "unseen", claims: 60 },
  cmrc: { side: "unseen", claims: 60 },
};

/** What came out, by set and item: an outcome of `qa`, or the truth of a claim and what was made of it. */
type Outcomes = Record<string, { side: Side; outcomes: Record<string, string> }>;

const HERE = fileURLToPath(import.meta.url);
const CACHE = ".eval-cache/ablate";

async function main(args: readonly string[]) {
  const value = (name: string, otherwise: string) => {
    const at = args.indexOf(name);
    return at < 0 ? otherwise : (args[at + 1] ?? otherwise);
  };
  const options = { corpora: value("--corpora", "corpora"), data: value("--data", "data") };
  if (args.includes("--out"))
    return writeFileSync(value("--out", ""), JSON.stringify(await measured(options, value("--without", ""))));
  const named = args.filter((arg, i) => !arg.startsWith("--") && !args[i - 1]?.startsWith("--"));
  const unknown = named.find((name) => !(name in RULES));
  if (unknown) throw new Error(`No rule is called ${unknown}. Rules: ${Object.keys(RULES).join(", ")}.`);
  const all = await inProcess(options, "");
  for (const set of Object.keys(qaSets(options))) if (!(set in all)) console.error(`${set}: not found, left out.`);
  console.log(`everything on: ${told(all, "tuned")} | ${told(all, "unseen")}`);
  for (const rule of named.length > 0 ? named : Object.keys(RULES)) {
    const without = await inProcess(options, rule);
    console.log(`without ${rule}: ${changed(all, without, "tuned")} | ${changed(all, without, "unseen")}`);
  }
}

async function inProcess({ corpora, data }: Options, rule: string): Promise<Outcomes> {
  const folder = await mkdtemp(join(tmpdir(), "emend-ablate-"));
  const out = join(folder, "outcomes.json");
  const args = ["--import", "tsx", HERE, "--corpora", corpora, "--data", data, "--without", rule, "--out", out];
  await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 28 });
  const outcomes = JSON.parse(readFileSync(out, "utf8"));
  await rm(folder, { recursive: true });
  return outcomes;
}

async function measured(options: Options, rule: string): Promise<Outcomes> {
  if (rule) switchOff(rule);
  // What a rule changes is loaded after it was switched off.
  const { onnxEncoder } = await import("../../src/tools/encoder/onnx.js");
  const encoder = remembered(onnxEncoder());
  const outcomes = {
    ...(OF_CLAIMS.includes(rule) ? {} : await answers(options, encoder)),
    ...(rule === "" || ALSO_OF_CLAIMS.test(rule) ? await claims(options, encoder) : {}),
  };
  await encoder.close();
  return outcomes;
}

async function answers(options: Options, encoder: Encoder): Promise<Outcomes> {
  const { createAgent } = await import("../../src/agent.js");
  const { loadSettings } = await import("../../src/config.js");
  const { openTools } = await import("../../src/open.js");
  const { askEmend } = await import("../../src/evaluate/ask.js");
  const { openCorpus } = await import("./corpus.js");
  const { QaItem, readLines } = await import("./data.js");
  const { qa } = await import("./qa.js");
  const outcomes: Outcomes = {};
  for (const [name, { side, questions, corpus }] of Object.entries(qaSets(options))) {
    if (!existsSync(questions) || !existsSync(corpus)) continue;
    // Kept, since no rule changes what is stored.
    const store = resolve(CACHE, name.replace(/\W+/g, "-"));
    const { model: _, checkerModel: __, ...settings } = loadSettings({ store, runs: "off" });
    const tools = openTools(settings, { encoder });
    const items = someOf(readLines(questions, QaItem), MAX_QUESTIONS);
    const read = await openCorpus(corpus, tools.documents, tools.knowledge);
    const agent = createAgent({ ...settings, tools });
    const { items: asked } = await qa(items, askEmend(agent, { budget: { seconds: 3600 } }), read);
    outcomes[name] = { side, outcomes: Object.fromEntries(asked.map(({ id, outcome }) => [`${id}`, `${outcome}`])) };
    await tools.documents.close();
    await tools.knowledge?.close();
  }
  return outcomes;
}

async function claims({ data }: Options, encoder: Encoder): Promise<Outcomes> {
  const { holds } = await import("../../src/types/answer.js");
  const { judged } = await import("./claims.js");
  const { readLines, SupportItem } = await import("./data.js");
  const { support } = await import("./support.js");
  const outcomes: Outcomes = {};
  for (const [name, side] of Object.entries(CLAIMS)) {
    const verdicts: Record<string, string> = {};
    for (const truth of ["true", "false"] as const)
      for (const claim of await judged(name, truth, encoder))
        verdicts[claim.text] = `${truth}: ${holds(claim) ? "accepted" : "rejected"}`;
    outcomes[`claims, ${name}`] = { side, outcomes: verdicts };
  }
  for (const [name, { side, claims }] of Object.entries(SUPPORT)) {
    const file = join(data, name, "support.jsonl");
    if (name !== "planted" && !existsSync(file)) continue;
    const all = name === "planted" ? planted() : readLines(file, SupportItem);
    const { items } = await support(someOf(all, claims), { encoder });
    const verdictOf = (parts: unknown) =>
      (parts as Pick<CheckedClaim, "verdict">[]).every(holds) ? "accepted" : "rejected";
    outcomes[`claims, ${name}`] = {
      side,
      outcomes: Object.fromEntries(items.map((one) => [`${one.id}`, `${one.supported}: ${verdictOf(one.claims)}`])),
    };
  }
  return outcomes;
}

/** The statements of a strong model, each also with an error that was planted in it. */
function planted(): SupportItem[] {
  const lines = readFileSync("research/eval/strong/planted.jsonl", "utf8").trim().split("\n");
  return lines.flatMap((line) => {
    const { id, sources: given, ...claims } = JSON.parse(line);
    const sources = given.map(({ title, text }: { title: string; text: string }) => `${title}\n${text}`);
    return ["true", "false"].map((truth) => ({
      id: `${id}-${truth}`,
      claim: claims[truth],
      sources,
      supported: truth === "true",
    }));
  });
}

/** Spread evenly, since some sets list what can be answered first. */
const someOf = <T>(all: readonly T[], most: number) => all.filter((_, i) => i % Math.ceil(all.length / most) === 0);

/** Loads the rule's module with other exports in place of its own. */
function switchOff(rule: string) {
  const url = pathToFileURL(`src/${rule}.ts`).href;
  registerHooks({
    load: (wanted, context, nextLoad) =>
      wanted === url
        ? {
            format: "module",
            shortCircuit: true,
            source: `export * from ${JSON.stringify(`${url}?on`)}; ${RULES[rule]}`,
          }
        : nextLoad(wanted, context),
  });
}

/** An encoder that asks the model once in all processes. */
function remembered(encoder: Encoder): Encoder {
  mkdirSync(CACHE, { recursive: true });
  const database = new DatabaseSync(join(CACHE, "said.sqlite"), { timeout: 60_000 });
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE IF NOT EXISTS said (key TEXT PRIMARY KEY, value TEXT)",
  );
  const find = database.prepare("SELECT value FROM said WHERE key = ?");
  const keep = database.prepare("INSERT OR IGNORE INTO said VALUES (?, ?)");
  async function once<In, Out>(inputs: readonly In[], kind: string, ask: (some: In[]) => Promise<Out[]>) {
    const keys = inputs.map((input) =>
      createHash("sha256")
        .update(JSON.stringify([encoder.identity, kind, input]))
        .digest("base64"),
    );
    const known = new Map<string, Out>();
    for (const key of keys) {
      const row = find.get(key);
      if (row) known.set(key, JSON.parse(String(row.value)));
    }
    const fresh = [...new Map(inputs.map((input, i) => [keys[i] ?? "", input]))].filter(([key]) => !known.has(key));
    const said = fresh.length > 0 ? await ask(fresh.map(([, input]) => input)) : [];
    for (const [i, [key]] of fresh.entries()) {
      keep.run(key, JSON.stringify(said[i]));
      known.set(key, said[i] as Out);
    }
    return keys.map((key) => known.get(key) as Out);
  }
  return {
    identity: encoder.identity,
    embed: (texts, options) => once(texts, options.as, (some) => encoder.embed(some, options)),
    judge: (pairs, options) =>
      once<(typeof pairs)[number], Judged>(pairs, "pair", (some) => encoder.judge(some, options)),
    close: async () => {
      database.close();
      await encoder.close();
    },
  };
}

const onSide = (all: Outcomes, side: Side) => Object.entries(all).filter(([, set]) => set.side === side);

function told(all: Outcomes, side: Side): string {
  const counts = new Map<string, number>();
  for (const [, { outcomes }] of onSide(all, side))
    for (const outcome of Object.values(outcomes)) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return `${side}: ${[...counts].map(([outcome, n]) => `${outcome} ${n}`).join(", ")}`;
}

/** The changes of one side, such as "refusedWrongly → right: 3 (company 2, natural 1)". */
function changed(all: Outcomes, without: Outcomes, side: Side): string {
  const changes = new Map<string, Map<string, number>>();
  for (const [set, { outcomes }] of onSide(without, side))
    for (const [id, after] of Object.entries(outcomes)) {
      const before = all[set]?.outcomes[id];
      if (after === before) continue;
      const sets = changes.get(`${before} → ${after}`) ?? new Map<string, number>();
      changes.set(`${before} → ${after}`, sets.set(set, (sets.get(set) ?? 0) + 1));
    }
  const lines = [...changes].map(([change, sets]) => {
    const total = [...sets.values()].reduce((sum, n) => sum + n, 0);
    return `${change}: ${total} (${[...sets].map(([set, n]) => `${set} ${n}`).join(", ")})`;
  });
  return `${side}: ${lines.join("; ") || "no change"}`;
}

await main(process.argv.slice(2));
