import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loadSettings } from "../../../src/config.js";
import { UsageError } from "../../../src/errors.js";
import { allowedHosts, checkedUrl } from "../../../src/tools/web/fetch-policy.js";
import { fetchFrom, html, reasonOf, webServer } from "./servers.js";

/** Every form of a private host, as the environment variable gives it. */
const fromEnvironment = (hosts: string) =>
  loadSettings({}, { EMEND_ALLOW_PRIVATE_HOSTS: hosts }).allowPrivateHosts ?? [];

/** The quoted examples of the documentation: in the section on private hosts and in the row of the variable. */
function documented(): string[] {
  const [, section = ""] =
    /### Hosts inside your network\n\n([\s\S]+?)\n\n/.exec(readFileSync("docs/web.md", "utf8")) ?? [];
  const row = readFileSync("README.md", "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `EMEND_ALLOW_PRIVATE_HOSTS`"));
  const quoted = [...`${section}\n${row.join("")}`.matchAll(/`([^`\n]+)`/g)].map(([, words = ""]) => words);
  return quoted.filter((words) => words.includes(":"));
}

test("every form in the documentation is understood, one by one and separated by commas", () => {
  const examples = documented();
  expect(examples).toEqual(expect.arrayContaining(["wiki.corp:8080", "10.1.2.3:443", "[fd00::1]:80"]));
  for (const example of examples) {
    const [allowed = ""] = allowedHosts(fromEnvironment(example));
    expect(allowed, example).toBe(example);
    expect(checkedUrl(`http://${example}/`, allowedHosts(fromEnvironment(example))).hostname).not.toBe("");
  }
  expect(fromEnvironment(` ${examples.join(" , ")} `)).toEqual(examples);
});

test.each([
  ["[fd00::1]:80", ["[fd00::1]:80"]],
  ["[fd00::1]", ["[fd00::1]:80", "[fd00::1]:443"]],
  ["[FD00::1]:8080", ["[fd00::1]:8080"]],
  ["[fd00:0:0:0:0:0:0:1]:8080", ["[fd00::1]:8080"]],
  ["[fd00:0000::0001]:8080", ["[fd00::1]:8080"]],
  ["[fd12:3456:789a:1::abcd]:9200", ["[fd12:3456:789a:1::abcd]:9200"]],
  ["[fd00::80]", ["[fd00::80]:80", "[fd00::80]:443"]],
  ["[fd00::10.0.0.1]:80", ["[fd00::a00:1]:80"]],
  ["[::1]:3000", ["[::1]:3000"]],
  ["[::1]", ["[::1]:80", "[::1]:443"]],
  ["wiki.corp", ["wiki.corp:80", "wiki.corp:443"]],
  ["Wiki.Corp.:8080", ["wiki.corp:8080"]],
  ["10.1.2.3", ["10.1.2.3:80", "10.1.2.3:443"]],
  ["维基.corp:80", ["xn--3jsx02g.corp:80"]],
])("%s allows %j", (entry, hosts) => {
  expect([...allowedHosts(fromEnvironment(entry))]).toEqual(hosts);
});

test.each([
  ["fd00::1", "in brackets"],
  ["::1", "in brackets"],
  ["fd00::1:80", "in brackets"],
  ["[fe80::1%eth0]:80", "zone"],
  ["[fe80::1%25eth0]:80", "zone"],
  ["fe80::1%eth0", "zone"],
  ["[fd00::1", "wiki.example:8080"],
  ["[fd00::1]80", "wiki.example:8080"],
  ["[fd00::1]:", "wiki.example:8080"],
  ["[fd00::1]:99999", "wiki.example:8080"],
  ["[fd00::1]:http", "wiki.example:8080"],
  ["[fd00::g]:80", "wiki.example:8080"],
  ["[wiki.corp]:80", "wiki.example:8080"],
  ["[fd00::1]:80/page", "wiki.example:8080"],
  ["http://[fd00::1]:80", "wiki.example:8080"],
  ["user@[fd00::1]:80", "wiki.example:8080"],
  ["[fd00::1]:80,,wiki.corp", "wiki.example:8080"],
  ["*", "wiki.example:8080"],
])("%s is refused with the name of the variable and the right form", (entry, reason) => {
  expect(() => fromEnvironment(entry)).toThrow(UsageError);
  expect(() => fromEnvironment(entry)).toThrow("EMEND_ALLOW_PRIVATE_HOSTS");
  expect(() => fromEnvironment(entry)).toThrow(reason);
});

describe("a server on [::1]", () => {
  const serve = () => webServer((_, response) => html(response, "the wiki"), "::1");

  test("can be read if it is allowed by its address or by its name in any form", async () => {
    const { url, port } = await serve();
    for (const allowed of [`[::1]:${port}`, `[0:0:0:0:0:0:0:1]:${port}`]) {
      const fetching = fetchFrom([], { allowPrivateHosts: fromEnvironment(allowed) });
      expect(Buffer.from((await fetching.fetch(url)).bytes).toString()).toBe("the wiki");
    }
    const named = fetchFrom([], {
      allowPrivateHosts: fromEnvironment(`wiki.corp:${port}`),
      resolve: async () => ["::1"],
    });
    expect(await reasonOf(named.fetch(`http://wiki.corp:${port}/`))).toBe("fetched");
  });

  test("cannot be read if it is not allowed or is allowed on another port", async () => {
    const { url, port, asked } = await serve();
    for (const allowed of ["[fd00::1]", "[::1]", `[::2]:${port}`, `127.0.0.1:${port}`])
      expect(await reasonOf(fetchFrom([], { allowPrivateHosts: fromEnvironment(allowed) }).fetch(url))).toBe(
        "refused: port",
      );
    expect(asked).toEqual([]);
  });
});
