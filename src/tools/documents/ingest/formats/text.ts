import { decode, visible } from "../../../../language/decode.js";
import type { Loader } from "./content.js";

export const text: Loader = (bytes) => ({ title: "", reviewedAt: "", format: "text", text: visible(decode(bytes)) });
