import { z } from "zod";
import { Decided } from "../evaluate/made.js";
import { Answer } from "../types/answer.js";
import { QualityReply } from "../types/run.js";
import { QuestionBody, Search, TextBody, TextToCheck } from "./api.js";
import { Opinion, Review } from "./feedback.js";
import { Completion } from "./openai.js";
import { ResponseRequest } from "./responses.js";
import { DocumentsReply, ListedDocument, UploadFields } from "./uploads.js";

/** Describes the API in OpenAPI 3.1, from the schemas that read the requests. */
export function description() {
  const paths = Object.fromEntries(
    [...Map.groupBy(OPERATIONS, ({ path }) => path)].map(([path, operations]) => [
      path,
      Object.fromEntries(operations.map(described)),
    ]),
  );
  return {
    openapi: "3.1.0",
    info: { title: "emend", version: "1", description: "Answers from your documents, each sentence checked." },
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
    security: [{ token: [] }, {}],
    paths,
  };
}

/** Returns the method of an operation, and what OpenAPI says of it. */
const described = ({ path, summary, body, form, reply, method = body || form ? "post" : "get" }: Operation) => [
  method,
  {
    summary,
    parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: "path", required: true, schema: ID })),
    ...(body && { requestBody: { required: true, content: json(body) } }),
    ...(form && { requestBody: { required: true, content: { "multipart/form-data": { schema: withFiles(form) } } } }),
    responses: {
      [form ? 202 : 200]: { description: "Done.", ...(reply && { content: json(reply) }) },
      ...((body || form) && {
        400: PROBLEM("What is wrong with the request, in words."),
        429: PROBLEM("Too many requests."),
        503: PROBLEM("A part failed; /api/ask returns the answer that says which, with the status unavailable."),
      }),
    },
  },
];

interface Operation {
  path: string;
  /** Default: POST with a body, else GET. */
  method?: "get" | "post" | "delete";
  summary: string;
  body?: z.ZodType;
  /** The fields of a form with files. */
  form?: z.ZodType;
  reply?: z.ZodType;
}

const OPERATIONS: readonly Operation[] = [
  {
    path: "/api/ask",
    summary: "Answers a question; events as they come, with stream.",
    body: QuestionBody,
    reply: Answer,
  },
  { path: "/api/verify", summary: "Checks a text against sources, sentence by sentence.", body: TextToCheck },
  { path: "/api/cite", summary: "Adds citations of sources to a text.", body: TextBody },
  { path: "/api/search", summary: "Returns the passages that a question finds.", body: Search },
  { path: "/api/threads/{id}", summary: "Returns the questions and answers of a conversation, and what it waits for." },
  { path: "/api/threads/{id}", method: "delete", summary: "Deletes a conversation." },
  { path: "/api/passages/{id}", summary: "Returns a passage that is cited, with `around` passages on either side." },
  {
    path: "/api/pages/{id}",
    summary: "Returns the page of a passage, or `page`, and the boxes of each `quote` on it.",
  },
  { path: "/api/tables/{id}", summary: "Returns 500 rows of a table that a figure rests on, those behind `after`." },
  {
    path: "/api/originals/{id}",
    summary: "Returns the file that a document was made from, or with `page` a picture of that page.",
  },
  {
    path: "/api/rights",
    summary: "Says whether the client may add documents, to `collection` or none, and within which limits.",
  },
  {
    path: "/api/documents",
    summary: "Takes files, which are read later and become documents. `metadata` and `scope` are JSON.",
    form: UploadFields,
    reply: DocumentsReply,
  },
  {
    path: "/api/documents",
    summary: "Lists what is not read or failed, and 100 documents; `next` is the `after` of the next request.",
    reply: DocumentsReply,
  },
  { path: "/api/documents/{id}", summary: "Returns a document, and whether it was read.", reply: ListedDocument },
  { path: "/api/documents/{id}", method: "delete", summary: "Deletes an uploaded document with its file." },
  { path: "/api/collections", summary: "Lists the collections that the client may choose: name, title, description." },
  { path: "/api/examples", summary: "Names some documents and questions on them, those in `language` first." },
  { path: "/api/graph", summary: "Returns the steps and the edges between them." },
  {
    path: "/api/quality",
    summary:
      "Sums up the runs of the last `days` (30), and lists the failed ones; with `tag`, only those that have it.",
    reply: QualityReply,
  },
  {
    path: "/api/quality/reviews",
    summary: "Takes what an operator found in a run that did not go well.",
    body: Review,
  },
  {
    path: "/api/quality/questions",
    summary: "Returns the questions that `emend eval make` wrote into the file of `emend serve --review`.",
  },
  { path: "/api/quality/questions", summary: "Keeps such a question, as it is or edited, or drops it.", body: Decided },
  { path: "/api/feedback", summary: "Takes a reader's opinion of an answer.", body: Opinion },
  { path: "/v1/chat/completions", summary: "Answers as OpenAI's chat completions do.", body: Completion },
  { path: "/v1/responses", summary: "Answers as OpenAI's Responses do.", body: ResponseRequest },
  { path: "/v1/models", summary: "Lists the models: one for all documents, and one for each collection." },
  { path: "/healthz", summary: "Says that the process is alive." },
  { path: "/readyz", summary: "Says whether questions can be answered." },
  { path: "/metrics", summary: "Counts and times, for Prometheus." },
];

const json = (schema: z.ZodType) => ({ "application/json": { schema: z.toJSONSchema(schema, { io: "input" }) } });

const withFiles = (fields: z.ZodType) => {
  const { properties, ...rest } = z.toJSONSchema(fields, { io: "input" });
  const files = { type: "array", items: { type: "string", contentMediaType: "application/octet-stream" } };
  return { ...rest, properties: { files, ...properties } };
};

const ID = { type: "string" };

const PROBLEM = (text: string) => ({ description: text });
