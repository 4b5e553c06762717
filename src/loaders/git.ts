import { execFile, spawn } from "node:child_process";
import nodePath from "node:path";
import { promisify } from "node:util";
import picomatch from "picomatch";
import { z } from "zod";
import { environmentWith } from "../config.js";
import { codeOf, UsageError } from "../errors.js";
import { LARGEST_FILE } from "../ingest/bytes.js";
import { isReadable } from "../ingest/formats/registry.js";
import { check, exactly, type OptionsOf } from "../options.js";
import { withoutPassword } from "../text/address.js";
import { digestOf } from "../text/digest.js";
import { makeFolder } from "../tools/store/make-folder.js";
import { inTurns } from "../waiting.js";
import type { Connector, Listed } from "./port.js";

export interface GitOptions {
  /** The address of a repository, by HTTPS or SSH, or a folder here. */
  url: string;
  /** Default: the branch that the repository names as its own. */
  branch?: string;
  /** Only files below this folder. */
  path?: string;
  /** Only files whose path in the repository matches one of these globs, such as `docs/**`. Default: all. */
  include?: readonly string[];
  /** An access token or a password that may read the repository, for HTTPS. */
  token?: string;
  /** The user name that goes with it. Default `x-access-token`, as GitHub, GitLab, Gitea and Forgejo accept it. */
  username?: string;
  /**
   * The web address of a file, where emend does not know the host: with `{path}`, the path in the repository, `{page}`, the
   * same without the extension, and `{commit}`. Known are GitHub, GitLab, Bitbucket, Gitea, Forgejo, and their wikis.
   */
  page?: string;
  /** A folder that keeps what was fetched. Default `.emend/git`. */
  cache?: string;
}

const text = z.string().min(1);
const options = exactly({
  url: text,
  branch: text.regex(/^(?!-)[^\s~^:?*[\\\p{Cc}]+$/u, "must be the name of a branch").optional(),
  path: text.optional(),
  include: z.array(text).optional(),
  token: text.optional(),
  username: text.regex(/^[^:\p{Cc}]+$/u, "must be a user name without a colon").optional(),
  page: text.regex(/^https?:\/\//, "must begin with https:// or http://").optional(),
  cache: text.optional(),
} satisfies OptionsOf<GitOptions>);

/**
 * The files of a Git repository that emend reads, at the newest commit of a branch, by the `git` that is installed. A
 * file's version is the hash of its content. Files of more than 20 MB, links, submodules and files in Git LFS are left out.
 * @throws UsageError for wrong options.
 */
export function git(given: GitOptions): Connector {
  check(options, given);
  const { branch, token, username = "x-access-token", cache = nodePath.join(".emend", "git") } = given;
  const url = addressOf(given.url);
  const where = withoutPassword(url);
  const within = given.path?.replace(/^(?:\.?\/)+|\/+$/g, "");
  const isIncluded = given.include ? picomatch([...given.include], { dot: true }) : () => true;
  const isWanted = (path: string) =>
    isReadable(path) && isIncluded(path) && (!within || path.startsWith(`${within}/`)) && !path.includes("\ufffd");
  const key = digestOf([url, branch]).slice(0, 20);
  /** The newest state, without the contents that are too large; and the commits with the names of what they changed. */
  const [contents, history] = [nodePath.resolve(cache, key, "contents"), nodePath.resolve(cache, key, "history")];
  const { run, env } = program(url, where, token && { username, token });
  const page = given.page ?? pageForm(url);

  async function fetch(folder: string, what: readonly string[], signal: AbortSignal): Promise<string> {
    const leave = await turns(folder, signal);
    try {
      await makeFolder(folder).catch((error: unknown) => {
        throw new UsageError(`${folder} cannot be made (${codeOf(error)}). Set \`cache\` to a folder that can be.`);
      });
      const at = `--git-dir=${folder}`;
      await run([at, "init", "--quiet", "--bare", "--template="], signal);
      const from = branch ? `refs/heads/${branch}` : "HEAD";
      const how = ["--quiet", "--force", "--no-tags", "--no-recurse-submodules", ...what];
      await run([at, "fetch", ...how, "--", url, `+${from}:${TIP}`], signal);
      return (await run([at, "rev-parse", TIP], signal)).toString().trim();
    } finally {
      leave();
    }
  }

  /** The wanted files that are there and not too large: the hash of each content, by path. */
  async function files(signal: AbortSignal): Promise<Map<string, string>> {
    const at = [`--git-dir=${contents}`];
    const tree = (await run([...at, "ls-tree", "-r", "-z", "--full-tree", TIP], signal)).toString().split("\0");
    const found = tree.flatMap((line) => {
      const [, hash, path] = /^100\d{3} blob (\S+)\t(.+)$/s.exec(line) ?? [];
      return hash && path && isWanted(path) ? [[path, hash] as const] : [];
    });
    if (within && !tree.some((line) => line.includes(`\t${within}/`)))
      throw new Error(`The repository at ${where} has no folder ${within}. Check \`path\`.`);
    // A content that was not fetched would be fetched if one asked for its size.
    const all = (await run([...at, "rev-list", "--objects", "--missing=print", "--no-object-names", TIP], signal))
      .toString()
      .split("\n");
    const missing = new Set(all.filter((line) => line.startsWith("?")).map((line) => line.slice(1)));
    const asked = found.filter(([, hash]) => !missing.has(hash));
    const sizes = (await run([...at, "cat-file", "--batch-check=%(objectsize)"], signal, lines(asked)))
      .toString()
      .split("\n");
    return new Map(asked.filter((_, i) => Number(sizes[i]) <= LARGEST_FILE));
  }

  return {
    async *list({ signal }) {
      signal.throwIfAborted();
      // Two repositories, since one that is shallow knows no dates, and one that is not would hold every old content.
      await fetch(contents, ["--depth=1", `--filter=blob:limit=${LARGEST_FILE + 1}`], signal);
      const tip = await fetch(history, ["--filter=blob:none"], signal);
      const left = await files(signal);
      const listed = (path: string, hash: string, change?: Change): Listed => ({
        id: path,
        version: hash,
        url: page && pageAddress(page, path, change?.commit ?? tip),
        changedAt: change?.date,
        metadata: { repository: where, ...(change && { commit: change.commit }) },
      });
      for await (const change of changes(history, env, signal))
        for (const path of change.paths) {
          const hash = left.get(path);
          if (hash && left.delete(path)) yield listed(path, hash, change);
          if (left.size === 0) return;
        }
      for (const [path, hash] of left) yield listed(path, hash);
    },
    async read({ id, version = "" }, { signal }) {
      signal.throwIfAborted();
      if (!/^[0-9a-f]{40,64}$/.test(version)) return undefined;
      const bytes = await run([`--git-dir=${contents}`, "cat-file", "blob", version], signal);
      const isElsewhere = bytes.length < 1_000 && bytes.toString().startsWith("version https://git-lfs.");
      return isElsewhere ? undefined : { name: nodePath.posix.basename(id), bytes };
    },
  };
}

/** Two sources may be parts of the same repository. */
const turns = inTurns();
const TIP = "refs/emend/tip";
const lines = (files: readonly (readonly [path: string, hash: string])[]) =>
  files.map(([, hash]) => `${hash}\n`).join("");

/** @throws UsageError unless it is an address that only fetches, without a password; a folder becomes absolute. */
function addressOf(given: string): string {
  if (/^[\w.-]+@\w[\w.-]*:(?![/-])\S+$/.test(given) && !/^[-.]/.test(given)) return given;
  if (!/:\/\/|::/.test(given) && !given.startsWith("-")) return nodePath.resolve(given);
  const url = URL.parse(given);
  if (!url || !/^(?:https?|ssh|file):$/.test(url.protocol) || /^-|^%2d/i.test(url.hostname) || /^-/.test(url.username))
    throw new UsageError("The address of a repository must begin with https://, ssh:// or git@, or be a folder.");
  if (url.password || (url.username && url.protocol !== "ssh:"))
    throw new UsageError("The address of a repository must not contain a password or token. Give it as `token`.");
  return given;
}

/** Runs `git` without prompts, hooks and other protocols. Secrets are in its environment, not in its arguments. */
function program(url: string, where: string, login: { username: string; token: string } | "" | undefined) {
  const origin = /^https?:/.test(url) ? new URL(url).origin : undefined;
  if (login && !origin) throw new UsageError("`token` is for repositories by https:// only. Remove it.");
  const basic = login ? Buffer.from(`${login.username}:${login.token}`).toString("base64") : "";
  const settings: [name: string, value: string][] = [
    ["core.hooksPath", "/dev/null"],
    ["core.sshCommand", "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=30"],
    ["http.lowSpeedLimit", "1000"],
    ["http.lowSpeedTime", "60"],
    ["gc.autoDetach", "false"],
    ...(login
      ? ([
          [`http.${origin}/.extraHeader`, `Authorization: Basic ${basic}`],
          ["credential.helper", ""],
          // The header would go along.
          ["http.followRedirects", "false"],
        ] as [string, string][])
      : []),
  ];
  const env = environmentWith({
    ...OF_A_REPOSITORY,
    LC_ALL: "C",
    GIT_ALLOW_PROTOCOL: "https:http:ssh:file",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    GCM_INTERACTIVE: "never",
    GIT_NO_LAZY_FETCH: "1",
    GIT_CONFIG_COUNT: `${settings.length}`,
    ...Object.fromEntries(
      settings.flatMap(([name, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, name],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
  });

  /** Returns what it prints. */
  async function run(args: readonly string[], signal: AbortSignal, input?: string): Promise<Buffer> {
    try {
      const running = execFileAsync("git", args, { env, signal, encoding: "buffer", maxBuffer: MOST_PRINTED });
      running.child.stdin?.on("error", () => {});
      running.child.stdin?.end(input);
      return (await running).stdout;
    } catch (error) {
      signal.throwIfAborted();
      if (codeOf(error) === "ENOENT") throw new UsageError("Git is not installed, or not in the PATH. Install it.");
      const printed = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
      throw new Error(`The repository at ${where} ${reason(printed)}`);
    }
  }

  function reason(printed: string): string {
    if (/Authentication failed|could not read (?:Username|Password)|Permission denied|error: 40[13]/.test(printed))
      return "refused the credentials. Check `token` or the SSH key, and that it may read the repository.";
    if (/couldn't find remote ref/.test(printed))
      return branch(printed) ?? "has no commit yet. Add one, or leave the source out.";
    if (/redirect/i.test(printed)) return "has moved, or its address lacks .git at the end. Correct `url`.";
    const [, said = "Git failed"] = /^(?:fatal|error|ERROR): (.+)$/m.exec(printed) ?? [];
    const safe = login ? said.replaceAll(login.token, "…").replaceAll(basic, "…") : said;
    return `could not be fetched: ${safe.slice(0, 200).replace(/[.\s]+$/, "")}. Check \`url\`.`;
  }

  const branch = (printed: string) => {
    const [, name] = /remote ref refs\/heads\/(\S+)/.exec(printed) ?? [];
    return name && `has no branch ${name}. Check \`branch\`.`;
  };

  return { run, env };
}

/** What Git sets for a hook, which may run emend, would lead to the repository of the hook. */
const OF_A_REPOSITORY = Object.fromEntries(
  "ALTERNATE_OBJECT_DIRECTORIES COMMON_DIR CONFIG CONFIG_PARAMETERS DIR INDEX_FILE NAMESPACE OBJECT_DIRECTORY SHALLOW_FILE WORK_TREE"
    .split(" ")
    .map((name) => [`GIT_${name}`, undefined]),
);

const execFileAsync = promisify(execFile);
/** In bytes: the names of a million files. */
const MOST_PRINTED = 256 * 2 ** 20;

interface Change {
  commit: string;
  /** In ISO form. */
  date: string;
  paths: readonly string[];
}

/** The commits, newest first, with the paths that they changed. Who stops reading ends the program. */
async function* changes(folder: string, env: NodeJS.ProcessEnv, signal: AbortSignal): AsyncGenerator<Change> {
  const shown = ["-z", "-c", "--name-only", "--no-renames", "--no-show-signature", "--format=%x01%H%x01%cI"];
  const child = spawn("git", [`--git-dir=${folder}`, "log", ...shown, TIP], {
    env,
    signal,
    stdio: ["ignore", "pipe", "ignore"],
  });
  child.on("error", () => {});
  try {
    let change: (Change & { paths: string[] }) | undefined;
    let rest = "";
    child.stdout.setEncoding("utf8");
    for await (const piece of child.stdout) {
      const parts = `${rest}${piece}`.split("\0");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const [, commit, date] = HEAD.exec(part) ?? [];
        if (!commit || !date) change?.paths.push(part.replace(/^\n/, ""));
        else {
          if (change) yield change;
          change = { commit, date, paths: [] };
        }
      }
    }
    if (change) yield change;
  } finally {
    child.kill();
  }
  signal.throwIfAborted();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: no name of a file looks like it by chance.
const HEAD = /^\x01([0-9a-f]{40,64})\x01(\S+)$/;

/** The address of a file as its host shows it to a person, with its path and commit left open; undefined if it is unknown. */
function pageForm(url: string): string | undefined {
  const [, host, name = ""] =
    /^(?:https?:\/\/|ssh:\/\/(?:[^@/]+@)?|[\w.-]+@)([^/:]+)(?::\d+(?=\/))?[/:](.+?)(?:\.git)?\/?$/.exec(url) ?? [];
  const [, file, wiki] = (host && FORMS.find(([mark]) => mark.test(host))) || [];
  const at = /^https?:/.test(url) ? new URL(url).origin : `https://${host}`;
  const form = name.endsWith(".wiki") ? wiki : file;
  return form && `${at}/${name.replace(/\.wiki$/, "")}${form}`;
}

const FORMS: readonly (readonly [host: RegExp, file: string, wiki?: string])[] = [
  [/github/i, "/blob/{commit}/{path}", "/wiki/{page}"],
  [/gitlab/i, "/-/blob/{commit}/{path}", "/-/wikis/{page}"],
  [/bitbucket\.org$/i, "/src/{commit}/{path}"],
  [/gitea|forgejo|codeberg/i, "/src/commit/{commit}/{path}", "/wiki/{page}"],
];

function pageAddress(form: string, path: string, commit: string): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const parts: Readonly<Record<string, string>> = {
    path: encoded,
    page: encoded.replace(/\.[^./]+$/, ""),
    commit,
  };
  return form.replace(/\{(path|page|commit)\}/g, (_, part: string) => parts[part] ?? "");
}
