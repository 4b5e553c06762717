import { z } from "zod";
import { Filter } from "../../types/filter.js";

/** A token of `emend token`: what its holder may see and do. */
const TokenPass = z.object({
  kind: z.literal("token"),
  scope: z.union([z.literal("all"), Filter]),
  mayUpload: z.boolean(),
  isOperator: z.boolean(),
});
export type TokenPass = z.infer<typeof TokenPass>;

/** A session of the page: what a provider said of the user. */
const SessionPass = z.object({
  kind: z.literal("session"),
  /** The provider and the client that it was signed in with, as the settings name them. */
  provider: z.string(),
  /** The issuer, as it names itself. */
  issuer: z.string(),
  claims: z.record(z.string(), z.unknown()),
  /** For signing out at the provider. */
  idToken: z.string(),
});
export type SessionPass = z.infer<typeof SessionPass>;

/** What a secret lets its holder do. */
export const Pass = z.discriminatedUnion("kind", [TokenPass, SessionPass]);
export type Pass = z.infer<typeof Pass>;

/** A token as it is listed. */
export interface ListedToken extends TokenPass {
  name: string;
  /** Milliseconds since 1970; undefined if it has no end. May be over. */
  ends: number | undefined;
  /** The day of the last use, such as 2026-01-31; empty before the first. */
  used: string;
}

/**
 * Secrets that let somebody in, in a store. Only their hashes are kept. Every method throws StoreUnavailableError if the
 * store cannot be read or written.
 */
export interface Passes {
  /**
   * Adds a token. One of the same name that has ended is forgotten.
   * @param ends milliseconds since 1970. Default: never.
   * @throws UsageError if a token of this name is valid.
   */
  addToken(secret: string, name: string, pass: TokenPass, ends?: number): Promise<void>;
  /** Adds a session, and forgets those that have ended. @param ends milliseconds since 1970. */
  addSession(secret: string, pass: SessionPass, ends: number): Promise<void>;
  /** Returns what a secret lets its holder do; undefined if it is unknown or has ended. Notes the day of its use. */
  find(secret: string): Promise<Pass | undefined>;
  /** Returns all tokens by name, also those that have ended. */
  tokens(): Promise<ListedToken[]>;
  /**
   * Ends a token at once. One that has ended is forgotten.
   * @returns false if there is no token of this name.
   */
  revoke(name: string): Promise<boolean>;
  /** Ends a session. Does nothing if it is unknown. */
  endSession(secret: string): Promise<void>;
}
