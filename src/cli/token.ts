import { UsageError } from "../errors.js";
import type { ListedToken } from "../tools/passes/port.js";
import { sqlPasses } from "../tools/passes/sql.js";
import { newSecret, TOKEN_PREFIX } from "../tools/sign-in/sign-in.js";
import type { Condition } from "../types/filter.js";
import { settingsOf, usingDatabase } from "./open.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, escapedJson, oneLine, warn } from "./screen.js";

/** `emend token add`: makes a token and prints it, alone on stdout. */
export const addTokenCommand: CommandRun = async ([name = ""], options) => {
  const { where, all = false, expires, upload = false, operator = false } = options;
  if (!/^[^\s\p{C}][^\p{C}]{0,99}$/u.test(name)) throw new UsageError("A name has 1 to 100 visible characters.");
  if (!where && !all)
    throw new UsageError("Say what it sees: --where department=hr for some documents, or --all for every one.");
  if (operator && !all) throw new UsageError("--operator needs --all: an operator sees every document.");
  const secret = `${TOKEN_PREFIX}${newSecret()}`;
  const pass = { kind: "token" as const, scope: where ?? ("all" as const), mayUpload: upload, isOperator: operator };
  await using database = usingDatabase(settingsOf(options));
  await sqlPasses(database).addToken(secret, name, pass, expires && Date.now() + expires * DAY);
  process.stdout.write(`${secret}\n`);
  warn("Keep it now: only its hash is stored, so it cannot be printed again.");
  return EXIT.done;
};

/** `emend token list`: lists tokens, also those that have ended. */
export const listTokensCommand: CommandRun = async (_words, options) => {
  await using database = usingDatabase(settingsOf(options));
  const tokens = await sqlPasses(database).tokens();
  if (options.json) {
    const listed = tokens.map(({ kind: _, ends, ...token }) => ({ ...token, ends: ends ? timeOf(ends) : null }));
    process.stdout.write(`${escapedJson({ tokens: listed })}\n`);
  } else if (tokens.length === 0) warn("There are no tokens. Make one with: emend token add <name> --all");
  else process.stdout.write(`${columns(tokens.map((token) => rowOf(token).map(oneLine))).join("\n")}\n`);
  return EXIT.done;
};

/** `emend token revoke`: ends a token. */
export const revokeTokenCommand: CommandRun = async ([name = ""], options) => {
  await using database = usingDatabase(settingsOf(options));
  if (!(await sqlPasses(database).revoke(name)))
    throw new UsageError(`There is no token ${name}. These there are: emend token list`);
  return EXIT.done;
};

const rowOf = ({ name, scope, mayUpload, isOperator, ends, used }: ListedToken): string[] => [
  name,
  scope === "all" ? "all" : scope.map(inWords).join(" "),
  isOperator ? "operator" : mayUpload ? "upload" : "",
  ends === undefined ? "never ends" : `${ends > Date.now() ? "ends" : "ended"} ${timeOf(ends)}`,
  used === "" ? "never used" : `used ${used}`,
];

const inWords = ({ key, values, not }: Condition) => `${key}${not ? "!" : ""}=${values.join(",")}`;

const timeOf = (at: number) => new Date(at).toISOString().slice(0, "2026-01-31T12:00".length);

const DAY = 86_400_000;
