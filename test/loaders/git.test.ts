import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { cp, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GitOptions, git } from "../../src/loaders/git.js";
import { makeFolder } from "../../src/tools/store/make-folder.js";
import { connectorContract, listed, textOf, type World } from "./contract.js";
import { type Asked, smallServer } from "./server.js";

const TOKEN = "t0ken-of-ada";
const signal = new AbortController().signal;

/** A repository behind the server program of Git itself, which demands a token. */
interface Hosted extends World {
  address: string;
  /** Its working copy. */
  folder: string;
  connect(options?: Partial<GitOptions>): ReturnType<typeof git>;
  run(...args: string[]): string;
  /** Commits everything, at a time of its own, and pushes it. */
  push(...args: string[]): void;
}

/** A working copy with two commits, and the repository that they were pushed to, which each test copies. */
const template = mkdtempSync(join(tmpdir(), "emend-git-"));
afterAll(() => rm(template, { recursive: true, maxRetries: 5 }));

let time = 1_700_000_000;

/** Runs Git in the working copy below a folder, each time a day later. */
function copyIn(root: string) {
  const folder = join(root, "work");
  const bare = join(root, "team", "handbook.git");
  const run = (...args: string[]) => {
    time += 86_400;
    const date = `${time} +0000`;
    const who = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date, GIT_CONFIG_GLOBAL: "/dev/null" };
    return execFileSync("git", ["-C", folder, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
      env: { ...process.env, ...who },
      stdio: ["ignore", "pipe", "ignore"],
    }).toString();
  };
  const push = (...args: string[]) => {
    run("add", "-A");
    run("commit", "-qm", "more", "--allow-empty");
    run("push", "-q", ...args, bare, "HEAD:main");
  };
  return { folder, bare, run, push };
}

beforeAll(async () => {
  const { folder, bare, push } = copyIn(template);
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", bare]);
  execFileSync("git", ["-C", bare, "config", "uploadpack.allowFilter", "true"]);
  execFileSync("git", ["init", "-q", "-b", "main", folder]);
  await makeFolder(join(folder, "docs"));
  await writeFile(join(folder, "docs", "leave.md"), "Staff have 28 days of leave.");
  await writeFile(join(folder, "docs", "travel.md"), "Travel is second class.");
  await writeFile(join(folder, "README 首页.md"), "The handbook.");
  await writeFile(join(folder, "logo.bin"), "no text");
  await symlink("/etc/passwd", join(folder, "passwd.md"));
  push();
  await writeFile(join(folder, "docs", "travel.md"), "Travel is first class.");
  push();
});

async function hosted(): Promise<Hosted> {
  const root = await mkdtemp(join(tmpdir(), "emend-git-"));
  await cp(template, root, { recursive: true, verbatimSymlinks: true });
  const { folder, run, push } = copyIn(root);
  let token = TOKEN;
  const server = await smallServer((asked, request, response) => {
    const { authorization = "" } = asked.headers;
    if (Buffer.from(authorization.slice(6), "base64").toString() !== `x-access-token:${token}`)
      return { status: 401, headers: { "www-authenticate": 'Basic realm="git"' } };
    return backend(root, asked, request, response);
  });
  const address = `${server.address}/team/handbook.git`;
  return {
    address,
    folder,
    run,
    push,
    connect: (options = {}) => git({ url: address, token: TOKEN, cache: join(root, "cache"), ...options }),
    id: "docs/leave.md",
    secrets: [TOKEN, Buffer.from(`x-access-token:${TOKEN}`).toString("base64")],
    async change() {
      await writeFile(join(folder, "docs", "leave.md"), "Staff have 30 days of leave.");
      push();
    },
    async remove() {
      await rm(join(folder, "docs", "leave.md"));
      push();
    },
    refuse() {
      token = "another";
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(root, { recursive: true, maxRetries: 5 });
    },
  };
}

/** Passes a request to `git http-backend`, as a web server does by CGI. */
async function backend(
  root: string,
  { method, url, headers, bytes }: Asked,
  _: IncomingMessage,
  reply: ServerResponse,
) {
  const env = {
    ...process.env,
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: url.pathname,
    QUERY_STRING: url.search.slice(1),
    REQUEST_METHOD: method,
    GIT_OBJECT_DIRECTORY: undefined,
    HTTP_CONTENT_ENCODING: headers["content-encoding"],
    CONTENT_TYPE: headers["content-type"] ?? "",
    GIT_PROTOCOL: String(headers["git-protocol"] ?? ""),
    REMOTE_ADDR: "127.0.0.1",
  };
  const child = spawn("git", ["http-backend"], { env, stdio: ["pipe", "pipe", "ignore"] });
  // It may refuse before it has read everything.
  child.stdin.on("error", () => {});
  child.stdin.end(bytes);
  const out = Buffer.concat(await Array.fromAsync(child.stdout as AsyncIterable<Buffer>));
  const end = out.indexOf("\r\n\r\n");
  const head = out.subarray(0, end).toString().split("\r\n");
  const status = Number(/\d{3}/.exec(head.find((line) => /^status:/i.test(line)) ?? "")?.[0] ?? 200);
  reply.writeHead(status, Object.fromEntries(head.map((line) => line.split(/: (.*)/s).slice(0, 2))));
  reply.end(out.subarray(end + 4));
  return "written";
}

connectorContract("git", hosted);

describe("a repository", () => {
  let host: Hosted;
  beforeAll(async () => {
    host = await hosted();
  });
  afterAll(() => host[Symbol.asyncDispose]());

  test("lists the files that emend reads, each with its content's hash and the commit that changed it last", async () => {
    const documents = new Map((await listed(host.connect())).map((one) => [one.id, one]));
    expect([...documents.keys()].sort()).toEqual(["README 首页.md", "docs/leave.md", "docs/travel.md"]);
    const [second, first] = host.run("log", "--format=%H").trim().split("\n");
    expect(documents.get("docs/travel.md")).toEqual({
      id: "docs/travel.md",
      version: host.run("rev-parse", "HEAD:docs/travel.md").trim(),
      url: undefined,
      changedAt: host.run("log", "-1", "--format=%cI", second as string).trim(),
      metadata: { repository: host.address, commit: second },
    });
    expect(documents.get("docs/leave.md")?.metadata?.commit).toBe(first);
  });

  test("delivers a file as it is", async () => {
    const [one] = (await listed(host.connect())).filter(({ id }) => id === "docs/travel.md");
    expect(one && (await host.connect().read(one, { signal }))).toEqual({
      name: "travel.md",
      bytes: Buffer.from("Travel is first class."),
    });
  });

  test("can be limited to a folder and to globs", async () => {
    const ids = async (options: Partial<GitOptions>) =>
      (await listed(host.connect(options))).map(({ id }) => id).sort();
    expect(await ids({ path: "./docs/" })).toEqual(["docs/leave.md", "docs/travel.md"]);
    expect(await ids({ include: ["docs/t*", "*.md"] })).toEqual(["README 首页.md", "docs/travel.md"]);
    await expect(ids({ path: "doc" })).rejects.toThrow("has no folder doc. Check `path`.");
  });

  test("of which a branch is missing is an error that names it", async () => {
    await expect(listed(host.connect({ branch: "next" }))).rejects.toThrow("has no branch next. Check `branch`.");
  });
});

test("a file that was added, renamed or deleted, and a history that was rewritten, are seen", async () => {
  await using host = await hosted();
  await listed(host.connect());
  await writeFile(join(host.folder, "docs", "sick.md"), "Call in by nine.");
  await rename(join(host.folder, "docs", "travel.md"), join(host.folder, "docs", "trips.md"));
  host.push();
  const ids = async () => (await listed(host.connect())).map(({ id }) => id).sort();
  expect(await ids()).toEqual(["README 首页.md", "docs/leave.md", "docs/sick.md", "docs/trips.md"]);
  host.run("reset", "-q", "--hard", "HEAD~2");
  await rm(join(host.folder, "README 首页.md"));
  host.push("--force");
  expect(await ids()).toEqual(["docs/leave.md", "docs/travel.md"]);
  expect(await textOf(host.connect(), "docs/travel.md")).toBe("Travel is second class.");
});

test("the date of a file is that of the commit that changed it, also in a merge that resolved a conflict", async () => {
  await using host = await hosted();
  const write = (text: string) => writeFile(join(host.folder, "docs", "leave.md"), text);
  host.run("switch", "-qc", "other");
  await write("Staff have 29 days of leave.");
  host.push();
  host.run("switch", "-q", "main");
  await write("Staff have 31 days of leave.");
  host.push("--force");
  host.run("merge", "-q", "-X", "ours", "--no-commit", "other");
  await write("Staff have 30 days of leave.");
  host.push();
  const [merge] = host.run("log", "--format=%H").trim().split("\n");
  const commits = new Map((await listed(host.connect())).map(({ id, metadata }) => [id, metadata?.commit]));
  expect(commits.get("docs/leave.md")).toBe(merge);
  expect(commits.get("docs/travel.md")).not.toBe(merge);
});

test("variables that Git sets for a hook lead nowhere else", async () => {
  await using host = await hosted();
  const hook = join(host.folder, "..", "hook.git");
  process.env.GIT_OBJECT_DIRECTORY = hook;
  try {
    expect(await listed(host.connect())).toHaveLength(3);
    expect(existsSync(hook)).toBe(false);
  } finally {
    delete process.env.GIT_OBJECT_DIRECTORY;
  }
});

test("a file that is too large, or whose content is in Git LFS, is left out, also by a host that sends everything", async () => {
  await using host = await hosted();
  await writeFile(join(host.folder, "huge.txt"), "x".repeat(20 * 2 ** 20 + 1));
  await writeFile(join(host.folder, "film.pdf"), "version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n");
  host.push();
  for (const filters of ["true", "false"]) {
    execFileSync("git", [
      "-C",
      join(host.folder, "..", "team", "handbook.git"),
      "config",
      "uploadpack.allowFilter",
      filters,
    ]);
    const connector = host.connect({ cache: join(host.folder, "..", `cache-${filters}`) });
    expect((await listed(connector)).map(({ id }) => id).sort()).toEqual([
      "README 首页.md",
      "docs/leave.md",
      "docs/travel.md",
      "film.pdf",
    ]);
    expect(await textOf(connector, "film.pdf")).toBeUndefined();
  }
});

test("a folder is a repository too, and takes no token", async () => {
  await using host = await hosted();
  const cache = join(host.folder, "..", "cache");
  expect(await listed(git({ url: host.folder, cache }))).toHaveLength(3);
  expect(() => host.connect({ url: host.folder })).toThrow("`token` is for repositories by https://");
});

test("the address of a file is that of its page at the commit that changed it, where the host is known", async () => {
  await using host = await hosted();
  const config = join(host.folder, "..", "config");
  const before = process.env.GIT_CONFIG_GLOBAL;
  process.env.GIT_CONFIG_GLOBAL = config;
  const commit = host.run("log", "-1", "--format=%H", "--", "README 首页.md").trim();
  const addresses: (string | undefined)[] = [];
  for (const url of [
    "https://github.com/team/handbook.git",
    "git@gitlab.example.org:team/handbook.git",
    "ssh://git@bitbucket.org:22/team/handbook.git",
    "https://codeberg.org/team/handbook",
    "https://git.example.org/team/handbook.git",
    "https://github.com/team/handbook.wiki.git",
  ]) {
    await writeFile(config, `[url "${join(host.folder, "..", "team", "handbook.git")}"]\ninsteadOf = ${url}\n`);
    const documents = await listed(git({ url, cache: join(host.folder, "..", "cache") }));
    addresses.push(documents.find(({ id }) => id.startsWith("README"))?.url);
  }
  if (before === undefined) delete process.env.GIT_CONFIG_GLOBAL;
  else process.env.GIT_CONFIG_GLOBAL = before;
  const page = `README%20${encodeURIComponent("首页")}.md`;
  expect(addresses).toEqual([
    `https://github.com/team/handbook/blob/${commit}/${page}`,
    `https://gitlab.example.org/team/handbook/-/blob/${commit}/${page}`,
    `https://bitbucket.org/team/handbook/src/${commit}/${page}`,
    `https://codeberg.org/team/handbook/src/commit/${commit}/${page}`,
    undefined,
    "https://github.com/team/handbook/wiki/README%20%E9%A6%96%E9%A1%B5",
  ]);
  const [first] = await listed(host.connect({ page: "https://wiki.example.org/{page}?at={commit}&of={path}" }));
  const stem = first?.id.replace(/\.md$/, "").split("/").map(encodeURIComponent).join("/");
  expect(first?.url).toBe(`https://wiki.example.org/${stem}?at=${first?.metadata?.commit}&of=${stem}.md`);
});

test.each([
  ["ext::sh -c touch% /tmp/x", "must begin with https://"],
  ["--upload-pack=touch /tmp/x", "must begin with https://"],
  ["ssh://-oProxyCommand=x/y", "must begin with https://"],
  ["git://example.org/x", "must begin with https://"],
  ["https://ada:secret@example.org/x", "must not contain a password"],
])("%s is no address of a repository", (url, message) => {
  expect(() => git({ url })).toThrow(message);
});

test("a branch cannot be an option", () => {
  expect(() => git({ url: "https://example.org/x", branch: "--upload-pack=x" })).toThrow(
    "must be the name of a branch",
  );
});
