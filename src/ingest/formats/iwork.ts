import { unzip } from "./archive.js";
import type { FormatReader } from "./content.js";

export const iwork: FormatReader = async (bytes) => {
  const archive = await unzip(bytes, (name) => /^QuickLook\/Preview\.pdf$|\.iwa$/i.test(name));
  const preview = archive.get("QuickLook/Preview.pdf");
  if (preview) return (await import("./pdf.js")).pdf(preview, "");
  throw new Error("x");
};
