import { Hono, type Context as HonoContext } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import type { Agent } from "../agent.js";
import { UsageError } from "../errors.js";
import { Decided, madeQuestions } from "../evaluate/made.js";
import type { Runs } from "../tools/runs/port.js";
import { DAY } from "../tools/runs/sums.js";
import { FailureTag } from "../types/answer.js";
import type { QualityReply } from "../types/run.js";
import { whoAsks } from "./auth.js";
import { addReview, Review } from "./feedback.js";

const Wanted = z.object({ days: z.coerce.number().int().min(1).max(366).default(30), tag: FailureTag.optional() });

interface QualityOptions {
  runs: Runs | undefined;
  /** Hides the questions and refuses reviews: everyone with a token would see the questions of all others. */
  isShared: boolean;
  /** The file of generated questions to go through. */
  questions: string | undefined;
}

/** Shows operators how good recent answers were. Operators are those who may see every document. */
export function quality(agent: Agent, { runs: all, isShared, questions }: QualityOptions): Hono {
  /** Refuses a client within a scope, for whom `toolsFor` returns other tools than the agent's. */
  const refuseScoped = async (c: HonoContext) => {
    if ((await agent.toolsFor(whoAsks(c))) !== agent.tools) throw new HTTPException(403, { message: LIMITED });
  };
  const runsFor = async (c: HonoContext): Promise<Runs> => {
    await refuseScoped(c);
    if (!all) throw new HTTPException(404, { message: "This server shows no records of runs." });
    return all;
  };
  const made = questions === undefined || isShared ? undefined : madeQuestions(questions);
  const madeFor = async (c: HonoContext) => {
    await refuseScoped(c);
    if (!made) throw new HTTPException(404, { message: NOTHING_MADE });
    return made;
  };
  const app = new Hono();
  app.get("/quality", async (c) => {
    const { days, tag } = Wanted.parse(c.req.query());
    const runs = await runsFor(c);
    const since = new Date(Math.floor(Date.now() / DAY - days + 1) * DAY);
    const [sums, failed] = await Promise.all([
      runs.quality(since),
      runs.find({ since, tag, failed: true }, LONGEST_LIST),
    ]);
    const hidden = isShared && { question: "" };
    const reply: QualityReply = {
      ...sums,
      since: since.toISOString().slice(0, 10),
      unanswered: sums.unanswered.map((one) => ({ ...one, ...hidden })),
      failed: failed.map((run) => ({ ...run, ...hidden })),
      hasQuestions: made !== undefined,
    };
    return c.json(reply);
  });
  app.post("/quality/reviews", async (c) => {
    const review = Review.parse(await c.req.json());
    const runs = await runsFor(c);
    if (isShared) throw new UsageError("This server takes no reviews.");
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

const LONGEST_LIST = 50;
const LIMITED = "Only those who may see every document may see how questions were answered.";
const NOTHING_MADE = "This server has no questions to go through. Start it with: emend serve --review questions.jsonl";
