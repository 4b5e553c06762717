import { Auth, HTTPException } from "@langchain/langgraph-sdk/auth";
import { createGraph } from "../../../src/graph/build.js";
import { fakePassage, fakeTools } from "../../../src/testing/index.js";

/** A graph whose callers see the documents of their departments. */
export const scoped = createGraph(
  fakeTools({
    passages: [
      fakePassage("hours", "The office opens at eight.", { metadata: { department: "hr" } }),
      fakePassage("password", "The password of the office is swordfish.", { metadata: { department: "board" } }),
    ],
  }),
);

/** The API key is the name of the user. */
export const auth = new Auth().authenticate(async (request) => {
  const department = request.headers.get("authorization");
  if (!department) throw new HTTPException(401, { message: "Who are you?" });
  return {
    identity: department,
    permissions: [],
    is_authenticated: true,
    display_name: department,
    emend_scope: [{ key: "department", values: [department] }],
  };
});
