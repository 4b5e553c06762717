import type { WebResult } from "./port.js";

/** Rules for domains. Each domain includes its subdomains: "example.org" covers "docs.example.org". */
export interface DomainPolicy {
  /** The only domains allowed; empty allows all. */
  allow: readonly string[];
  deny: readonly string[];
  /** Domains ranked before all others. */
  prefer: readonly string[];
}

/**
 * Merges ranked lists by reciprocal rank fusion (Cormack et al., SIGIR 2009). Each page appears once, and pages that
 * the policy excludes are left out.
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

/** The constant k of the paper. */
const RRF = 60;

/**
 * Normalises the URL of a page for comparison, not for fetching: as https, without fragment, tracking parameters, names
 * of index pages, "www." and trailing slashes. Undefined unless it is a web address.
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

/** True if a domain is the other one or a subdomain of it. */
export const liesWithin = (domain: string, other: string) => covers(other, bareHostOf(domain));

function covers(domain: string, host: string | undefined): boolean {
  const name = bareHostOf(domain);
  return name !== undefined && host !== undefined && (host === name || host.endsWith(`.${name}`));
}

const bareHostOf = (domain: string) =>
  URL.parse(`https://${domain.trim().replace(/^\*?\./, "")}`)?.hostname.replace(/^(?:www\.)+/, "");
