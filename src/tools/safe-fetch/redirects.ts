import { FetchRefusedError, PageUnavailableError } from "../../errors.js";
import { type AllowedHosts, checkedUrl, hostAndPort, shown } from "./policy.js";

/**
 * Where a redirect leads, held to the rules of every URL and a few of its own.
 * @param trail every URL asked so far, the redirecting one last.
 * @param location the header as it came.
 * @throws FetchRefusedError when a rule forbids to follow it.
 * @throws PageUnavailableError when it leads nowhere.
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
    throw new PageUnavailableError("status", shown(from), "it redirects without saying where to.");
  const refuse = (...[reason, why]: [FetchRefusedError["reason"], string]) => {
    throw new FetchRefusedError(reason, shown(first), why);
  };
  if (trail.length > limit) refuse("redirect_limit", `it redirects more than ${limit} times.`);

  const to = leadsTo(from, location, allowed);
  const chain = trail.map(shown).join(" → ");
  if (trail.some((past) => past.href === to.href))
    refuse("redirect_loop", `it redirects in a circle: ${chain} → ${shown(to)}`);
  if (from.protocol === "https:" && to.protocol === "http:")
    refuse("redirect_downgrade", `${shown(from)} redirects from https to http, where anyone on the way can change it.`);
  // Whoever wrote a public page has no business to choose what is read inside.
  if (allowed.has(hostAndPort(to)) && !allowed.has(hostAndPort(from)))
    refuse("redirect_inward", `${shown(from)}, a public page, redirects into a private network, to ${shown(to)}`);
  return to;
}

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

function leadsTo(from: URL, location: string, allowed: AllowedHosts): URL {
  try {
    // Servers write UTF-8 into the header, which Node hands over byte by byte.
    return checkedUrl(Buffer.from(location, "latin1").toString(), allowed, from);
  } catch (error) {
    if (!(error instanceof FetchRefusedError)) throw error;
    throw new FetchRefusedError(error.reason, shown(from), `it redirects to what is not allowed. ${error.message}`, {
      cause: error,
    });
  }
}
