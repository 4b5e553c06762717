import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { fakeRun } from "../../src/testing/runs-contract.js";
import { ended, folder } from "./emend.js";
import { recorded } from "./recorded.js";

/** A server that records what it receives and answers with `status`. */
async function receiver() {
  const got: { path: string; body: Record<string, unknown> }[] = [];
  const state = { got, status: 200 };
  const server = createServer(async (request, response) => {
    got.push({ path: request.url ?? "", body: JSON.parse(await text(request)) });
    response.writeHead(state.status).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, { address, [Symbol.asyncDispose]: async () => void server.close() });
}

const config = (rules: unknown, to: unknown = []) => JSON.stringify({ alerts: { rules, to } });

test("an alert is sent once when answers get worse than usual, and once when they recover", async () => {
  await using hooks = await receiver();
  await using here = await folder({
    "emend.json": config(
      [{ metric: "refused", timesUsual: 2 }],
      [{ slack: `${hooks.address}/slack` }, { webhook: `${hooks.address}/plain` }],
    ),
  });
  await recorded(here.path, 27, 10);
  await recorded(here.path, 3, 10, { status: "refused" });
  expect((await here.run(["alerts"])).stdout).toMatch(
    /^unknown {2}refused above 2 times the usual over 24 h: fewer than 20 cases/,
  );
  await recorded(here.path, 20, 0.5, { status: "refused" });
  expect(await here.run(["alerts"])).toMatchObject({
    code: 1,
    stdout: "raised   refused above 2 times the usual over 24 h: it is 1, the usual is 0.1\n",
    stderr: expect.stringContaining("emend, alert raised: refused above 2 times"),
  });
  expect(hooks.got.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toMatchObject([
    { path: "/plain", body: { alert: "refused above 2 times the usual over 24 h", state: "raised" } },
    { path: "/slack", body: { text: expect.stringContaining("alert raised: refused") } },
  ]);
  expect(await here.run(["alerts"])).toMatchObject({ code: 1, stderr: "" });
  expect(hooks.got).toHaveLength(2);
  await recorded(here.path, 200, 0.1);
  expect(await here.run(["alerts"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^quiet/) });
  expect(hooks.got.slice(2).map(({ body }) => body.state ?? body.text)).toEqual(
    expect.arrayContaining(["resolved", expect.stringContaining("alert resolved")]),
  );
  expect((await here.run(["alerts"])).stderr).toBe("");
});

test("an alert is sent once if several processes check at the same time", async () => {
  await using hooks = await receiver();
  const to = [{ webhook: hooks.address }];
  await using here = await folder({ "emend.json": config([{ metric: "refused", above: 0.5 }], to) });
  await recorded(here.path, 20, 0.1, { status: "refused" });
  const checks = await Promise.all([1, 2].map(() => ended(here.start(["alerts"]))));
  expect(checks.map(({ code }) => code)).toEqual([1, 1]);
  expect(checks.filter(({ stderr }) => stderr.includes("alert raised"))).toHaveLength(1);
  expect(hooks.got).toHaveLength(1);
});

test("an alert is raised if a metric falls below a share of what is usual", async () => {
  await using here = await folder({
    "emend.json": config([
      { metric: "quotedClaims", timesUsual: 0.5 },
      { metric: "runs", timesUsual: 0.5 },
      { metric: "quotedClaims", timesUsual: 0.2 },
    ]),
  });
  const { claims } = fakeRun();
  await recorded(here.path, 280, 10, { claims: { ...claims, drafted: 10, quoted: 9 } });
  await recorded(here.path, 8, 0.5, { claims: { ...claims, drafted: 10, quoted: 4 } });
  expect(await here.run(["alerts"])).toMatchObject({
    code: 1,
    stdout: [
      "raised   quotedClaims below 0.5 times the usual over 24 h: it is 0.4, the usual is 0.9",
      "quiet    runs below 0.5 times the usual over 24 h: it is 8, the usual is 10",
      "quiet    quotedClaims below 0.2 times the usual over 24 h: it is 0.4, the usual is 0.9\n",
    ].join("\n"),
  });
});

test("an alert is raised if sources or models fail, or if questions cost too much", async () => {
  const rules = [{ metric: "faults", above: 0.2 }];
  await using here = await folder({
    "emend.json": config(rules),
    "cost.json": config([{ metric: "cost", above: 0.0001 }]),
  });
  await recorded(here.path, 17, 0.5, { failures: ["NO_RECALL"] });
  await recorded(here.path, 3, 0.5, { failures: ["SOURCE_FAIL", "PROMPT_FAIL"] });
  expect((await here.run(["alerts"])).stdout).toBe("quiet    faults above 0.2 over 24 h: it is 0.15\n");
  await recorded(here.path, 5, 0.5, { failures: ["PROMPT_FAIL"] });
  expect(await here.run(["alerts"])).toMatchObject({
    ...{ code: 1, stdout: "raised   faults above 0.2 over 24 h: it is 0.32\n" },
  });
  // A run has 100 tokens in and 20 out.
  expect((await here.run(["alerts", "--config", "cost.json"], { EMEND_PRICE: "1/2" })).stdout).toBe(
    "raised   cost above 0.0001 over 24 h: it is 0.00014\n",
  );
  expect(await here.run(["alerts", "--config", "cost.json"])).toMatchObject({
    ...{ code: 2, stdout: "", stderr: expect.stringContaining("Set EMEND_PRICE") },
  });
});

test("an alert that reached no destination is sent again, and a test alert reports how many destinations accepted it", async () => {
  await using hooks = await receiver();
  const program = `process.stdin.pipe(fs.createWriteStream("alert.json"))`;
  const to = [{ webhook: hooks.address }, { command: [process.execPath, "-e", program] }];
  await using here = await folder({
    "emend.json": config([{ metric: "seconds", above: 5, least: 3 }], to.slice(0, 1)),
    "both.json": config([{ metric: "runs", below: 1 }], to),
  });
  await recorded(here.path, 3, 0.1, { spend: { ...fakeRun().spend, milliseconds: 9_000 } });
  hooks.status = 500;
  for (const _ of [1, 2])
    expect((await here.run(["alerts"])).stderr).toMatch(
      /alert raised: seconds above 5 over 24 h: it is 9\n.*did not reach destination 1: it answered with status 500/,
    );
  expect(await here.run(["alerts", "test", "--config", "both.json"])).toMatchObject({
    code: 1,
    stdout: "Sent to 1 of 2 destinations.\n",
  });
  expect(JSON.parse(await readFile(join(here.path, "alert.json"), "utf8"))).toMatchObject({ state: "test" });
  hooks.status = 204;
  expect((await here.run(["alerts"])).stderr).not.toContain("did not reach");
  expect((await here.run(["alerts"])).stderr).toBe("");
  expect(hooks.got).toHaveLength(4);
});

test.each([
  ['{"sources": ["docs"]}', 'emend.json has no "alerts". Write one, such as {"alerts": '],
  [config([{ metric: "refused", above: 0.5, below: 0.1 }]), 'alerts.rules[0]: needs one of "above", "below" and'],
  [config([{ metric: "refused", timesUsual: 1 }]), "alerts.rules[0].timesUsual: must be above 1, or a share below 1"],
  [config([{ metric: "tries", above: 1 }]), "alerts.rules[0].metric: "],
  [config([{ metric: "refused", above: 0.5 }], [{ mail: "a@b.org" }]), 'alerts.to[0]: must be {"slack": an address}'],
])("alert settings are refused with the reason: %s", async (text, said) => {
  await using here = await folder({ "emend.json": text });
  expect(await here.run(["alerts"])).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
});
