import type { ServerResponse } from "node:http";
import { fakeEngine } from "./search-engine.js";

/**
 * A small web on loopback: a search server whose searches find all pages, the pages themselves, and the settings for
 * them. A page may be a function that writes the reply.
 */
export async function smallWeb(pages: Record<string, string | ((response: ServerResponse) => void)>) {
  const { baseURL, requests } = await fakeEngine((request, response) => {
    const pathname = decodeURIComponent(new URL(request.url ?? "", baseURL).pathname);
    const page = pages[pathname];
    if (pathname === "/search") {
      response.writeHead(200, { "content-type": "application/json" });
      const results = Object.keys(pages).map((path) => ({
        url: baseURL + path,
        title: `A page at ${path}`,
        content: "",
      }));
      response.end(JSON.stringify({ results }));
    } else if (typeof page === "function") page(response);
    else {
      response.writeHead(page ? 200 : 404, { "content-type": "text/html; charset=utf-8" });
      response.end(page ? `<!doctype html><title>Bridges</title><main><h1>Bridges</h1><p>${page}</p></main>` : "");
    }
  });
  const asked = (path: string) => requests.filter(({ url }) => new URL(url, baseURL).pathname === path);
  return {
    baseURL,
    settings: {
      EMEND_WEB: "searxng",
      SEARXNG_URL: baseURL,
      EMEND_ALLOW_PRIVATE_HOSTS: new URL(baseURL).host,
    },
    /** The queries, in order. */
    searched: () => asked("/search").map(({ url }) => new URL(url, baseURL).searchParams.get("q")),
    asked,
  };
}
