import type { Fact } from "../tools/knowledge/port.js";
import { predicateWords } from "../tools/knowledge/rank-facts.js";
import { plain } from "./screen.js";

/** Facts for people, a line each, those of one source under its name, with the words they rest on. */
export function factLines(facts: readonly Fact[]): string[] {
  return facts.flatMap((fact) => {
    const others = fact.others.join(fact.others.some((other) => HAN.test(other)) ? "、" : ", ");
    const more = fact.total > fact.others.length ? ` (${fact.total} in all)` : "";
    const relation = predicateWords(fact.predicate);
    const [from, to] = fact.direction === "out" ? [fact.entity, others + more] : [others + more, fact.entity];
    const quotes = [...new Set(fact.source?.quotes.filter((quote) => quote !== "") ?? [])];
    return [
      plain(`${from} -- ${relation} -> ${to}`),
      ...quotes.slice(0, 3).map((quote) => plain(`    "${quote.replace(/\s+/g, " ").slice(0, 200)}"`)),
      ...(fact.source ? [plain(`    ${origin(fact.source)}`)] : []),
    ];
  });
}

const HAN = /\p{Script=Han}/u;

const origin = ({ title, uri, section, reviewedAt }: NonNullable<Fact["source"]>) =>
  [title, section, uri, reviewedAt].filter((part, i, all) => part !== "" && all.indexOf(part) === i).join(" · ");
