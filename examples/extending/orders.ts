// A source of one's own: a table of orders, which is asked when the documents do not answer.
import { DatabaseSync } from "node:sqlite";
import { createAgent } from "emend";
import { asEvidence, type NodeOf } from "emend/graph";
import { z } from "zod";

const database = new DatabaseSync(":memory:");
database.exec("CREATE TABLE orders (id TEXT, shipped TEXT, place TEXT)");
database.exec("INSERT INTO orders VALUES ('A-1001', '2026-03-02', 'Lisbon'), ('A-1002', '2026-03-05', 'Utrecht')");
const find = database.prepare("SELECT id, shipped, place FROM orders WHERE id = ?");

const Order = z.object({ id: z.string(), shipped: z.string(), place: z.string() });
const state = { orders: z.array(Order).default([]) };
const numbers = (question: string) => question.match(/\b[A-Z]-\d{4}\b/g) ?? [];

const askOrders: NodeOf<typeof state> =
  () =>
  ({ question, evidence }) => {
    const orders = numbers(question).flatMap((number) => find.all(number).map((row) => Order.parse(row)));
    const found = orders.map(({ id, shipped, place }) =>
      asEvidence({
        ...{ id: `order:${id}`, title: `Order ${id}`, uri: `https://orders.example/${id}` },
        text: `Order ${id} was shipped to ${place} on ${shipped}.`,
      }),
    );
    return { orders, evidence: [...evidence, ...found] };
  };

const agent = createAgent({
  graph: {
    state,
    rungs: {
      askOrders: {
        node: askOrders,
        label: "ask the order system",
        before: "rewriteQuery",
        helps: ({ question }) => numbers(question).length > 0,
      },
    },
  },
});
const { text, references } = await agent.ask(process.argv.slice(2).join(" "));
console.log(text);
for (const { number, uri } of references) console.log(`[${number}] ${uri}`);
await agent.close();
