import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { babbles, breaksOff, hangs, refuses, type Script, says, saysJson } from "../tools/chat/fake-server.js";

/** One way in which a model behind the OpenAI wire can misbehave. */
export interface Mode {
  /** Answers one request, given the reply of a good model. */
  script: (good: Record<string, unknown>) => Script;
  /** The fault in the log; absent if the reply can be used. */
  fault?: RegExp;
}

/** No reply of the model arrives: faults of the transport or before the text. */
const BROKEN_OFF = /broke off its reply|cannot be reached/;
export const LATE = /did not answer within/;
const UNUSABLE = /could not be used/;

const bad = (script: Script, fault: RegExp): Mode => ({ script: () => script, fault });
const fine = (script: Mode["script"]): Mode => ({ script });

/** Writes to the socket directly, which allows invalid HTTP. */
const raw =
  (text: string, { end = true } = {}): Script =>
  (_request, response) => {
    response.socket?.write(text);
    if (end) response.socket?.end();
  };

const body =
  (content: string | Buffer, headers: Record<string, string> = {}, status = 200): Script =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "text/event-stream", ...headers });
    response.end(content);
  };

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (content: unknown, rest: object = {}, choice: object = {}) =>
  event({ choices: [{ index: 0, delta: { role: "assistant", content, ...rest }, finish_reason: null, ...choice }] });
const DONE = "data: [DONE]\n\n";
const pieces = (text: string, size: number) =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
const streamed = (good: object, size = 40) => pieces(JSON.stringify(good), size).map((piece) => delta(piece));

/** A complete reply with these events before and after it. */
const wrapped = (before: string, after = DONE): Mode => fine((good) => body(before + streamed(good).join("") + after));

/** A good reply with this usage, as JSON. */
const using = (usage: string): Mode =>
  fine((good) => body(`${streamed(good).join("")}data: {"choices":[],"usage":${usage}}\n\n${DONE}`));
const counting = (figure: string) =>
  using(
    `{"prompt_tokens":${figure},"completion_tokens":${figure},"total_tokens":${figure},"prompt_tokens_details":{"cached_tokens":${figure}}}`,
  );

/** Every field of a good reply replaced. */
const fields = (value: unknown): Mode => ({
  script: (good) => saysJson(Object.fromEntries(Object.keys(good).map((key) => [key, value]))),
  fault: UNUSABLE,
});

export const MODES: Readonly<Record<string, Mode>> = {
  // The transport of the reply.
  "resets the connection": bad((_, response) => void response.socket?.resetAndDestroy(), BROKEN_OFF),
  "closes the connection": bad((_, response) => void response.socket?.destroy(), BROKEN_OFF),
  "breaks off in the middle": bad(breaksOff('{"reason": "'), BROKEN_OFF),
  "never answers": bad(hangs, LATE),
  "trickles a byte at a time": bad(async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    while (!response.closed && response.write(":")) await sleep(50);
  }, LATE),
  "answers when nobody waits any more": {
    script: (good) => async (request, response) => {
      await sleep(1500);
      await saysJson(good)(request, response);
    },
    fault: LATE,
  },
  "holds the connection after its reply": {
    script: (good) => (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(streamed(good).join(""));
    },
    fault: LATE,
  },
  "names another content type": fine((good) => body(streamed(good).join("") + DONE, { "content-type": "image/png" })),
  "sends garbage for chunks": bad(
    raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n%%%\r\n0\r\n\r\n"),
    BROKEN_OFF,
  ),
  "speaks no HTTP": bad(raw("SSH-2.0-OpenSSH_9.6\r\n"), BROKEN_OFF),
  "announces more than it sends": bad(raw("HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\ndata: {"), BROKEN_OFF),
  "sends headers without end": bad(raw(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(200_000)}\r\n\r\n`), BROKEN_OFF),
  "cuts its gzip short": {
    script: (good) => {
      const packed = gzipSync(streamed(good).join("") + DONE);
      return body(packed.subarray(0, packed.length / 2), { "content-encoding": "gzip" });
    },
    fault: /broke off its reply|could not be used/,
  },
  "calls plain text gzip": bad(body("data: {}", { "content-encoding": "gzip" }), BROKEN_OFF),
  "says only that it goes on": bad(raw("HTTP/1.1 103 Early Hints\r\n\r\n".repeat(3), { end: false }), LATE),
  "redirects in a circle": bad(
    (_, response) => void response.writeHead(307, { location: "/v1/chat/completions" }).end(),
    BROKEN_OFF,
  ),
  "redirects to nowhere": bad(
    (_, response) => void response.writeHead(307, { location: "http://[" }).end(),
    BROKEN_OFF,
  ),
  "redirects without saying where": bad(
    (_, response) => void response.writeHead(302).end(),
    /refused the request \(302/,
  ),
  "has no content (204)": bad((_, response) => void response.writeHead(204).end(), BROKEN_OFF),
  "has nothing new (304)": bad((_, response) => void response.writeHead(304).end(), /refused the request \(304/),
  "shows a page instead": bad(body("<html><body>Log in</body></html>", { "content-type": "text/html" }), UNUSABLE),
  "sends an empty body": bad(body(""), UNUSABLE),
  "sends one line without end": bad(async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    while (!response.closed) {
      response.write("x".repeat(1_000_000));
      await sleep(1);
    }
  }, /more than \d+ bytes/),
  "says the same for ever": bad(babbles, UNUSABLE),
  // Forms of errors.
  "refuses (400)": bad(refuses(400, "no"), /refused the request \(400/),
  "refuses every format": bad(
    refuses(400, "response_format is not supported"),
    /refused the request|No model call is left/,
  ),
  "wants a key (401)": bad(refuses(401, "who are you?"), /refused the key/),
  "is not there (404)": bad(refuses(404, "no such model"), /is not found/),
  "is asked too much (413)": bad(refuses(413, "too long"), /longer than the context/),
  "is a teapot (418)": bad(refuses(418, "short and stout"), /refused the request \(418/),
  "has its limit reached, come back a while ago": bad(refuses(429, "slow", { "retry-after": "-5" }), /limits the rate/),
  "has its limit reached, come back never": bad(refuses(429, "slow", { "retry-after": "1e308" }), /limits the rate/),
  "has its limit reached, come back in 1800": bad(
    refuses(429, "slow", { "retry-after": "Wed, 01 Jan 1800 00:00:00 GMT" }),
    /limits the rate/,
  ),
  "has its limit reached, come back tomato": bad(refuses(429, "slow", { "retry-after": "tomato" }), /limits the rate/),
  "fails (500)": bad(refuses(500, "oops"), /failed \(500/),
  "fails with a page (502)": bad(
    body("<html>Bad gateway</html>", { "content-type": "text/html" }, 502),
    /failed \(502/,
  ),
  "is busy for a year (503)": bad(refuses(503, "busy", { "retry-after": "31536000" }), /failed \(503/),
  "fails with a status of its own (999)": bad(refuses(999, "?"), /broke off its reply|failed|refused/),
  "explains itself by a number": bad(
    body('{"error": {"message": {"deep": [1]}, "code": 7}}', { "content-type": "application/json" }, 500),
    /failed \(500/,
  ),
  "explains itself at length": bad(refuses(500, "x".repeat(500_000)), /failed \(500/),
  "breaks off with an error event": bad(body(`${delta("{")}${event({ error: { message: "no" } })}`), BROKEN_OFF),
  "breaks off with a named error": bad(body('event: error\ndata: {"message": "gone"}\n\n'), BROKEN_OFF),
  // Text around the reply.
  "sends events that are no JSON": bad(body("data: hello\n\n"), BROKEN_OFF),
  "sends events of nothing": wrapped("data: 7\n\ndata: []\n\n"),
  "sends an event of null": bad(body("data: null\n\n"), BROKEN_OFF),
  "sends events nested 100,000 deep": wrapped(`data: ${"[".repeat(100_000)}${"]".repeat(100_000)}\n\n`),
  "leaves out the choices": bad(body(event({ id: "1" }) + DONE), UNUSABLE),
  "has no choices": bad(body(event({ choices: [] }) + DONE), UNUSABLE),
  "has choices of another kind": bad(body(event({ choices: "none" }) + event({ choices: { 0: 1 } }) + DONE), UNUSABLE),
  "has a choice of null": bad(body(event({ choices: [null] }) + DONE), BROKEN_OFF),
  "has a choice of nothing": wrapped(event({ choices: [{ delta: null }] }) + event({ choices: [{}] })),
  "says null": bad(body(delta(null) + DONE), UNUSABLE),
  "says a number": bad(body(delta(42) + DONE), UNUSABLE),
  "says it in parts": fine((good) => body(delta([{ type: "text", text: JSON.stringify(good) }]) + DONE)),
  "calls a tool instead": bad(
    body(
      delta(null, { tool_calls: [{ index: 0, id: "1", type: "function", function: { name: "f", arguments: "{" } }] }) +
        DONE,
    ),
    UNUSABLE,
  ),
  "refuses in a field of its own": bad(body(delta(null, { refusal: "I cannot help with that." }) + DONE), UNUSABLE),
  "thinks in a field of its own": wrapped(delta("", { reasoning_content: "Hm. ".repeat(1000) })),
  "stops at the length limit": bad(says('{"found": "25', { finish: "length" }), UNUSABLE),
  "stops at a filter": bad(says("", { finish: "content_filter" }), UNUSABLE),
  "stops for a reason of its own": fine((good) =>
    body(delta(JSON.stringify(good), {}, { finish_reason: { why: ["not"] } }) + DONE),
  ),
  "begins with a byte order mark": fine((good) => body(`\ufeff${delta("")}${streamed(good).join("")}${DONE}`)),
  "says itself to be somebody else": fine((good) =>
    body(delta(JSON.stringify(good), { role: "user" }, { index: 7 }) + DONE),
  ),
  "leaves the end out": wrapped("", ""),
  "goes on behind the end": wrapped("", `${DONE}${delta("}}}")}data: nonsense\n\n`),
  "sends a character at a time": fine((good) => body(streamed(good, 1).join("") + DONE)),
  "names its role again and again": wrapped(delta("").repeat(50)),
  "mixes line ends and comments": fine((good) =>
    body(`: hello\r\n\r\nretry: 1\r\n${streamed(good).join("").replaceAll("\n", "\r\n")}${DONE}`),
  ),
  "sends its pieces in another order": {
    script: (good) => body(streamed(good).reverse().join("") + DONE),
    fault: UNUSABLE,
  },
  // The content of the reply.
  "says nothing of use": bad(says("Certainly! Here is what I found."), UNUSABLE),
  "says half of it": bad(says('{"found": "x", "claims": [{"text": "'), UNUSABLE),
  "nests without end": bad(says(`{"claims": ${"[".repeat(30_000)}`), UNUSABLE),
  "nests 100,000 deep": bad(says(`{"claims": ${"[".repeat(100_000)}`), UNUSABLE),
  "says undefined": bad(says("undefined"), UNUSABLE),
  "says a list": bad(says("[1, 2, 3]"), UNUSABLE),
  "never ends to think": bad(says(`<think>${"and then ".repeat(500)}`), UNUSABLE),
  "fences its reply": fine((good) => says(`\`\`\`json\n${JSON.stringify(good)}\n\`\`\``)),
  "says more than was asked": fine((good) => saysJson({ ...good, extra: { deep: [1, 2] }, note: "!" })),
  "says every key twice": fine((good) =>
    says(JSON.stringify(good).replace("{", `{${JSON.stringify(good).slice(1, -1)},`)),
  ),
  "says numbers for everything": fields(7),
  "says lists for everything": fields([[["x"]]]),
  "says objects for everything": fields({ a: { b: 1 } }),
  "says true for everything": fields(true),
  "sets a prototype": fine((good) =>
    says(JSON.stringify(good).replace("{", '{"__proto__": {"claims": 1}, "constructor": 2, ')),
  ),
  "says a megabyte": bad(saysJson({ found: "long ".repeat(200_000) }, { pieces: 100 }), UNUSABLE),
};

/** Replies of the right shape with wrong content: the checks find it, and the log needs no fault. */
export const LIES: Readonly<Record<string, Mode>> = {
  "says an empty object": fine(() => says("{}")),
  "makes ten thousand claims": fine(() =>
    saysJson({ ...EMPTY, claims: Array.from({ length: 10_000 }, () => ({ text: "x", source: 1, quote: "x" })) }),
  ),
  "names sources that do not exist": fine(() =>
    saysJson({
      ...EMPTY,
      states: ["9.9", "0.0", "-1.1", "1e9.3"],
      claims: [-1, 0, 99, 1e308].map((source) => ({ text: "It is 30 days.", source, quote: "30 days" })),
      "-1": { reason: "", verdict: "supported" },
    }),
  ),
  "quotes what no source says": fine(() =>
    saysJson({
      ...EMPTY,
      found: "40 days",
      answerable: "full",
      states: ["1.1"],
      claims: [{ text: "Harbor gives 40 days.", source: 1, quote: "Everybody gets 40 days." }],
    }),
  ),
  "speaks in half characters": fine(() =>
    saysJson({
      ...EMPTY,
      found: "\ud83d",
      states: ["\udc00"],
      claims: [{ text: "\ud83d 25 days \ude00", source: 1, quote: "\udfff25 days" }],
    }),
  ),
  "speaks in nulls and controls": fine(() =>
    saysJson({
      ...EMPTY,
      found: "\u0000",
      claims: [{ text: "25\u0000 days\u001b[31m\u202e", source: 1, quote: "25 \u0000days" }],
    }),
  ),
};

const EMPTY = {
  found: "",
  answerable: "none",
  states: [],
  helps: [],
  missing: "",
  entities: [],
  clarification: "",
  claims: [],
  1: { reason: "", verdict: "unsupported" },
  query: "annual leave",
};

/** Good replies with strange usage figures. */
export const USAGES: Readonly<Record<string, Mode>> = {
  "below nothing": counting("-1"),
  "half a token": counting("1.5"),
  "a word": counting('"12"'),
  "more than there are": counting("1e308"),
  "without end": counting("1e999"),
  "just beyond a whole number": counting("9007199254740993"),
  "not a number": counting('"NaN"'),
  nothing: counting("null"),
  "a list": counting("[1, 2]"),
  "an object": counting('{"prompt_tokens": 3}'),
  true: counting("true"),
  "more cached than sent": using(
    '{"prompt_tokens":1000,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":9000}}',
  ),
  "no object": using("7"),
  "a list of usages": using('[{"prompt_tokens":1}]'),
  "half of it": using('{"completion_tokens":3}'),
};
