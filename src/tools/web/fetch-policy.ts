import { isIP } from "node:net";
import { FetchRefusedError, PageUnavailableError, UsageError } from "../../errors.js";
import { addressRefusal } from "./addresses.js";

/** How requests name this program, unless told otherwise. */
export const USER_AGENT = "emend/0.1 (reads a page to answer a question that a person asked)";

/** The private hosts that may be fetched from, as `host:port`, the host as in a URL. */
export type AllowedHosts = ReadonlySet<string>;

/**
 * Checks a URL against every rule that needs no name resolution; the addresses of its host are checked on connecting.
 * Returns it with a canonical host (RFC 3490 names, no dot at the end) and without its fragment.
 * @throws FetchRefusedError naming the rule that forbids it.
 */
export function checkedUrl(input: string, allowed: AllowedHosts, base?: URL): URL {
  const refuse = refusalOf(input);
  if (input.length > LONGEST) refuse("url", `its address is longer than ${LONGEST} characters.`);
  if (!URL.canParse(input, base?.href))
    refuse("url", "this is not the address of a web page, such as https://example.com/page.");
  const url = new URL(input, base?.href);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    refuse("scheme", `only http and https are, not ${url.protocol.slice(0, 20)}`);
  if (url.username || url.password)
    refuse("credentials", "there is a user name or password in its address. Use the address without them.");

  // Otherwise "intranet." and "intranet" would be different hosts to the allowlist and to the cache.
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
  if (url.hostname.split(".").some((label) => label === ""))
    refuse("url", "there is a dot too many in its host's name.");
  url.hash = "";

  const inside = allowed.has(hostAndPort(url));
  if (!PORTS.has(portOf(url)) && !inside)
    refuse("port", `web pages are on ports ${[...PORTS].join(", ")}, not ${portOf(url)}. ${ALLOW(hostAndPort(url))}`);
  if (isIP(hostOf(url))) checkAddress(url, hostOf(url), allowed);
  return url;
}

const refusalOf = (url: string | URL) => (reason: FetchRefusedError["reason"], why: string) => {
  throw new FetchRefusedError(reason, printableUrl(url), why);
};

/** @throws FetchRefusedError if nothing may be fetched from this address of the URL's host. */
export function checkAddress(url: URL, address: string, allowed: AllowedHosts): void {
  const what = addressRefusal(address, allowed.has(hostAndPort(url)));
  if (!what) return;
  const mayBeAllowed = addressRefusal(address, true) === undefined;
  const why = `its host has the address ${address}, which is ${what}.${mayBeAllowed ? ` ${ALLOW(hostAndPort(url))}` : ""}`;
  throw new FetchRefusedError("address", printableUrl(url), why);
}

/** Parses a list of hosts, each with or without a port. @throws UsageError if an entry is not a host. */
export function allowedHosts(entries: readonly string[]): AllowedHosts {
  return new Set(
    entries.flatMap((entry) => {
      const [, host = "", port] = /^(.+?)(?::(\d{1,5}))?$/.exec(entry.trim()) ?? [];
      const address = `http://${host}:${port ?? 80}/`;
      const url = URL.canParse(address) && !/[/@?#*\\\s]/.test(host) ? new URL(address) : undefined;
      if (!url) throw new UsageError(`"${entry}" is not a host that can be allowed. ${howToWrite(entry)}`);
      const name = url.hostname.replace(/\.$/, "");
      return (port ? [Number(port)] : [80, 443]).map((each) => `${name}:${each}`);
    }),
  );
}

function howToWrite(entry: string): string {
  if (/%/.test(entry)) return "A zone (%…) belongs to a link-local address, and nothing is fetched from those.";
  return entry.split(":").length > 2 && !entry.includes("[")
    ? "Write an IPv6 address in brackets, as [fd00::1]:8080."
    : "Write it as wiki.example:8080 or [fd00::1]:8080.";
}

/** The host as sockets take it: an IPv6 address without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");
export const portOf = (url: URL): number => Number(url.port || (url.protocol === "https:" ? 443 : 80));
export const hostAndPort = (url: URL): string => `${url.hostname}:${portOf(url)}`;

/** A URL for error messages: without credentials and fragment, and truncated. */
export function printableUrl(address: string | URL): string {
  const url = URL.parse(String(address));
  if (url) Object.assign(url, { username: "", password: "", hash: "" });
  const plain = url?.href ?? String(address).replace(/^.*@/s, "…@").replace(/\p{C}/gu, " ");
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}

const LONGEST = 4_000;
const PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);
const ALLOW = (host: string) =>
  `If it is a host of your own, put ${host} among the allowed private hosts (EMEND_ALLOW_PRIVATE_HOSTS).`;

/**
 * Returns the target of a redirect, after checking it like every URL and against the rules for redirects.
 * @param trail every URL requested so far, the redirecting one last.
 * @param location the raw header.
 * @throws FetchRefusedError if a rule forbids following it.
 * @throws PageUnavailableError if there is no `location`.
 */
export function nextHop(
  trail: readonly URL[],
  location: string | undefined,
  limit: number,
  allowed: AllowedHosts,
): URL {
  const [first, from] = [trail[0], trail.at(-1)];
  if (!first || !from) throw new TypeError("A redirect comes from somewhere.");
  if (location === undefined)
    throw new PageUnavailableError("status", printableUrl(from), "it redirects without saying where to.");
  const refuse = refusalOf(first);
  if (trail.length > limit) refuse("redirect_limit", `it redirects more than ${limit} times.`);

  const to = leadsTo(from, location, allowed);
  const chain = trail.map(printableUrl).join(" → ");
  if (trail.some((past) => past.href === to.href))
    refuse("redirect_loop", `it redirects in a circle: ${chain} → ${printableUrl(to)}`);
  if (from.protocol === "https:" && to.protocol === "http:")
    refuse(
      "redirect_downgrade",
      `${printableUrl(from)} redirects from https to http, where anyone on the way can change it.`,
    );
  // The author of a public page must not choose what is read inside a private network.
  if (allowed.has(hostAndPort(to)) && !allowed.has(hostAndPort(from)))
    refuse(
      "redirect_inward",
      `${printableUrl(from)}, a public page, redirects into a private network, to ${printableUrl(to)}`,
    );
  return to;
}

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

function leadsTo(from: URL, location: string, allowed: AllowedHosts): URL {
  try {
    // Servers send UTF-8 in the header, which Node decodes as Latin-1.
    return checkedUrl(Buffer.from(location, "latin1").toString(), allowed, from);
  } catch (error) {
    if (!(error instanceof FetchRefusedError)) throw error;
    const why = `it redirects to what is not allowed. ${error.message}`;
    throw new FetchRefusedError(error.reason, printableUrl(from), why, { cause: error });
  }
}
