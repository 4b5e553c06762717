import { describe, expect, test } from "vitest";
import { modelReasoners } from "../../../src/prompting/model-reasoners.js";
import { ENGLISH, meter } from "../../../src/testing/reasoners-sample.js";
import { openaiChat } from "../../../src/tools/chat/chat-openai.js";
import { fakeServer, type Script, type ServerRequest, says } from "./fake-server.js";

const ANSWER = says("Employees of Harbor get 25 days of annual leave [1].");
const evidence = [0, 1, 2, 3, 4].flatMap(() => ENGLISH.evidence).map((piece, i) => ({ ...piece, id: `${i}` }));

const sourcesIn = (request: ServerRequest) => request.messages.at(-1)?.content.match(/^<source \d+>/gm)?.length ?? 0;

/** Asks a model for a draft over ten sources, and returns what it was sent. */
async function drafting(...scripts: Script[]) {
  await using server = await fakeServer(...scripts);
  const { generator } = modelReasoners({ chat: openaiChat({ model: "fake", baseURL: server.baseURL }) });
  const { call, faults } = meter();
  const drafted = generator.generate({ ...ENGLISH, evidence, intent: "other" }, call);
  const claims = await drafted.then(({ claims }) => claims.length).catch((error: Error) => error.message);
  return { claims, faults, requests: server.requests, sources: server.requests.map(sourcesIn) };
}

/** Refuses with this body what has more sources, and answers the rest. */
const upTo =
  (sources: number, status: number, body: unknown): Script =>
  (request, response) => {
    if (sourcesIn(request) <= sources) return ANSWER(request, response);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

/** What servers say to a request that is longer than the context, as their users report it. */
const REFUSALS: readonly (readonly [server: string, status: number, body: unknown])[] = [
  [
    "OpenAI",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
  ],
  [
    "OpenAI, newer",
    400,
    {
      error: {
        message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
        code: "context_length_exceeded",
      },
    },
  ],
  [
    "OpenAI, of the limit of a reasoning model",
    400,
    {
      error: {
        message: "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 282304.",
      },
    },
  ],
  [
    "OpenAI, of a minute's tokens",
    429,
    {
      error: {
        message:
          "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 32411. The input or output tokens must be reduced in order to run successfully.",
      },
    },
  ],
  [
    "vLLM",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=262145)",
        type: "BadRequestError",
        param: "input_tokens",
        code: 400,
      },
    },
  ],
  [
    "vLLM, of the prompt",
    400,
    {
      error: {
        message:
          "The decoder prompt (length 61709) is longer than the maximum model length of 40960. Make sure that `max_model_len` is no smaller than the number of text tokens.",
      },
    },
  ],
  [
    "vLLM, older, without a limit on the reply",
    400,
    { object: "error", message: "max_tokens must be at least 1, got -186.", type: "BadRequestError", code: 400 },
  ],
  [
    "llama.cpp",
    400,
    {
      error: {
        code: 400,
        message: "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 4390,
        n_ctx: 4096,
      },
    },
  ],
  [
    "llama.cpp, while it reads",
    500,
    { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
  ],
  ["llama-cpp-python", 500, { error: { message: "Requested tokens (2285) exceed context window of 2048" } }],
  [
    "LM Studio",
    400,
    {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.",
    },
  ],
  [
    "LM Studio, older",
    400,
    {
      error:
        "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    },
  ],
  ["Ollama", 400, { error: { message: "prompt too long; exceeded max context length by 4021 tokens" } }],
  [
    "TGI",
    422,
    {
      error: "Input validation error: `inputs` must have less than 1024 tokens. Given: 1872",
      error_type: "validation",
    },
  ],
  [
    "Azure",
    400,
    {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 10383 tokens. Please reduce the length of the messages.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
  ],
  [
    "LiteLLM",
    400,
    {
      error: {
        message:
          'litellm.ContextWindowExceededError: AnthropicError - {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209303 tokens > 200000 maximum"}}',
        type: null,
        param: null,
        code: "400",
      },
    },
  ],
  [
    "Mistral",
    400,
    {
      object: "error",
      message: "Prompt contains 65673 tokens, too large for model with 32768 maximum context length",
      type: "invalid_request_prompt",
      param: null,
      code: "3051",
    },
  ],
  [
    "Gemini",
    400,
    [
      {
        error: {
          code: 400,
          message: "The input token count (3475108) exceeds the maximum number of tokens allowed (1048576).",
          status: "INVALID_ARGUMENT",
        },
      },
    ],
  ],
  [
    "SGLang",
    400,
    {
      object: "error",
      message: "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
  ],
  [
    "OpenRouter",
    400,
    { error: { message: "Input length 131393 exceeds the maximum allowed input length of 131040 tokens." } },
  ],
  [
    "DashScope",
    400,
    { error: { message: "Range of input length should be [1, 129024]", code: "invalid_parameter_error" } },
  ],
  ["Groq", 400, { error: { message: "Please reduce the length of the messages or completion." } }],
  ["xAI", 400, { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." }],
  ["Bedrock", 400, { message: "Input is too long for requested model." }],
  ["Kimi", 400, { error: { message: "Your request exceeded model token limit: 262144 (requested: 300000)" } }],
  ["a Chinese gateway", 400, { error: { message: "输入内容超过模型最大上下文长度" } }],
  ["a web server in front", 413, "<html><body>413 Request Entity Too Large</body></html>"],
];

describe("a request that is longer than the context", () => {
  test.each(REFUSALS)("is sent again with half of the sources: %s", async (_, status, body) => {
    const { sources, claims, faults } = await drafting(upTo(5, status, body));
    expect(sources.at(-1)).toBe(5);
    expect(claims).toBe(1);
    expect(faults.map(({ message }) => message)).toEqual([expect.stringContaining("longer than the context")]);
  });

  test("is sent again with a quarter of them if half are too many", async () => {
    const { sources, claims } = await drafting(upTo(3, 400, REFUSALS[0]?.[2]));
    expect(sources).toEqual([10, 5, 3]);
    expect(claims).toBe(1);
  });

  test("is recognised in the middle of a reply", async () => {
    const said = { error: { message: "Context size has been exceeded." } };
    const inStream: Script = (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`event: error\ndata: ${JSON.stringify(said)}\n\n`);
    };
    expect(await drafting(inStream, ANSWER)).toMatchObject({ sources: [10, 5], claims: 1 });
  });
});

test.each([
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 2500. This model's maximum context length is 4096 tokens and your request has 2093 input tokens (2500 > 4096 - 2093).",
  ],
  [
    "This model's maximum context length is 4096 tokens. However, you requested 4593 tokens (2093 in the messages, 2500 in the completion). Please reduce the length of the messages or completion.",
  ],
  ["`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 2093 `inputs` tokens and 2500 `max_new_tokens`"],
])("a request that fits but for the limit on its reply keeps all sources: %s", async (message) => {
  const script: Script = (request, response) => {
    if (!("max_tokens" in request || "max_completion_tokens" in request)) return ANSWER(request, response);
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error: { message } }));
  };
  expect(await drafting(script)).toMatchObject({ sources: [10, 10], claims: 1, faults: [] });
});

test.each([
  [400, { error: { message: "Invalid value for temperature: must be at most 2." } }],
  [400, { error: { message: "Unknown parameter: tools" } }],
  [429, { error: { message: "Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000." } }],
  [500, { error: { message: "CUDA out of memory" } }],
])("a refusal for another reason costs no sources: %s %j", async (status, body) => {
  const { sources, claims } = await drafting(upTo(0, status, body));
  expect(new Set(sources)).toEqual(new Set([10]));
  expect(claims).not.toContain("longer than the context");
});
