import { join } from "node:path";
import type { Settings } from "../../config.js";
import type { SafeFetchOptions } from "../safe-fetch/port.js";
import { USER_AGENT } from "../safe-fetch/safe-fetch.js";

/** How pages are fetched, as the settings have it. */
export const fetchOptions = ({ allowPrivateHosts, robots, contact }: Settings): SafeFetchOptions => ({
  ...(allowPrivateHosts && { allowPrivateHosts }),
  ...(robots !== undefined && { robots }),
  ...(contact && { userAgent: USER_AGENT.replace("(", () => `(${contact}; `) }),
});

/** Where pages that were read are kept: beside the documents, in a folder that may be deleted at any time. */
export const pagesKept = ({ store, pageCache = 100 }: Settings): SafeFetchOptions =>
  pageCache === 0 ? {} : { cache: { folder: join(store, "pages"), bytes: pageCache * 1_000_000 } };
