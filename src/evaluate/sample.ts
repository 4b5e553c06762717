import { numbers } from "./statistics.js";

/** At most `limit` of the items, chosen by the seed alone and left in their order. Without a limit all of them. */
export function sample<T>(items: readonly T[], limit: number | undefined, seed: number): readonly T[] {
  if (limit === undefined || limit >= items.length) return items;
  const chosen = shuffled(
    items.map((_, index) => index),
    seed,
  ).slice(0, limit);
  return chosen.sort((a, b) => a - b).flatMap((index) => items.slice(index, index + 1));
}

/** The items in an order that depends on the seed alone (Fisher and Yates). */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const next = numbers(seed);
  const rest = [...items];
  const order: T[] = [];
  while (rest.length > 0) order.push(...rest.splice(Math.floor(next() * rest.length), 1));
  return order;
}
