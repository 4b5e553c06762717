import { z } from "zod";
import { requests } from "./requests.js";

/**
 * Asks a token endpoint (OAuth 2.0) for access tokens. Each is used until a minute before it expires.
 * @param options.form the fields of a request.
 * @returns a function that returns the value of the `authorization` header.
 */
export function accessTokens({
  source,
  address,
  form,
}: {
  source: string;
  address: string;
  form: () => Promise<Record<string, string>>;
}): (signal: AbortSignal) => Promise<string> {
  const endpoint = requests({ source, baseURL: address });
  let current: { header: string; until: number } | undefined;
  return async (signal) => {
    if (current && Date.now() < current.until) return current.header;
    const body = new URLSearchParams(await form()).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const reply = await endpoint.reply("", { signal, method: "POST", headers, body });
    const { access_token, expires_in } = reply.as(Token);
    current = { header: `Bearer ${access_token}`, until: Date.now() + (expires_in - 60) * 1000 };
    return current.header;
  };
}

const Token = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number() });
