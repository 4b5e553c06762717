import { describe, expect, test } from "vitest";
import { localEntailment } from "../../../src/tools/entailment/local.js";
import { readScore } from "../../../src/tools/entailment/port.js";
import { entailmentContract } from "../../contract/entailment.js";

entailmentContract("the local form", async () => localEntailment());

const scored = async (claim: string, ...sources: string[]) => {
  const [score = -1] = await localEntailment().score([{ claim, sources }]);
  return score;
};

const ENGLISH = `The Harbour Museum was founded in 1874 by Clara Whitfield. It holds about 12,000 objects, among them the
largest collection of ship models in the country. In 2019 the museum received 85,000 visitors. The east wing was closed
after a fire in March 2021 and has not been reopened. Admission is free for residents of Port Ellery on Sundays.`;
const CHINESE = `海港博物馆由林克礼于1874年创立。馆内收藏约12000件物品，其中包括全国最大的船模收藏。2019年，博物馆接待了85000名
参观者。东翼在2021年3月的火灾后关闭，至今没有重新开放。每逢星期日，爱乐港的居民可以免费参观。`;

describe.each([
  {
    language: "English",
    source: ENGLISH,
    said: "The Harbour Museum was founded in 1874 by Clara Whitfield and received 85,000 visitors in 2019.",
    wrong: {
      "another year": "The Harbour Museum was founded in 1879 by Clara Whitfield and received 85,000 visitors in 2019.",
      "another name": "The Harbour Museum was founded in 1874 by Thomas Redgrave and received 85,000 visitors in 2019.",
      "a denial": "The Harbour Museum was not founded in 1874 by Clara Whitfield and received 85,000 visitors in 2019.",
      "an addition":
        "The Harbour Museum was founded in 1874 by Clara Whitfield, whose brother had made a fortune in copper mining.",
      "another matter": "The aquarium in Lisbon keeps sharks, penguins and sea otters.",
    },
  },
  {
    language: "Chinese",
    source: CHINESE,
    said: "海港博物馆由林克礼于1874年创立，2019年接待了85000名参观者。",
    wrong: {
      "another year": "海港博物馆由林克礼于1879年创立，2019年接待了85000名参观者。",
      // Another person's name in a claim that is right otherwise is not told from other words for the same in Chinese.
      "a denial": "海港博物馆不是由林克礼于1874年创立，2019年接待了85000名参观者。",
      "an addition": "海港博物馆由林克礼于1874年创立，他的兄弟靠开采铜矿发了大财。",
      "another matter": "里斯本的水族馆饲养鲨鱼、企鹅和海獭。",
    },
  },
])("in $language", ({ source, said, wrong }) => {
  test("accepts what the source says in its own words", async () => {
    expect(await scored(said, source)).toBeGreaterThan(localEntailment().thresholds.decideAt);
  });

  test.each(Object.entries(wrong))("scores %s below it", async (_, claim) => {
    expect(await scored(claim, source)).toBeLessThan((await scored(said, source)) - 0.05);
  });

  test("takes several sources together", async () => {
    const [first = "", ...rest] = source.split(/(?<=[.。])\s*(?=In 2019|2019年)/);
    expect(await scored(said, first, ...rest)).toBeGreaterThan(await scored(said, first));
  });

  test("does not take what is about something else for supported", async () => {
    const score = await scored(wrong["another matter"], source);
    expect(score).toBeLessThan(localEntailment().thresholds.decideAt);
    expect(readScore(score, localEntailment().thresholds)).not.toBe("supported");
  });
});

test("reads its sources whole: what stands at the end of a long one counts", async () => {
  const long = `${"The canteen serves soup and bread on weekdays. ".repeat(400)}${ENGLISH}`;
  expect(await scored("The Harbour Museum was founded in 1874 by Clara Whitfield.", long)).toBeGreaterThan(0.5);
});

test("lets others have their turn between claims, and stops among them", async () => {
  const stop = new AbortController();
  const pairs = Array.from({ length: 200 }, (_, i) => ({ claim: `The museum has ${i} rooms.`, sources: [ENGLISH] }));
  const scores = localEntailment().score(pairs, { signal: stop.signal });
  setImmediate(() => stop.abort(new Error("the user left")));
  await expect(scores).rejects.toThrow("the user left");
});
