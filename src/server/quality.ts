import { Hono, type Context as HonoContext } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import type { Agent } from "../agent.js";
import { UsageError } from "../errors.js";
import type { Runs } from "../tools/runs/port.js";
import { DAY } from "../tools/runs/sums.js";
import { FailureTag } from "../types/answer.js";
import type { QualityReply } from "../types/run.js";
import { whoAsks } from "./auth.js";
import { addReview, Review } from "./feedback.js";

const Wanted = z.object({ days: z.coerce.number().int().min(1).max(366).default(30), tag: FailureTag.optional() });

interface QualityOptions {
  runs: Runs | undefined;
  /** Hides the questions: everyone with a token would see those of all others. */
  isShared: boolean;
  /** The file that reviews are added to. */
  feedback: string | undefined;
}

/** Shows operators how good recent answers were. Operators are those who may see every document. */
export function quality(agent: Agent, { runs: all, isShared, feedback }: QualityOptions): Hono {
  /**
   * Returns the records, if the client may see them. Within a scope, `toolsFor` returns other tools than the agent's.
   */
  const runsFor = async (c: HonoContext): Promise<Runs> => {
    if ((await agent.toolsFor(whoAsks(c))) !== agent.tools) throw new HTTPException(403, { message: LIMITED });
    if (!all) throw new HTTPException(404, { message: "This server shows no records of runs." });
    return all;
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
    };
    return c.json(reply);
  });
  app.post("/quality/reviews", async (c) => {
    const review = Review.parse(await c.req.json());
    const runs = await runsFor(c);
    if (feedback === undefined || isShared) throw new UsageError("This server takes no reviews.");
    const run = await runs.get(review.run);
    if (!run) throw new HTTPException(404, { message: `There is no run ${review.run}.` });
    await addReview(feedback, review, run);
    return c.json({ ok: true });
  });
  return app;
}

const LONGEST_LIST = 50;
const LIMITED = "Only those who may see every document may see how questions were answered.";
