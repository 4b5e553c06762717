import type { Context, MiddlewareHandler } from "hono";

/**
 * Finds the address for links into the server: its own, or else the one that the request was sent to. The client alone
 * gets these links, and it chose the host itself. What a proxy adds about the host is not trusted, since any client can
 * send it. A server that is mounted in another does not know its own path, so it has no links without an address.
 */
export const withSite =
  ({ url, isMounted }: { url: string | undefined; isMounted: boolean }): MiddlewareHandler =>
  async (c, next) => {
    const { origin } = new URL(c.req.url);
    c.set("site", url ?? (isMounted ? undefined : origin));
    await next();
  };

export const siteOf = (c: Context): string | undefined => c.get("site");
