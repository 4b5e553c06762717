import { decode, visible } from "../../text/decode.js";
import type { Loader } from "./content.js";

export const text: Loader = (bytes) => ({ title: "", reviewedAt: "", format: "text", text: visible(decode(bytes)) });
