// Checks any text, and cites it, without a store or a graph: node check.ts
import { cite, onnxEncoder, verify } from "emend";

const sources = [{ title: "Leave policy", text: "Full-time staff have 28 days of paid leave. Unused days lapse in March." }];
const text = "Full-time staff have 28 days of paid leave. Unused days lapse in June.";
const encoder = onnxEncoder();

const { supported, claims } = await verify(text, sources, { tools: { encoder } });
console.log(supported);
for (const claim of claims) console.log(`${claim.verdict}: ${claim.text}`);
console.log((await cite(text, sources, { tools: { encoder } })).text);
await encoder.close();
