import { isIP } from "node:net";
import { FetchRefusedError, UsageError } from "../../errors.js";
import { addressRefusal } from "./addresses.js";

/** The hosts that may be inside a network, as `host:port`, the host as a URL writes it. */
export type AllowedHosts = ReadonlySet<string>;

/**
 * A URL that may be asked, as far as the URL alone tells: the addresses of a name are checked when it is connected to.
 * The host is in its one canonical form (RFC 3490 names, no dot at the end); the fragment is gone.
 * @throws FetchRefusedError saying which rule forbids it.
 */
export function checkedUrl(input: string, allowed: AllowedHosts, base?: URL): URL {
  const refuse = (...[reason, why]: [FetchRefusedError["reason"], string]) => {
    throw new FetchRefusedError(reason, shown(input), why);
  };
  if (input.length > LONGEST) refuse("url", `its address is longer than ${LONGEST} characters.`);
  if (!URL.canParse(input, base?.href))
    refuse("url", "this is not the address of a web page, such as https://example.com/page.");
  const url = new URL(input, base?.href);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    refuse("scheme", `only http and https are, not ${url.protocol.slice(0, 20)}`);
  if (url.username || url.password)
    refuse("credentials", "there is a user name or password in its address. Use the address without them.");

  // Else "intranet." would pass for another host than "intranet", in the list of allowed ones and in the cache.
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

/** @throws FetchRefusedError when nothing may be fetched from an address that the URL's host is or has. */
export function checkAddress(url: URL, address: string, allowed: AllowedHosts): void {
  const what = addressRefusal(address, allowed.has(hostAndPort(url)));
  if (!what) return;
  const mayBeAllowed = addressRefusal(address, true) === undefined;
  const why = `its host has the address ${address}, which is ${what}.${mayBeAllowed ? ` ${ALLOW(hostAndPort(url))}` : ""}`;
  throw new FetchRefusedError("address", shown(url), why);
}

/** @throws UsageError when an entry is not a host with or without a port. */
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

/** The host for a socket: an IPv6 address without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");
export const portOf = (url: URL): number => Number(url.port || (url.protocol === "https:" ? 443 : 80));
export const hostAndPort = (url: URL): string => `${url.hostname}:${portOf(url)}`;

/** An address as errors show it: without what might be a password, without its fragment, and not endless. */
export function shown(address: string | URL): string {
  const url = URL.parse(String(address));
  if (url) Object.assign(url, { username: "", password: "", hash: "" });
  const plain = url?.href ?? String(address).replace(/^.*@/s, "…@").replace(/\p{C}/gu, " ");
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain;
}

const LONGEST = 4_000;
const PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);
const ALLOW = (host: string) => `If it is a host of your own, put ${host} among the allowed private hosts.`;
