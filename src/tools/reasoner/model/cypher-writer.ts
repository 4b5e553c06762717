import { z } from "zod";
import { CypherError } from "../../../errors.js";
import type { Call, CypherTask, CypherWriter } from "../port.js";
import { ask } from "./ask.js";
import type { Chat } from "./chat.js";
import { fitToSchema } from "./cypher-fit.js";
import { withParameters } from "./cypher-literals.js";
import { cypherPrompt } from "./cypher-prompt.js";
import { words } from "./schema.js";

/**
 * Writes a query by one call to a model, at most two. The model writes values into the query, as models do best; code
 * takes them out as parameters. A query is held against the schema before it is run: what the graph does not have is
 * told to the model once, with what it has instead; where it insists, the graph cannot hold the answer. A query that has
 * failed is not run again.
 */
export function modelCypherWriter(chat: Chat): CypherWriter {
  async function asked(task: CypherTask, call: Call) {
    const reply = await ask(chat, { name: "cypher", prompt: cypherPrompt(task), schema: Reply }, call);
    const query = fitted(reply.cypher, task);
    if (query && query.complaint !== "") call.fault(new CypherError(query.complaint, true));
    return query;
  }

  return {
    async write(task, call) {
      const names = task.entities.map(({ name }) => name);
      let query = await asked(task, call);
      // Once for a question: after a query that was run, the graph itself is who complains.
      if (query?.complaint && task.tried.length === 0 && call.calls > 0)
        query = await asked({ ...task, tried: [{ cypher: query.cypher, error: query.complaint }] }, call);
      if (query?.complaint !== "") return undefined;
      const written = withParameters(query.cypher, names);
      if (!task.tried.some(({ cypher }) => cypher === written.cypher)) return written;
      call.fault(new CypherError("The query that failed was written again.", false));
      return undefined;
    },
  };
}

const Reply = z.object({ cypher: words(800) });

/** Undefined where the model says that there is no query. */
function fitted(reply: string, { schema }: CypherTask) {
  const cypher = reply
    .replace(/^\s*```\w*|```\s*$/g, "")
    .replace(/[\s;]+$/, "")
    .trim();
  return /^(?:none)?\W*$/i.test(cypher) ? undefined : fitToSchema(cypher, schema);
}
