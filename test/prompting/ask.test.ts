import { describe, expect, test } from "vitest";
import { BudgetSpentError, EndpointError, MalformedReplyError } from "../../src/errors.js";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { CHINESE, ENGLISH, meter } from "../../src/testing/reasoners-sample.js";
import { openaiChat } from "../../src/tools/chat/chat-openai.js";
import type { Usage } from "../../src/types/answer.js";
import type { Call } from "../../src/types/call.js";
import {
  babbles,
  babbling,
  breaksOff,
  drips,
  fakeServer,
  hangs,
  refuses,
  type Script,
  type ServerRequest,
  says,
  saysJson,
  USAGE,
} from "../tools/chat/fake-server.js";
import { ANSWER, CHECKING, CHECKS } from "./replies.js";

const KEY = "my/secret/key";
const settings = { model: "fake", apiKey: KEY, timeoutMs: 5000 };

/** Makes one checking call against a server that follows the scripts. */
async function checking(scripts: Script[], given: Parameters<typeof meter>[0] & { timeoutMs?: number } = {}) {
  await using server = await fakeServer(...scripts);
  const { timeoutMs = 5000, ...rest } = given;
  const { checker } = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL, timeoutMs }) });
  const metered = meter(rest);
  const result = await checker.check(CHECKING, metered.call).then(
    (judged) => ({ verdicts: judged.map(({ verdict }) => verdict), error: undefined }),
    (error: unknown) => ({ verdicts: undefined, error }),
  );
  return { ...result, ...metered, requests: server.requests, baseURL: server.baseURL };
}

const last = (request: ServerRequest | undefined) => request?.messages.at(-1)?.content ?? "";
const JSON_TEXT = JSON.stringify(CHECKS);
const UNDERSTOOD = ["supported", "unsupported"];

describe("a reply", () => {
  test.each([
    ["bare", JSON_TEXT],
    ["fenced", `\`\`\`json\n${JSON_TEXT}\n\`\`\``],
    ["thought over", `<think>Is {"this": right?} Perhaps.</think>\n${JSON_TEXT}`],
    ["thought over in a thought that the template opened", `Is {"this": right?} Perhaps.\n</think>\n\n${JSON_TEXT}`],
    ["followed by words", `${JSON_TEXT}\nI hope this helps! {"x": 1}`],
    ["preceded by words", `Here it is:\n${JSON_TEXT}`],
    ["with nulls for nothing", JSON.stringify({ ...CHECKS, 1: { ...CHECKS[1], reason: null } })],
  ])("%s is understood at once", async (_, text) => {
    const { verdicts, spent, faults } = await checking([says(text)]);
    expect(verdicts).toEqual(UNDERSTOOD);
    expect(spent).toEqual([{ calls: 1, inputTokens: 1000, cachedTokens: 60, outputTokens: 20 }]);
    expect(faults).toEqual([]);
  });

  test.each([
    ["empty", says(""), /empty/],
    ["nothing but an unfinished thought", says("<think>hm, so"), /empty/],
    ["prose", says("The answer is 25 days."), /no JSON/],
    ["broken JSON", says('{"1": {"words": "x", "ver'), /incomplete/],
    ["cut off", says('{"1": {"words": "x', { finish: "length" }), /cut off/],
    ["of another shape", saysJson({ ...CHECKS, 1: { verdict: "yes" } }), /wrong shape: 1\.verdict/],
    ["about none of the claims", saysJson({ verdict: "yes" }), /it judged none of the claims/],
    ["JSON undefined", says("undefined"), /no JSON/],
  ])("that is %s is repaired by one call that explains the fault", async (_, bad, complaint) => {
    const { verdicts, requests, spent } = await checking([bad, saysJson(CHECKS)]);
    expect(verdicts).toEqual(UNDERSTOOD);
    expect(spent.length).toBe(2);
    expect(last(requests[1])).toMatch(complaint);
    // The earlier messages are sent again unchanged, so that the prompt cache applies.
    expect(requests[1]?.messages.slice(0, 2)).toEqual(requests[0]?.messages);
  });

  test("that is no better after the repair is a MalformedReplyError", async () => {
    const { error, spent } = await checking([says("no"), says("still no")]);
    expect(error).toBeInstanceOf(MalformedReplyError);
    expect(spent.length).toBe(2);
  });

  test("is not repaired if no call is left", async () => {
    const { error, spent } = await checking([says("no"), saysJson(CHECKS)], { calls: 1 });
    expect(error).toBeInstanceOf(MalformedReplyError);
    expect(spent.length).toBe(1);
  });

  test("that repeats itself endlessly is stopped", async () => {
    await using server = await fakeServer(babbles);
    const { checker } = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL }) });
    await expect(checker.check(CHECKING, meter({ calls: 1 }).call)).rejects.toThrow(MalformedReplyError);
    await expect.poll(() => server.closed[0]).toBe(true);
  });

  test("in prose that goes on endlessly is stopped, and what it said before stays", async () => {
    const piece = (i: number) => (i === 0 ? "Employees of Harbor get 25 days of annual leave [1].\n" : `[${i}]\n`);
    await using server = await fakeServer(babbling(piece));
    const { generator } = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL }) });
    const { call, spent } = meter({ calls: 1 });
    const draft = await generator.generate({ ...ENGLISH, intent: "other" }, call);
    expect(draft.claims.map(({ text }) => text)).toEqual([expect.stringContaining("25 days")]);
    expect(spent[0]?.outputTokens).toBeLessThan(300);
    await expect.poll(() => server.closed[0]).toBe(true);
  });

  test("that is endlessly nested is malformed", async () => {
    const { error } = await checking([says(`{"reason":${"[".repeat(30_000)}`)]);
    expect(error).toBeInstanceOf(MalformedReplyError);
  });

  test("of another content type is malformed", async () => {
    const page: Script = (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<html><body>Please log in</body></html>");
    };
    const { error, spent } = await checking([page]);
    expect(error).toSatisfy((e) => e instanceof MalformedReplyError || e instanceof EndpointError);
    expect(spent.length).toBeGreaterThan(0);
  });
});

describe("a model that does not support the format", () => {
  test("is asked in the next format, and only in that from then on", async () => {
    await using server = await fakeServer(
      refuses(400, "Invalid schema for response_format 'check': 'maxLength' is not permitted."),
      refuses(400, "This response_format type is unavailable now"),
      refuses(400, "response_format json_object is not supported"),
      saysJson(CHECKS),
    );
    const { checker } = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL }) });
    const { call, spent } = meter();
    await checker.check(CHECKING, call);
    expect(server.requests.map((r) => r.response_format?.type)).toEqual([
      "json_schema",
      "json_schema",
      "json_object",
      undefined,
    ]);
    expect(JSON.stringify(server.requests[0])).toContain("maxLength");
    expect(JSON.stringify(server.requests[1]?.response_format)).not.toContain("maxLength");
    expect(last(server.requests[1])).not.toContain("JSON Schema");
    expect(last(server.requests[2])).toContain("JSON Schema");
    expect(spent.map((usage) => usage.inputTokens)).toEqual([0, 0, 0, 1000]);

    await checker.check(CHECKING, call);
    expect(server.requests.length).toBe(5);
    expect(server.requests[4]?.response_format).toBeUndefined();
  });

  test("is asked without an option that it refused", async () => {
    const { verdicts, requests } = await checking([
      refuses(400, "Unsupported value: 'temperature' does not support 0 with this model."),
      refuses(400, "Unknown parameter: stream_options"),
      saysJson(CHECKS),
    ]);
    expect(verdicts).toEqual(UNDERSTOOD);
    expect(requests.map((r) => [r.temperature, r.stream_options !== undefined])).toEqual([
      [0, true],
      [undefined, true],
      [undefined, false],
    ]);
  });
});

describe("an endpoint", () => {
  test.each([
    [401, "Incorrect API key provided: my/secret/key", /refused the key.*OPENAI_API_KEY/],
    [403, "no access", /refused the key/],
    [404, "The model `fake` does not exist", /not found.*OPENAI_BASE_URL/],
    [400, "bad things, Bearer my/secret/key", /refused the request \(400/],
    [409, "another key: sk-secret-0123456789", /refused the request \(409/],
    [500, "could not check my/secret/key", /failed \(500/],
    [500, "worker died", /failed \(500: .*worker died/],
    [502, "", /failed \(502/],
  ])("that answers %i is an EndpointError in one clear sentence without the key", async (status, message, sentence) => {
    const { error, spent, requests, baseURL } = await checking([refuses(status, message)]);
    expect(error).toBeInstanceOf(EndpointError);
    expect(error).toMatchObject({ status, message: expect.stringMatching(sentence) });
    expect((error as Error).message).toContain(`fake at ${baseURL}`);
    expect(JSON.stringify(describeError(error))).not.toContain("secret");
    expect(requests.length).toBe(1);
    expect(spent).toEqual([{ calls: 1, inputTokens: 0, cachedTokens: 0, outputTokens: 0 }]);
  });

  test("that limits the rate is retried after the time that it gives", async () => {
    const { verdicts, spent } = await checking([refuses(429, "slow down", { "retry-after": "0.2" }), saysJson(CHECKS)]);
    expect(verdicts).toEqual(UNDERSTOOD);
    expect(spent.length).toBe(2);
  });

  test("that limits the rate for too long is an EndpointError at once", async () => {
    const { error, requests } = await checking([refuses(429, "come back tomorrow", { "retry-after": "86400" })]);
    expect(error).toMatchObject({ name: "EndpointError", status: 429 });
    expect(requests.length).toBe(1);
  });

  test("is not awaited after the signal aborts", async () => {
    const controller = new AbortController();
    const wait: Script = (request, response) => {
      setTimeout(() => controller.abort(new Error("enough")), 20);
      return refuses(429, "slow down", { "retry-after": "15" })(request, response);
    };
    const { error } = await checking([wait], { signal: controller.signal });
    expect(error).toMatchObject({ message: "enough" });
  });

  test("that is unreachable is an EndpointError that says so", async () => {
    const server = await fakeServer(hangs);
    await server[Symbol.asyncDispose]();
    const { checker } = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL }) });
    const { call, spent } = meter();
    await expect(checker.check(CHECKING, call)).rejects.toMatchObject({
      name: "EndpointError",
      status: 0,
      message: expect.stringMatching(/cannot be reached \(ECONNREFUSED\)/),
    });
    expect(spent.length).toBe(1);
  });

  test.each([
    ["never answers", hangs],
    ["stops in the middle", drips('{"reason": "')],
  ])("that %s is left when the signal aborts", async (_, script) => {
    const controller = new AbortController();
    const counted: Script = (request, response) => {
      setTimeout(() => controller.abort(new Error("gave up")), 20);
      return script(request, response);
    };
    const { error, spent } = await checking([counted], { signal: controller.signal });
    expect(error).toMatchObject({ message: "gave up" });
    expect(spent).toEqual([{ calls: 1, inputTokens: 0, cachedTokens: 0, outputTokens: 0 }]);
  });

  test.each([
    ["never answers", hangs],
    ["stops in the middle", drips('{"reason": "')],
  ])("that %s is an EndpointError when its time is over", async (_, script) => {
    const { error, requests } = await checking([script], { timeoutMs: 500 });
    expect(error).toMatchObject({
      name: "EndpointError",
      message: expect.stringMatching(/did not answer within 0.5 s/),
    });
    expect(requests.length).toBe(1);
  });

  test("that drops the connection is an EndpointError", async () => {
    const { error } = await checking([breaksOff('{"reason": "')]);
    expect(error).toMatchObject({ name: "EndpointError", status: 0 });
  });
});

test("a model whose own time is up is an EndpointError while the run goes on", async () => {
  const modelSignal = AbortSignal.abort(new DOMException("The time is up.", "TimeoutError"));
  const { error, requests } = await checking([saysJson(CHECKS)], { modelSignal });
  expect(error).toMatchObject({ name: "EndpointError", message: "The time was up before the model answered." });
  expect(requests).toEqual([]);
});

test("an abort before a request rejects with its reason, in every task", async () => {
  await using server = await fakeServer(hangs);
  const reasoners = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL }) });
  const reason = new Error("changed my mind");
  const { call, spent } = meter({ signal: AbortSignal.abort(reason) });
  const claims = [{ text: "x", citations: [] }];
  const history = [{ question: ENGLISH.question, answer: "" }];
  await expect(reasoners.standalone("And then?", history, call)).rejects.toBe(reason);
  await expect(reasoners.generator.generate({ ...ENGLISH, intent: "other" }, call)).rejects.toBe(reason);
  await expect(reasoners.checker.check({ ...ENGLISH, claims }, call)).rejects.toBe(reason);
  expect(server.requests).toEqual([]);
  expect(spent).toEqual([]);
});

describe("the budget of calls", () => {
  test("is checked before a request is sent", async () => {
    const { error, requests, spent } = await checking([saysJson(CHECKS)], { calls: 0 });
    expect(error).toBeInstanceOf(BudgetSpentError);
    expect(requests).toEqual([]);
    expect(spent).toEqual([]);
  });

  test("limits retries of every kind", async () => {
    const { error, requests } = await checking([refuses(400, "response_format")], { calls: 2 });
    expect(error).toBeInstanceOf(BudgetSpentError);
    expect(requests.length).toBe(2);
  });
});

describe("a request that is longer than the context of a model", () => {
  /** A server that leaves out most of a request, as its usage shows. */
  const cutsShort: Script = (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const reply = { choices: [{ index: 0, delta: { content: JSON_TEXT } }], usage: { ...USAGE, prompt_tokens: 9 } };
    response.end(`data: ${JSON.stringify(reply)}\n\ndata: [DONE]\n\n`);
  };
  const TOO_LONG = [
    ["says so", refuses(400, "This model's maximum context length is 8192 tokens")],
    ["says so in other words", refuses(500, "the request exceeds the available context size")],
    ["reads only the end of it", cutsShort],
  ] as const;

  test.each(TOO_LONG)("is an EndpointError that says what to do if the endpoint %s", async (_, script) => {
    const { error, requests, baseURL } = await checking([script]);
    expect(error).toMatchObject({
      name: "EndpointError",
      message: `The request is longer than the context of fake at ${baseURL}. Give it a larger one (OLLAMA_CONTEXT_LENGTH for Ollama).`,
    });
    expect(requests).toHaveLength(1);
  });

  test.each(TOO_LONG)("is sent again with fewer sources if the endpoint %s, with a fault", async (_, script) => {
    await using server = await fakeServer(script, says("Employees of Harbor get 25 days of annual leave [1]."));
    const { generator } = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL }) });
    const { call, faults } = meter();
    const evidence = [0, 1, 2, 3, 4].flatMap(() => ENGLISH.evidence).map((piece, i) => ({ ...piece, id: `${i}` }));
    const { claims } = await generator.generate({ ...ENGLISH, evidence, intent: "other" }, call);
    expect(claims).toHaveLength(1);
    const shown = server.requests.map((request) => last(request).match(/^<source \d+>/gm)?.length);
    expect(shown).toEqual([10, 5]);
    expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining("longer than the context")]);
  });

  test("is noticed to be cut short in Chinese, which has fewer characters in a token", async () => {
    const text = "海港公司的员工每年有25天年假。".repeat(60);
    const evidence = CHINESE.evidence.map((piece) => ({ ...piece, text }));
    await using server = await fakeServer((request, response) => {
      const read = Math.round(JSON.stringify(request.messages).length / 5);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const reply = {
        choices: [{ index: 0, delta: { content: "每年25天[1]。" } }],
        usage: { ...USAGE, prompt_tokens: read },
      };
      response.end(`data: ${JSON.stringify(reply)}\n\ndata: [DONE]\n\n`);
    });
    const { generator } = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL }) });
    const drafting = generator.generate({ ...CHINESE, evidence, intent: "other" }, meter().call);
    await expect(drafting).rejects.toThrow("longer than the context");
  });

  test("is not sent again once the budget is spent", async () => {
    await using server = await fakeServer(cutsShort);
    const { generator } = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL }) });
    const evidence = [0, 1, 2, 3, 4].flatMap(() => ENGLISH.evidence).map((piece, i) => ({ ...piece, id: `${i}` }));
    const spent: Usage[] = [];
    const call: Call = {
      ...meter().call,
      get calls() {
        return 2 - spent.length;
      },
      spent: (usage) => spent.push(usage),
    };
    const drafting = generator.generate({ ...ENGLISH, evidence, intent: "other" }, call);
    await expect(drafting).rejects.toThrow(BudgetSpentError);
    expect(server.requests).toHaveLength(2);
  });
});

describe("a draft", () => {
  const drafting = async (scripts: Script[], sample: typeof ENGLISH | typeof CHINESE = ENGLISH) => {
    await using server = await fakeServer(...scripts);
    const { generator } = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL }) });
    const told: string[] = [];
    const metered = meter();
    const draft = await generator.generate({ ...sample, intent: "other", citing: "quote" }, metered.call, ({ text }) =>
      told.push(text),
    );
    return { draft, told, ...metered, requests: server.requests };
  };

  test("is emitted claim by claim while it is written", async () => {
    const release = Promise.withResolvers<void>();
    const text = JSON.stringify(ANSWER);
    const half = text.indexOf("},{") + 1;
    const script: Script = async (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const part = (content: string) =>
        response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
      part(text.slice(0, half));
      await release.promise;
      part(text.slice(half));
      response.end("data: [DONE]\n\n");
    };
    await using server = await fakeServer(script);
    const { generator } = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL }) });
    const first = Promise.withResolvers<string>();
    const draft = generator.generate({ ...ENGLISH, intent: "other", citing: "quote" }, meter().call, (claim) =>
      first.resolve(claim.text),
    );
    expect(await first.promise).toBe("Employees get 25 days.");
    release.resolve();
    expect((await draft).claims.length).toBe(2);
  });

  test("that is cut off keeps its complete claims", async () => {
    const text = JSON.stringify(ANSWER);
    const { draft, spent } = await drafting([says(text.slice(0, text.length - 40), { finish: "length" })]);
    expect(draft.claims.map((claim) => claim.text)).toEqual(["Employees get 25 days."]);
    expect(spent.length).toBe(1);
  });

  test("in the wrong language is repaired before it is emitted", async () => {
    const chinese = {
      claims: [{ text: "员工每年有25天年假。", source: 1, quote: "海港公司的员工每年有25天年假。" }],
      missing: "",
    };
    const { draft, told } = await drafting([saysJson(ANSWER), saysJson(chinese)], CHINESE);
    expect(draft.claims.map((claim) => claim.text)).toEqual(["员工每年有25天年假。"]);
    expect(told).toEqual(["员工每年有25天年假。"]);
  });

  test("that stays in the wrong language is returned with a fault", async () => {
    const { draft, faults } = await drafting([saysJson(ANSWER)], CHINESE);
    expect(draft.claims.length).toBe(2);
    expect(faults.map((fault) => fault.name)).toEqual(["MalformedReplyError"]);
  });

  test("drops unknown sources, and assigns a quote to the source that contains it", async () => {
    const { draft } = await drafting([
      saysJson({
        claims: [
          { text: "Nothing.", source: 7, quote: "made up" },
          { text: "Visitors sign in.", source: 1, quote: "[2.1] Visitors sign in at the front desk." },
        ],
        missing: "",
      }),
    ]);
    expect(draft.claims).toEqual([
      {
        text: "Visitors sign in.",
        citations: [{ evidenceId: "office", quote: "Visitors sign in at the front desk." }],
      },
    ]);
  });

  test("stops with the error of its listener", async () => {
    await using server = await fakeServer(saysJson(ANSWER));
    const { generator } = modelReasoners({ chat: openaiChat({ ...settings, baseURL: server.baseURL }) });
    const listener = () => {
      throw new TypeError("a mistake in the program");
    };
    await expect(generator.generate({ ...ENGLISH, intent: "other" }, meter().call, listener)).rejects.toThrow(
      TypeError,
    );
  });
});

/** Every part of an error that a log might print. */
const describeError = (error: unknown): unknown =>
  error instanceof Error
    ? { ...error, message: error.message, stack: error.stack, cause: describeError(error.cause) }
    : error;
