// An answer as data, from `emend serve` with a chat model: node structured.ts http://127.0.0.1:8787/v1 "When does it open?"
import OpenAI from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";

const [baseURL = "", question = ""] = process.argv.slice(2);
const Opening = z.object({ time: z.string().nullable(), closes: z.string().nullable() });
const client = new OpenAI({ baseURL, apiKey: process.env.EMEND_TOKEN ?? "none" });
const { choices } = await client.chat.completions.parse({
  model: "emend",
  messages: [{ role: "user", content: question }],
  response_format: zodResponseFormat(Opening, "opening"),
});
// What no checked claim states is null.
console.log(JSON.stringify(choices[0]?.message.parsed));
