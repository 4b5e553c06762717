import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "../../src/agent.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { createServer } from "../../src/server/app.js";
import { readModelFile } from "../../src/tools/encoder/model-file.js";
import { onnxEncoder } from "../../src/tools/encoder/onnx.js";
import { tokenizer } from "../../src/tools/encoder/pieces.js";
import { windowsOf } from "../../src/tools/encoder/windows.js";
import { say, timed } from "./measure.js";
import { realQuestions } from "./real.js";

/**
 * `tsx research/bench/odd.ts`: asks what is no prose about the handbook of the examples, and shows the tokens that are
 * judged and the seconds, divided by those of the dearest ordinary long question in the same run. Then it asks 60 odd
 * questions one after the other and 200 ordinary ones at once, and counts the refused ones.
 */
const MODEL = "model";
const limits = readModelFile(MODEL);
const tokenise = tokenizer(join(MODEL, "tokenizer.json"));
const store = await mkdtemp(join(tmpdir(), "emend-bench-"));
const encoder = onnxEncoder({ folder: MODEL });
let tokens = 0;
const counting = {
  ...encoder,
  judge: (...[pairs, options]: Parameters<typeof encoder.judge>) => {
    for (const pair of pairs)
      for (const { text, passage } of windowsOf(pair, 0, tokenise, limits))
        tokens += text.ids.length + passage.ids.length + 4;
    return encoder.judge(pairs, options);
  },
};
const agent = createAgent({ store, tools: { encoder: counting } });
await ingestFiles(["examples/handbook"], { documents: agent.tools.documents });
await agent.tools.documents.embed?.();

const ids = Array.from({ length: 500 }, (_, i) => createHash("sha256").update(`${i}`).digest("hex"));
const base64 = (i: number) => Buffer.from(ids.slice(i).join(""), "hex").toString("base64").slice(0, 15_000);
const story =
  "A colleague who joined the Lisbon office two weeks ago used to work for a company where the rules were quite different, and she wants to plan early because several people of her team are away in August. ";
const QUESTION = "How many days of annual leave do employees get?";
const ORDINARY = {
  long: `${story}Does she have to tell anybody in advance how she spends the evenings of her holidays?`,
  Chinese: `${"上海办公室的新同事想在夏天回家探亲，经理说团队很小，应该早点计划。".repeat(3)}她晚上在家里做什么需要提前告诉别人吗？`,
};
const ODD = {
  snowmen: "☃".repeat(900),
  "direction marks": "\u202e".repeat(9_000),
  base64: base64(0),
  "base64 in lines": base64(1).replace(/.{76}/g, "$&\n"),
  ids: ids.slice(0, 300).join(" "),
  JSON: JSON.stringify(ids.slice(0, 200).map((key, id) => ({ id, key, value: [1, 2, 3] }))),
  code: "function a(b,c){return b?c:d[e](f)};".repeat(500),
  Thai: "พนักงานได้วันลากี่วัน".repeat(900),
  "a trace": `${QUESTION}\n${ids
    .slice(0, 100)
    .map((id, i) => `    at handle (/srv/app/${id}.js:${i}:3)`)
    .join("\n")}`,
  prose: `${story.repeat(97)}${QUESTION}`,
};

async function cost(question: string) {
  tokens = 0;
  let status = "";
  const seconds = await timed(async () => {
    status = (await agent.ask(question)).status;
  });
  return { tokens, seconds, status };
}

await agent.ask("Who approves travel?");
const ordinary = [];
for (const [name, question] of Object.entries(ORDINARY)) {
  const one = await cost(question);
  ordinary.push(one);
  say(`${name.padEnd(18)} ${one.tokens} tokens, ${one.seconds.toFixed(1)} s, ${one.status}`);
}
const [most, longest] = [
  Math.max(...ordinary.map((one) => one.tokens)),
  Math.max(...ordinary.map((one) => one.seconds)),
];
for (const [name, question] of Object.entries(ODD)) {
  const one = await cost(question);
  const ratio = `${(one.tokens / most).toFixed(2)} of the tokens, ${(one.seconds / longest).toFixed(2)} of the time`;
  say(`${name.padEnd(18)} ${one.tokens} tokens, ${one.seconds.toFixed(1)} s, ${one.status}: ${ratio}`);
}

const { app } = createServer({ agent, perMinute: 1_000 });
const headers = { "Content-Type": "application/json" };
const asked = (question: string) =>
  app.request("http://localhost/api/ask", { method: "POST", headers, body: JSON.stringify({ question }) });
const late = await timed(async () => {
  for (let i = 0; i < 60; i++) await asked(base64(i + 2));
});
const replies = await Promise.all(realQuestions(200).map(asked));
say(
  `60 odd questions in ${late.toFixed(0)} s; then ${replies.filter(({ status }) => status === 429).length} of 200 refused`,
);
await agent.close();
await rm(store, { recursive: true });
