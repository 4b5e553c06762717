import { Hono, type Context as HonoContext } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import type { Agent } from "../agent.js";
import { UsageError } from "../errors.js";
import { Decided, madeQuestions } from "../evaluate/made.js";
import { timeOf } from "../reading/asked-time.js";
import { expiredAt } from "../reading/holding.js";
import type { Runs } from "../tools/runs/port.js";
import { DAY } from "../tools/runs/sums.js";
import { FailureTag } from "../types/answer.js";
import type { Price } from "../types/price.js";
import type { QualityReply } from "../types/run.js";
import { isOperator, whoAsks } from "./auth.js";
import { addReview, Review } from "./feedback.js";

const Wanted = z.object({ days: z.coerce.number().int().min(1).max(366).default(30), tag: FailureTag.optional() });

interface QualityOptions {
  runs: Runs | undefined;
  price: Price | undefined;
  /**
   * Who sees this: operators, or all who may ask. The questions are hidden and reviews refused if everyone with a token
   * would see the questions of all others, but for operators.
   */
  shownTo: "operators" | "all" | "all without questions";
  /** The file of generated questions to go through. */
  questions: string | undefined;
}

/** Shows operators how good recent answers were. Operators are those who may see every document. */
export function quality(agent: Agent, { runs: all, price, shownTo, questions }: QualityOptions): Hono {
  const seesQuestions = (c: HonoContext) => shownTo === "all" || isOperator(c);
  /** Also refuses a client within a scope, for whom `toolsFor` returns other tools than the agent's. */
  const refuseOthers = async (c: HonoContext) => {
    if (shownTo === "operators" && !isOperator(c)) throw new HTTPException(403, { message: NO_OPERATOR });
    if ((await agent.toolsFor(whoAsks(c))) !== agent.tools) throw new HTTPException(403, { message: LIMITED });
  };
  const runsFor = async (c: HonoContext): Promise<Runs> => {
    await refuseOthers(c);
    if (!all) throw new HTTPException(404, { message: "This server shows no records of runs." });
    return all;
  };
  const made = questions === undefined ? undefined : madeQuestions(questions);
  const madeFor = async (c: HonoContext) => {
    await refuseOthers(c);
    if (!made || !seesQuestions(c)) throw new HTTPException(404, { message: NOTHING_MADE });
    return made;
  };
  const app = new Hono();
  app.get("/quality", async (c) => {
    const { days, tag } = Wanted.parse(c.req.query());
    const runs = await runsFor(c);
    const since = new Date(Math.floor(Date.now() / DAY - days + 1) * DAY);
    const [sums, failed, expired] = await Promise.all([
      runs.quality(since),
      runs.find({ since, tag, failed: true }, MAX_LISTED),
      expiredAt(agent.tools.documents, timeOf(undefined).today),
    ]);
    const hidden = !seesQuestions(c) && { question: "" };
    const reply: QualityReply = {
      ...sums,
      since: since.toISOString().slice(0, 10),
      unanswered: sums.unanswered.map((one) => ({ ...one, ...hidden })),
      failed: failed.map((run) => ({ ...run, ...hidden })),
      expired: { count: expired.length, documents: expired.slice(0, MAX_LISTED) },
      hasQuestions: made !== undefined && seesQuestions(c),
      price: price ?? null,
    };
    return c.json(reply);
  });
  app.post("/quality/reviews", async (c) => {
    const review = Review.parse(await c.req.json());
    const runs = await runsFor(c);
    if (!seesQuestions(c)) throw new UsageError("Reviews need an operator's token.");
    const run = await runs.get(review.run);
    if (!run) throw new HTTPException(404, { message: `There is no run ${review.run}.` });
    await addReview(runs, review, run);
    return c.json({ ok: true });
  });
  app.get("/quality/questions", async (c) => c.json({ questions: await (await madeFor(c)).list() }));
  app.post("/quality/questions", async (c) => {
    const decided = Decided.parse(await c.req.json());
    await (await madeFor(c)).decide(decided);
    return c.json({ ok: true });
  });
  return app;
}

const NO_OPERATOR = "This page is for operators. Close the tab, open the page again, and give an operator's token.";
const MAX_LISTED = 50;
const LIMITED = "Only those who may see every document may see how questions were answered.";
const NOTHING_MADE = "This server has no questions to go through. Start it with: emend serve --review questions.jsonl";
