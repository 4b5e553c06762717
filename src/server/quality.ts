import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import type { Agent } from "../agent.js";
import type { Runs } from "../tools/runs/port.js";
import { DAY } from "../tools/runs/sums.js";
import { FailureTag } from "../types/answer.js";
import type { QualityReply } from "../types/run.js";
import { whoAsks } from "./auth.js";

const Wanted = z.object({ days: z.coerce.number().int().min(1).max(366).default(30), tag: FailureTag.optional() });

/**
 * How good the answers of the last days were, for operators: those who may see every document.
 * @param options.isShared leaves the questions out: whoever has a token would read those of all others.
 */
export function quality(agent: Agent, { runs, isShared }: { runs: Runs | undefined; isShared: boolean }): Hono {
  return new Hono().get("/quality", async (c) => {
    const { days, tag } = Wanted.parse(c.req.query());
    // Within a scope, the tools are others than the agent's own. Runs name questions and documents of all scopes.
    if ((await agent.toolsFor(whoAsks(c))) !== agent.tools) throw new HTTPException(403, { message: LIMITED });
    if (!runs) throw new HTTPException(404, { message: "This server shows no records of runs." });
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
}

const LONGEST_LIST = 50;
const LIMITED = "Only those who may see every document may see how questions were answered.";
