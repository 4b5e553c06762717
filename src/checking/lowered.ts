import { toError } from "../errors.js";
import type { Checker, Task } from "../tools/models/port.js";
import { type CheckedClaim, holds } from "../types/answer.js";
import type { Call } from "../types/call.js";
import { isTimeUp } from "../waiting.js";

/**
 * Asks a model about the claims that are only likely. It may find that one does not hold; that one does, it cannot add to
 * what code and the encoder say. If it fails, which `call.fault` reports, the claims stay as they are.
 */
export async function lowered(
  claims: readonly CheckedClaim[],
  task: Task,
  checker: Checker,
  call: Call,
): Promise<CheckedClaim[]> {
  const likely = claims.filter(({ verdict }) => verdict === "likely");
  if (likely.length === 0) return [...claims];
  try {
    const drafted = likely.map(({ text, quotes }) => ({ text, citations: quotes }));
    const judged = await checker.check({ ...task, claims: drafted }, call);
    const said = new Map(likely.map((claim, i) => [claim, judged[i]]));
    return claims.map((claim) => {
      const { verdict, reason } = said.get(claim) ?? claim;
      return holds({ verdict }) ? claim : { ...claim, verdict, reason, settledBy: "checker" };
    });
  } catch (error) {
    if (!isTimeUp(call.signal)) call.signal.throwIfAborted();
    call.fault(toError(error));
    return [...claims];
  }
}
