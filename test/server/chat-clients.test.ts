import { describe, expect, test } from "vitest";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { listening } from "./listening.js";

// The requests that Open WebUI and LibreChat send to an OpenAI-compatible server, and how they use its replies.

const DAYS = "Full-time staff have 28 days of paid leave.";
const NOTICE = "Paid leave of full-time staff is asked for 14 days before.";
const page = (id: string, text: string) => ({
  ...fakePassage(id, text),
  title: "Leave",
  uri: "https://intranet.example.org/leave",
});
const file = (id: string, text: string) => ({ ...fakePassage(id, text), title: "差旅", uri: "差旅.md" });
const documents = inMemoryDocuments([
  page("leave#0", DAYS),
  page("leave#1", NOTICE),
  file("差旅#0", "出国差旅由部门负责人审批。"),
  file("差旅#1", "出国差旅报销由财务部门负责人审批。"),
]);
const { address, post } = await listening({ tools: { documents } });
const complete = (body: object) => post("/v1/chat/completions", { model: "emend", ...body });
const QUESTION = "How many days of paid leave do full-time staff have, and how is paid leave asked for?";

interface Chunk {
  choices: { delta: Record<string, unknown>; finish_reason: string | null }[];
  event?: { type: string; data: Source };
  usage?: object;
  emend?: { status: string };
}
interface Source {
  source: { name: string; url: string };
  document: string[];
  metadata: { source: string; name: string; source_url?: string }[];
}

/** Reads a stream as Open WebUI does: lines that begin with "data:". */
async function chunksOf(reply: Response): Promise<Chunk[]> {
  const lines = (await reply.text()).split("\n").filter((line) => line.startsWith("data:"));
  expect(lines.pop()).toBe("data: [DONE]");
  return lines.map((line) => JSON.parse(line.slice(5)) as Chunk);
}
const textOf = (chunks: Chunk[]) => chunks.map(({ choices: [choice] }) => choice?.delta.content ?? "").join("");
const contentOf = async (reply: Response) => {
  const { choices } = (await reply.json()) as { choices: { message: { content: string } }[] };
  return choices[0]?.message.content ?? "";
};

describe("Open WebUI", () => {
  const asked = (content: string) => ({
    stream: true,
    messages: [{ role: "user", content }],
    // Open WebUI's own tools, which a model may use.
    tools: [{ type: "function", function: { name: "search_memories", parameters: { type: "object" } } }],
    stream_options: { include_usage: true },
    max_tokens: 1000,
  });

  test("lists the model", async () => {
    const { data } = (await (await fetch(`${address}/v1/models`)).json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual(["emend"]);
  });

  test.each([QUESTION, "出国差旅由谁审批？出国差旅报销由谁审批？"])(
    "gets a source for each number of %s, with the quotes to show",
    async (question) => {
      const chunks = await chunksOf(await complete(asked(question)));
      const sources = chunks.flatMap(({ event }) => (event?.type === "source" ? [event.data] : []));
      const markers = [...textOf(chunks).matchAll(/\[(\d+)\]/g)].map(([, number]) => Number(number));
      expect(Math.max(...markers)).toBe(2);
      // Open WebUI numbers sources by address in one place and by name in another.
      const cited = sources.flatMap(({ metadata }) => metadata);
      expect(new Set(cited.map(({ source }) => source)).size).toBe(2);
      expect(new Set(cited.map(({ name }) => name)).size).toBe(2);
      for (const { document } of sources) expect(document).not.toEqual([]);
      const known = sources.map(({ source }) => source.url);
      const annotations = chunks.flatMap(({ choices: [choice] }) => choice?.delta.annotations ?? []) as {
        url_citation: { url: string };
      }[];
      expect(annotations).not.toEqual([]);
      for (const { url_citation } of annotations) expect(known).toContain(url_citation.url);
    },
  );

  test("gets the details with the last chunk, followed by the usage", async () => {
    const chunks = await chunksOf(await complete(asked(QUESTION)));
    expect(chunks.at(-2)).toMatchObject({ choices: [{ finish_reason: "stop" }], emend: { status: "answered" } });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 0 } });
  });

  const history = `<chat_history>\nUSER: ${QUESTION}\nASSISTANT: 28 days [1].\n</chat_history>`;
  test.each([
    ["title", { title: "How many days of paid leave do full-time staff…" }],
    ["tags", { tags: [] }],
    ["follow_ups", { follow_ups: [] }],
    ["queries", { queries: [] }],
    ["text", { text: "" }],
  ])("gets the %s of a conversation without a search in the documents", async (key, expected) => {
    const counted = await listening();
    const content = `### Task:\nGenerate it.\n### Output:\nJSON format: { "${key}": "it" }\n### Chat History:\n${history}`;
    const body = { model: "emend", messages: [{ role: "user", content }], stream: false, max_tokens: 1000 };
    expect(JSON.parse(await contentOf(await counted.post("/v1/chat/completions", body)))).toEqual(expected);
    const metrics = await (await fetch(`${counted.address}/metrics`)).text();
    expect(metrics).not.toMatch(/^emend_questions_total\{/m);
  });

  test("gets the first question as the title of a Chinese conversation of any length", async () => {
    const content = (said: string) =>
      `### Task:\n{ "title": "" }\n<chat_history>\nUSER: ${said}\nASSISTANT: 是${"。".repeat(30_000)}\n</chat_history>`;
    const titleOf = async (said: string) =>
      JSON.parse(await contentOf(await complete({ messages: [{ role: "user", content: content(said) }] }))).title;
    expect(await titleOf("出国差旅由谁审批？")).toBe("出国差旅由谁审批？");
    expect(await titleOf("出国差旅由谁审批".repeat(9))).toBe(`${"出国差旅由谁审批".repeat(9).slice(0, 50)}…`);
  });

  test.each([
    ["what it found in a file", `### Task:\nRespond.\n<context>\n<source id="1">28</source>\n</context>\n${QUESTION}`],
    [
      "the name of a file",
      `<attached_files>\n<file type="file" id="1" name="a.pdf"/>\n</attached_files>\n\n${QUESTION}`,
    ],
  ])("gets a message that %s is not read", async (_, content) => {
    const reply = await complete(asked(content));
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ error: { message: expect.stringContaining("no files of a chat") } });
  });

  test("can continue after a picture was refused", async () => {
    const picture = { role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] };
    expect((await complete({ messages: [picture] })).status).toBe(400);
    expect((await complete({ messages: [picture, { role: "user", content: QUESTION }] })).status).toBe(200);
  });

  test("can ask in a conversation of thousands of messages", async () => {
    const turn = [
      { role: "user", content: "How many days?" },
      { role: "assistant", content: "28 days [1]." },
    ];
    const messages = [...Array.from({ length: 2_000 }, () => turn).flat(), { role: "user", content: QUESTION }];
    expect(await contentOf(await complete({ messages }))).toContain("28 days");
  });
});

describe("LibreChat", () => {
  test("can ask with a system message, content parts and a user, and gets usage", async () => {
    const messages = [
      { role: "system", content: "You are helpful." },
      { role: "user", content: [{ type: "text", text: QUESTION }] },
    ];
    const body = { messages, stream: true, stream_options: { include_usage: true }, user: "6550", temperature: 1 };
    const chunks = await chunksOf(await complete(body));
    expect(textOf(chunks)).toContain("28 days of paid leave [1]");
    expect(chunks.at(-1)).toMatchObject({ usage: { prompt_tokens: 0 } });
  });

  test.each([false, true])("gets a title (streamed: %s)", async (stream) => {
    const content = `Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only return the title itself.\n\nConversation:\nUser: 出国差旅由谁审批？\nAI: 由部门负责人审批[1]。`;
    const reply = await complete({ messages: [{ role: "user", content }], stream });
    expect(stream ? textOf(await chunksOf(reply)) : await contentOf(reply)).toBe("出国差旅由谁审批？");
  });

  test("gets a message that a file is not read", async () => {
    const messages = [
      { role: "system", content: 'Attached document(s):\n```md\n# "a.txt"\n28 days\n```' },
      { role: "user", content: QUESTION },
    ];
    expect((await complete({ messages, stream: true })).status).toBe(400);
  });
});
