import { z } from "zod";
import type { Reader } from "./port.js";

export const AReader = z.custom<Reader>(
  (given) => typeof given === "string" && /^(?:everyone$|(?:user|group):.)/s.test(given),
  { error: "must be everyone, user:NAME or group:NAME" },
);
