import { BlockList, isIP } from "node:net";
import { FetchRefusedError, PageUnavailableError, UsageError } from "../../errors.js";

/** The user agent of requests, unless another is configured. */
export const USER_AGENT = "emend/0.1 (reads pages that a person asks for or about)";

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
    refuse("url", "there is one dot too many in its host's name.");
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

/**
 * Returns why nothing may be fetched from an IP address, or undefined if it is allowed. `inside` is true for an allowed
 * private host, which opens some of the private ranges.
 *
 * Node's own parser reads both this address and the one connected to, so the two cannot differ. Of IPv6, only the
 * public range (2000::/3) is allowed: addresses that embed an IPv4 address are outside it, or listed below.
 */
export function addressRefusal(address: string, inside = false): string | undefined {
  const version = isIP(address);
  if (version === 0) return "not an IP address";
  // A zone names a network interface; only link-local addresses have one.
  if (address.includes("%")) return "a link-local address";
  const family = version === 4 ? "ipv4" : "ipv6";
  const range = RANGES.find((each) => each[family].check(address, family));
  if (range) return inside && range.inside ? undefined : range.what;
  return family === "ipv6" && !PUBLIC_IPV6.check(address, "ipv6") ? "not a public address" : undefined;
}

/** The IANA registries of special-purpose addresses (RFC 6890 and its successors). The first match gives the reason. */
const SPECIAL: readonly { what: string; inside?: boolean; blocks: readonly string[] }[] = [
  {
    what: "where a cloud keeps its machines' credentials",
    // AWS, GCP, Azure and others; AWS containers and pods; Alibaba; Oracle; Azure's agent; AWS and GCP over IPv6.
    blocks: [
      "169.254.169.254/32",
      "169.254.170.2/32",
      "169.254.170.23/32",
      "100.100.100.200/32",
      "192.0.0.192/32",
      "168.63.129.16/32",
      "fd00:ec2::254/128",
      "fd00:ec2::23/128",
      "fd20:ce::254/128",
    ],
  },
  { what: "the unspecified address", blocks: ["0.0.0.0/8", "::/128"] },
  { what: "a loopback address", inside: true, blocks: ["127.0.0.0/8", "::1/128"] },
  { what: "a private address", inside: true, blocks: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"] },
  { what: "an address shared inside a provider's network", inside: true, blocks: ["100.64.0.0/10"] },
  { what: "a link-local address", blocks: ["169.254.0.0/16", "fe80::/10"] },
  { what: "a site-local address", blocks: ["fec0::/10"] },
  { what: "a multicast address", blocks: ["224.0.0.0/4", "ff00::/8"] },
  { what: "the broadcast address", blocks: ["255.255.255.255/32"] },
  {
    what: "an address for documentation",
    blocks: ["192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20"],
  },
  { what: "an address for benchmarks", blocks: ["198.18.0.0/15", "2001:2::/48"] },
  { what: "an IPv4 address in a tunnel (6to4, Teredo)", blocks: ["192.88.99.0/24", "2002::/16", "2001::/32"] },
  { what: "an IPv4 address behind a translator (NAT64)", blocks: ["64:ff9b::/96", "64:ff9b:1::/48"] },
  { what: "an IPv4 address written as IPv6", blocks: ["::ffff:0:0/96", "::ffff:0:0:0/96", "::/96"] },
  {
    what: "a reserved address",
    blocks: ["192.0.0.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", "240.0.0.0/4", "2001::/23"],
  },
  { what: "a reserved address", blocks: ["2620:4f:8000::/48", "5f00::/16", "100::/64", "100:0:0:1::/64"] },
];

/** One list for each IP version, since a BlockList also matches IPv4 addresses against IPv6 blocks, and vice versa. */
const RANGES = SPECIAL.map(({ what, inside = false, blocks }) => ({
  what,
  inside,
  ipv4: listOf(blocks.filter((block) => !block.includes(":"))),
  ipv6: listOf(blocks.filter((block) => block.includes(":"))),
}));
const PUBLIC_IPV6 = listOf(["2000::/3"]);

function listOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [start = "", bits] = block.split("/");
    list.addSubnet(start, Number(bits), start.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}
