import { decode, visible } from "../../../../language/decode.js";
import { firstHeading, type Loader } from "./content.js";
import { frontMatter } from "./front-matter.js";

export const markdown: Loader = (bytes) => {
  const whole = visible(decode(bytes));
  const { title, reviewedAt, metadata, bodyStart } = frontMatter(whole);
  const text = whole.slice(bodyStart);
  return { title: title || firstHeading(text), reviewedAt, metadata, format: "markdown", text };
};

export const text: Loader = (bytes) => ({ title: "", reviewedAt: "", format: "text", text: visible(decode(bytes)) });
