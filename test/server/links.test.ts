import { request } from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, test } from "vitest";
import { createServer } from "../../src/server/app.js";
import { listening } from "./listening.js";

const QUESTION = "How many days of paid leave do full-time staff have?";
const AT = "/#/source/leave?quote=Full-time%20staff%20have%2028%20days%20of%20paid%20leave.";
const SITE = "https://emend.example.org/docs";

const here = await listening();
const named = await listening({ url: `${SITE}/`, tokens: ["a-token-of-some-length"] });
const headers = { Authorization: "Bearer a-token-of-some-length" };

interface Replies {
  references: { opens?: string }[];
  choices: { message: { content: string; annotations: { url_citation: { url: string } }[] } }[];
  output: { content: { annotations: { url: string }[] }[] }[];
}
const asked = async (server: typeof here, path: string, body: object, more = {}) =>
  (await (await server.post(path, body, more)).json()) as Replies;
const messages = [{ role: "user", content: QUESTION }];

describe("a citation has a link to the page of the server", () => {
  test("at each door", async () => {
    const { references } = await asked(here, "/api/ask", { question: QUESTION });
    expect(references.map(({ opens }) => opens)).toEqual([`${here.address}${AT}`]);
    const { choices } = await asked(here, "/v1/chat/completions", { model: "emend", messages });
    expect(choices[0]?.message.annotations[0]?.url_citation.url).toBe(`${here.address}${AT}`);
    expect(choices[0]?.message.content).toContain(`[1] [leave](${here.address}${AT})`);
    const { output } = await asked(here, "/v1/responses", { model: "emend", input: QUESTION });
    expect(output[0]?.content[0]?.annotations[0]?.url).toBe(`${here.address}${AT}`);
  });

  test("in every event of a stream that has references", async () => {
    const text = await (await here.post("/api/ask", { question: QUESTION, stream: true })).text();
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
    const cited = events.flatMap((event) => event.references ?? event.answer?.references ?? []);
    expect(cited.length).toBeGreaterThan(1);
    expect(new Set(cited.map(({ opens }) => opens))).toEqual(new Set([`${here.address}${AT}`]));
  });

  test("over MCP, beside the passage as a resource", async () => {
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${here.address}/mcp`)));
    const { content } = await client.callTool({ name: "ask", arguments: { question: QUESTION } });
    expect(content).toMatchObject([
      { text: expect.stringContaining(`(${here.address}${AT})`) },
      { uri: "emend://passages/leave" },
    ]);
    await client.close();
  });

  test("at the address that the server was given, whatever a client or a proxy says", async () => {
    const more = {
      ...headers,
      "X-Forwarded-Host": "evil.example",
      "X-Forwarded-Proto": "https",
      Forwarded: "host=evil.example",
    };
    const { references } = await asked(named, "/api/ask", { question: QUESTION }, more);
    expect(references[0]?.opens).toBe(`${SITE}${AT}`);
    expect((await saidBy(named.port, "evil.example")).references[0]?.opens).toBe(`${SITE}${AT}`);
  });

  test("never at the host that a proxy says was asked for", async () => {
    const { references } = await asked(
      here,
      "/api/ask",
      { question: QUESTION },
      { "X-Forwarded-Host": "evil.example" },
    );
    expect(references[0]?.opens).toBe(`${here.address}${AT}`);
  });

  test("but not from a server that is mounted in another and does not know its address", async () => {
    const userIn = () => ({ identity: "ann", emend_scope: "all" as const });
    for (const [url, opens] of [
      [undefined, undefined],
      [SITE, `${SITE}${AT}`],
    ]) {
      const { app } = createServer({ agent: here.agent, userIn, ...(url !== undefined && { url }) });
      const reply = await app.request("/api/ask", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ question: QUESTION }),
      });
      expect(((await reply.json()) as Replies).references[0]?.opens).toBe(opens);
    }
  });

  test.each([
    "emend.example.org",
    "ftp://a.example",
    "https://a.example/?x=1",
    "https://a.example/#x",
    "https://u:p@a.example",
    "",
  ])("is refused to begin with %j", (url) => {
    expect(() => createServer({ agent: here.agent, url })).toThrow(/^url: must be a web address/);
  });
});

/** Asks with a Host header of its own, which `fetch` does not send. */
const saidBy = (port: number, host: string) =>
  new Promise<Replies>((resolve, reject) => {
    const body = JSON.stringify({ question: QUESTION });
    const sent = request({
      port,
      host: "127.0.0.1",
      path: "/api/ask",
      method: "POST",
      headers: { ...headers, Host: host, "Content-Type": "application/json", "Content-Length": body.length },
    });
    sent.on("error", reject).on("response", async (reply) => {
      resolve(JSON.parse((await reply.toArray()).join("")) as Replies);
    });
    sent.end(body);
  });
