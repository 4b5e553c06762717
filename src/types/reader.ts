import { z } from "zod";

/** Somebody who may read a document: everybody who has signed in, a user or a group, as the source names it. */
export type Reader = "everyone" | `user:${string}` | `group:${string}`;

export const aReader = z.custom<Reader>(
  (given) => typeof given === "string" && /^(?:everyone|(?:user|group):\S.{0,300})$/u.test(given),
  { error: 'must be "everyone", "user:NAME" or "group:NAME"' },
);
