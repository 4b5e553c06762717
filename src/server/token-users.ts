import { loadSettings, type Settings } from "../config.js";
import { NotSignedInError } from "../errors.js";
import { sqlPasses } from "../tools/passes/sql.js";
import { openSignIn } from "../tools/sign-in/sign-in.js";
import { openDatabase } from "../tools/store/open.js";
import type { User } from "../types/user.js";

/**
 * Returns a function that finds the user of an `Authorization` header, for the authentication of a LangGraph server or of
 * your own: by the tokens of the issuer in the settings, and by those of `emend token`, as `emend serve` does. It returns
 * undefined without a token that is valid, and throws if one cannot be checked. Options that are left out are the
 * environment's.
 * @throws UsageError for an invalid value or an unknown option.
 */
export function tokenUsers(
  options: Partial<Pick<Settings, "store" | "url" | "signIn">> = {},
): (authorization: string | null | undefined) => Promise<User | undefined> {
  const { store, url, signIn = {} } = loadSettings(options);
  const { userOf } = openSignIn(signIn, { url, passes: sqlPasses(openDatabase(store)) });
  return async (authorization) => {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
    const nothingElse = { session: "", header: () => [], peer: undefined, isOwn: false };
    return userOf({ token, ...nothingElse }).catch((error: unknown) => {
      if (error instanceof NotSignedInError) return undefined;
      throw error;
    });
  };
}
