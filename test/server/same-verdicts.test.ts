import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CitedText, cite } from "../../src/checking/cite.js";
import { type Verification, verify } from "../../src/checking/verify.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { fakeGrader, fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { onnxEncoder } from "../../src/tools/encoder/onnx.js";
import { holds } from "../../src/types/answer.js";
import { folder } from "../cli/emend.js";
import { listening } from "./listening.js";

/** A source, and sentences that are supported, likely, in doubt and contradicted. */
const SOURCE =
  "# Leave\n\nFull-time staff have 28 days of paid leave. The head of sales decides on trips to other countries. Dogs may come along on Fridays, cats stay at home.\n";
const SENTENCES = [
  "Full-time staff have 28 days of paid leave.",
  "Staff who work full time get 28 days of paid leave.",
  "Dogs are welcome on Fridays.",
  "Whales sing in winter.",
  "Full-time staff have 30 days of paid leave.",
  "Full-time staff have no paid leave.",
];
const text = SENTENCES.join(" ");

const encoder = onnxEncoder();
afterAll(() => encoder.close());
const source = { id: "leave.md", title: "Leave", uri: "leave.md", text: SOURCE };
const said = ({ claims }: Pick<Verification, "claims">) => claims.map(({ verdict }) => verdict);

/** A generator that drafts each sentence with the nearest words as its quote. */
const generator = {
  generate: async () => ({
    claims: SENTENCES.map((words) => ({
      text: words,
      citations: [{ evidenceId: "leave", quote: "Full-time staff have 28 days of paid leave." }],
    })),
    missing: "",
  }),
};
const { post, address, agent } = await listening({
  tools: { ...localReasoners({ encoder }), encoder },
});
const answering = await listening({
  tools: {
    documents: inMemoryDocuments([{ ...fakePassage("leave", SOURCE), title: "Leave" }]),
    grader: fakeGrader({}),
    generator,
    encoder,
  },
  usual: { repairs: 0 },
});
const client = new Client({ name: "test", version: "1" });

let expected: Verification["claims"][number]["verdict"][];
beforeAll(async () => {
  await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)));
  expected = said(await verify(text, [source], { tools: { encoder } }));
});

test("the sentences have verdicts of every kind", () => {
  expect(new Set(expected)).toEqual(new Set(["supported", "likely", "unsupported", "contradicted"]));
});

describe("a sentence with the same source gets the same verdict", () => {
  test("from the command line", async () => {
    await using here = await folder({ "leave.md": SOURCE, "text.txt": text });
    const { stdout } = await here.run(["verify", "text.txt", "--sources", "leave.md", "--json"], { EMEND_ENCODER: "" });
    expect(said(JSON.parse(stdout))).toEqual(expected);
  });

  test("from the API, which the page uses too", async () => {
    const reply = await post("/api/verify", { text, sources: [source] });
    expect(said((await reply.json()) as Verification)).toEqual(expected);
  });

  test("from MCP", async () => {
    const { structuredContent } = await client.callTool({ name: "verify", arguments: { text, sources: [source] } });
    expect(said(structuredContent as unknown as Verification)).toEqual(expected);
  });

  test("from the check of an answer", async () => {
    const { report } = await answering.agent.ask("How many days of paid leave do staff have?");
    expect(report?.claims.map(({ verdict }) => verdict)).toEqual(expected);
  });
});

describe("only supported and likely sentences get a marker", () => {
  const marked = () =>
    SENTENCES.map((words, i) =>
      holds({ verdict: expected[i] ?? "unsupported" }) ? words.replace(/\.$/, " [1].") : words,
    ).join(" ");

  test("from the library", async () => {
    expect((await cite(text, [source], { tools: { encoder } })).text).toBe(marked());
  });

  test("from the command line", async () => {
    await using here = await folder({ "leave.md": SOURCE, "text.txt": text });
    const { stdout } = await here.run(["cite", "text.txt", "--sources", "leave.md", "--json"], { EMEND_ENCODER: "" });
    expect((JSON.parse(stdout) as CitedText).text).toBe(marked());
  });

  test("from the API", async () => {
    const reply = await post("/api/cite", { text, sources: [source] });
    expect(((await reply.json()) as CitedText).text).toBe(marked());
  });

  test("from MCP", async () => {
    const { content } = await client.callTool({ name: "cite", arguments: { text, sources: [source] } });
    expect(content).toMatchObject([{ text: expect.stringContaining(`${marked()}\n\n[1] Leave`) }]);
  });
});

test("without a chat model, no stage overrules the judge", () => {
  expect(agent.tools.checker).toBeUndefined();
});
