import {
  BudgetSpentError,
  CypherError,
  codeOf,
  FetchRefusedError,
  JudgeBusyError,
  ModelNotTrustedError,
  TableQueryError,
  toError,
  UntrustedTextError,
} from "./errors.js";
import type { Fault } from "./types/fault.js";

/** Describes an error for anyone to read, see `Fault`. Never throws, whatever was thrown. */
export function faultFrom(thrown: unknown, part: string): Fault {
  const error = toError(thrown);
  try {
    const name = error.name === "Error" ? error.constructor.name : error.name;
    const { cause, errors } = error as { cause?: unknown; errors?: readonly unknown[] };
    // A failed connection names its reason only in what caused it.
    const deeper = [error, cause, errors?.[0]].map(codeOf).find((code) => code !== "unknown");
    const said = redacted(`${error.message}`) || deeper || "It gives no reason.";
    const reason = deeper && !said.includes(deeper) ? ` (${redacted(deeper)})` : "";
    return { part, name: NAME.test(name) ? name : "Error", message: said + reason };
  } catch {
    return { part, name: "Error", message: "It gives no reason." };
  }
}

const NAME = /^[\p{L}_$][\p{L}\p{N}_$]{0,60}$/u;

/**
 * True if an error reports no failure of a part: a limit was reached, a rule was applied, or the work was done in another
 * way that is as good.
 */
export const isNote = (error: Error): boolean =>
  error instanceof BudgetSpentError ||
  error instanceof JudgeBusyError ||
  error instanceof ModelNotTrustedError ||
  error instanceof UntrustedTextError ||
  error instanceof FetchRefusedError ||
  error instanceof CypherError ||
  error instanceof TableQueryError;

/**
 * Makes the message of an error fit to be shown to anyone: one line of at most 300 characters, in which “…” stands for
 * file paths, user names, passwords and queries of addresses, e-mail addresses, and whatever looks like a key or follows
 * the name of a secret. In doubt it withholds too much. Linear in the length of the text.
 */
export function redacted(text: string): string {
  const shown = text
    .slice(0, MAX_LENGTH_READ)
    .replace(/\s+/g, " ")
    .replace(SECRET, "$<name>…")
    .replace(QUOTED_PATH, "$<mark>…$<mark>")
    .replace(/[^\s"'`“”‘’<>()，。；：（）]+/gu, wordShown)
    .trim();
  return shown.length > MAX_LENGTH_SHOWN ? `${shown.slice(0, MAX_LENGTH_SHOWN - 2).trimEnd()} …` : shown;
}

const MAX_LENGTH_READ = 4_000;
const MAX_LENGTH_SHOWN = 300;

/** The names of secrets, in settings, headers and queries. What follows is withheld: a quoted text, or a word. */
const SECRET =
  /(?<name>(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|authorization|cookie|api[-_ ]?key|(?<![a-z])[a-z]{1,20}[-_]key|signature|密码|口令|密钥|令牌)["'`]?\s?(?:[:=：]|is\s|provided:)\s?(?:(?:bearer|basic|digest)\s)?|(?:bearer|basic)\s)(?:"[^"]*"|'[^']*'|`[^`]*`|[^\s,;，。；]+)/giu;

/** A path may contain spaces if it is quoted. */
const QUOTED_PATH = /(?<mark>["'`])(?:file:|[a-z]:[\\/]|\\\\|~?\/|\.{1,2}[\\/])[^"'`]*\k<mark>/giu;

function wordShown(word: string): string {
  const address = /^(?<scheme>[a-z][a-z\d+.-]*:\/\/)(?<rest>.*)$/iu.exec(word)?.groups;
  if (address) {
    const { scheme = "", rest = "" } = address;
    if (/^file:/i.test(scheme)) return "…";
    const open = rest.replace(/[?#].*$/u, "");
    const isPlain = !rest.includes("@") && /^[^/:]*(?::\d+)?(?:\/|$)|^\[[a-f\d:]+\]/iu.test(open);
    return isPlain ? scheme + open.split("/").map(partShown).join("/") : `${scheme}…`;
  }
  if (/@./u.test(word) || PATH.test(word)) return "…";
  return word.split("/").map(partShown).join("/");
}

/** A path of the file system: absolute, relative, of Windows, or with several folders. */
const PATH = /^(?:~?\/.|\.{1,2}\/)|^[a-z]:[\\/]|\\|^[^/]+\/[^/]+\/|^[^/]+\/[^/]*\.[a-z]\w*(?::\d+)*$/iu;

/** Keys are long and mix letters with digits; short ones begin with a well-known mark. */
const partShown = (word: string): string =>
  /^(?:sk|pk|rk|hf|gh[a-z]|xox[a-z]|tvly|AKIA|eyJ)[-_A-Z\d]/u.test(word) ||
  (word.length >= 20 &&
    /\d/.test(word) &&
    /[a-z]/i.test(word) &&
    !/^[a-z\d]+(?:[.-][a-z\d]{1,12})+(?::\d+)?$/u.test(word))
    ? "…"
    : word;
