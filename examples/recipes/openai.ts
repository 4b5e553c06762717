// OpenAI's client against `emend serve`: node openai.ts http://127.0.0.1:8787/v1 "When does the Lisbon office open?"
import OpenAI from "openai";

const [baseURL = "", question = ""] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: process.env.EMEND_TOKEN ?? "none" });
const { choices } = await client.chat.completions.create({
  model: "emend",
  messages: [{ role: "user", content: question }],
});
console.log(choices[0]?.message.content);
