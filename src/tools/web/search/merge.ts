import type { WebResult } from "./port.js";

/** Which addresses may be read: host names, each with all below it ("example.org" covers "docs.example.org"). */
export interface DomainPolicy {
  /** Only these; empty for all. */
  allow: readonly string[];
  deny: readonly string[];
  /** These first. */
  prefer: readonly string[];
}

/**
 * Several result lists as one: pages that stand high in many lists first (reciprocal rank fusion, Cormack et al., SIGIR
 * 2009), each page once, without those that the policy leaves out.
 */
export function mergeResults(lists: readonly (readonly WebResult[])[], policy: DomainPolicy): WebResult[] {
  const merged = new Map<string, { result: WebResult; score: number }>();
  for (const list of lists) {
    const seen = new Set<string>();
    for (const result of list) {
      const key = canonicalUrl(result.url);
      if (key === undefined || seen.has(key) || !mayRead(key, policy)) continue;
      const known = merged.get(key);
      const score = (known?.score ?? 0) + 1 / (RRF + seen.size + 1);
      merged.set(key, { result: known?.result ?? result, score });
      seen.add(key);
    }
  }
  const preferred = (url: string) => (policy.prefer.some((domain) => isWithin(url, domain)) ? 1 : 0);
  return [...merged]
    .toSorted(([a, one], [b, other]) => preferred(b) - preferred(a) || other.score - one.score || (a < b ? -1 : 1))
    .map(([, { result }]) => result);
}

/** The constant of the paper. */
const RRF = 60;

/**
 * One spelling for addresses of the same page: without fragment, tracking parameters, default names of index pages, "www."
 * and a slash at the end; http counts as https. For comparing only, not for fetching. Undefined for what is no address.
 */
export function canonicalUrl(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:") || url.username || url.password) return undefined;
  const kept = [...url.searchParams].filter(([name]) => !TRACKING.test(name)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const query = new URLSearchParams(kept).toString();
  const host = url.host.replace(/^(?:www\.)+/, "").replace(/\.+(?=:|$)/, "");
  const path = url.pathname.replace(/(?:\/+(?:index\.(?:html?|php|aspx?))?)+$/i, "");
  return `https://${host}${path}${query && `?${query}`}`;
}

const TRACKING = /^(?:utm_\w+|gclid|fbclid|msclkid|dclid|yclid|mc_[ce]id|_ga|igshid|spm|ref_src|ref)$/i;

const mayRead = (url: string, { allow, deny }: DomainPolicy) =>
  (allow.length === 0 || allow.some((domain) => isWithin(url, domain))) &&
  !deny.some((domain) => isWithin(url, domain));

const isWithin = (address: string, domain: string) => covers(domain, URL.parse(address)?.hostname);

/** Whether every page of one domain is a page of the other, as a policy reads them. */
export const liesWithin = (domain: string, other: string) => covers(other, hostOf(domain));

function covers(domain: string, host: string | undefined): boolean {
  const name = hostOf(domain);
  return name !== undefined && host !== undefined && (host === name || host.endsWith(`.${name}`));
}

const hostOf = (domain: string) =>
  URL.parse(`https://${domain.trim().replace(/^\*?\./, "")}`)?.hostname.replace(/^(?:www\.)+/, "");
