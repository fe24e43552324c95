// Changes of whole documents, and documents that say the same.
import type { Document } from "../house.ts";
import {
  api,
  bar,
  cat,
  components,
  content,
  document,
  dog,
  get,
  integer,
  json,
  limit,
  list,
  map,
  number,
  object,
  old,
  type Part,
  places,
  post,
  ref,
  type Schema,
  string,
  tree,
} from "./parts.ts";

const required = { required: true };
const withSchemas = { components: { schemas: components } };
const pet = { ...object({ kind: string }), discriminator: { propertyName: "kind" } };
const noSchemes = { components: { securitySchemes: {} } };
const schemes = {
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      token: { type: "http", scheme: "bearer" },
    },
  },
};

/** A document with a scheme of OAuth 2 and its flows. */
function getWithFlows(flows: Part): Document {
  const oauth = { type: "oauth2", flows };
  return get({ security: [{ oauth: ["read"] }] }, { components: { securitySchemes: { oauth } } });
}

/** An operation for these callers. */
function letting(...access: Part[]): Part {
  return { "x-relata": { access } };
}

/** A component as every answer and the request of one resource embed it. */
function embedding(bar: Schema): Document {
  const answer = (schema: Schema) => ({ 200: content(schema) });
  return api({
    "/foos": {
      get: { responses: answer(list(ref("Foo"))) },
      post: { requestBody: content(ref("FooWrite")), responses: answer(ref("Foo")) },
    },
    "/foos/{foo_id}": { get: { responses: answer(ref("Foo")) } },
    "/bars": { post: { requestBody: content(ref("Bar")), responses: { 204: {} } } },
  }, {
    components: {
      schemas: { Bar: bar, Foo: object({ bar: ref("Bar") }), FooWrite: object({ bar: integer }) },
    },
  });
}

/** Documents, what changes from the one to the other, and what changes back if not the same. */
export const documentChanges: Record<
  string,
  [before: Document, after: Document, there: string[], back?: string[]]
> = {
  "a path is added": [
    api({}),
    api({ "/foos/{id}": { get: {} } }),
    ["compatible: request path-added at /foos/{}"],
    ["breaking: request path-removed at /foos/{}"],
  ],
  "a path is renamed": [
    api({ "/foos": { get: {} } }),
    api({ "/foos/": { get: {} } }),
    ["breaking: request path-removed at /foos", "compatible: request path-added at /foos/"],
    ["breaking: request path-removed at /foos/", "compatible: request path-added at /foos"],
  ],
  "a method is added": [
    api({ "/foos": { get: {} } }),
    api({ "/foos": { get: {}, delete: {} } }),
    ["compatible: request method-added at DELETE /foos"],
    ["breaking: request method-removed at DELETE /foos"],
  ],
  "a path parameter is renamed": [
    api({ "/foos/{id}": { get: { parameters: [inPath("id", integer)] } } }),
    api({ "/foos/{foo_id}": { parameters: [inPath("foo_id", integer)], get: {} } }),
    ["compatible: request path-parameter-renamed at GET /foos/{}"],
  ],
  "a path parameter is renamed and its type widened": [
    api({ "/foos/{id}": { get: { parameters: [inPath("id", integer)] } } }),
    api({ "/foos/{foo}": { get: { parameters: [inPath("foo", number)] } } }),
    [
      "compatible: request path-parameter-renamed at GET /foos/{}",
      "compatible: request type-widened at GET /foos/{} path parameter 1",
    ],
    [
      "breaking: request type-narrowed at GET /foos/{} path parameter 1",
      "compatible: request path-parameter-renamed at GET /foos/{}",
    ],
  ],
  "an operation is renamed": [
    get({ operationId: "listFoos" }),
    get({ operationId: "foosList" }),
    ["compatible: request operation-renamed at GET /foos"],
  ],
  "an operation is deprecated": [
    get({}),
    get({ deprecated: true }),
    ["compatible: request deprecated at GET /foos"],
    [],
  ],
  "a member is deprecated": [
    document("response", object({ a: string })),
    document("response", object({ a: { ...string, deprecated: true } })),
    [`compatible: response deprecated at ${places.response} /a`],
    [],
  ],
  "the servers change": [
    get({}, { servers: [{ url: "https://a.example" }] }),
    get({ servers: [{ url: "https://b.example" }] }),
    [
      "compatible: request servers-changed at GET /foos",
      "compatible: request servers-changed at servers",
    ],
  ],
  "a token is asked for": [
    get({}, schemes),
    get({ security: [{ token: [] }] }, schemes),
    ["breaking: request security-tightened at GET /foos"],
    ["compatible: request security-loosened at GET /foos"],
  ],
  "a second scheme is asked for, everywhere": [
    get({}, { ...schemes, security: [{ token: [] }] }),
    get({}, { ...schemes, security: [{ token: [], key: [] }] }),
    ["breaking: request security-tightened at GET /foos"],
    ["compatible: request security-loosened at GET /foos"],
  ],
  "a second scheme suffices": [
    get({ security: [{ token: [] }] }, schemes),
    get({ security: [{ key: [] }, { token: [] }] }, schemes),
    ["compatible: request security-loosened at GET /foos"],
    ["breaking: request security-tightened at GET /foos"],
  ],
  "a scope is asked for": [
    get({ security: [{ token: ["read"] }] }, schemes),
    get({ security: [{ token: ["read", "write"] }] }, schemes),
    ["breaking: request security-tightened at GET /foos"],
    ["compatible: request security-loosened at GET /foos"],
  ],
  "a role is asked for": [
    get({}),
    get(letting({ who: "role", role: "editor" })),
    ["breaking: request access-tightened at GET /foos"],
    ["compatible: request access-loosened at GET /foos"],
  ],
  "some rows are no longer for those who sign in": [
    get(letting({ who: "anyone", narrowed: true }, { who: "authenticated", narrowed: true })),
    get(letting({ who: "anyone", narrowed: true })),
    ["breaking: request access-tightened at GET /foos"],
    ["compatible: request access-loosened at GET /foos"],
  ],
  "a role suffices for fewer rows": [
    get(letting({ who: "role", role: "editor" })),
    get(letting({ who: "role", role: "editor", narrowed: true })),
    ["breaking: request access-tightened at GET /foos"],
    ["compatible: request access-loosened at GET /foos"],
  ],
  "another role is asked for": [
    get(letting({ who: "role", role: "editor" })),
    get(letting({ who: "role", role: "admin" })),
    [
      "breaking: request access-tightened at GET /foos",
      "compatible: request access-loosened at GET /foos",
    ],
  ],
  "no role is asked for any more": [
    get(letting({ who: "role", role: "editor" }, { who: "role", role: "admin", narrowed: true })),
    get(letting({ who: "authenticated" })),
    ["compatible: request access-loosened at GET /foos"],
    ["breaking: request access-tightened at GET /foos"],
  ],
  "tokens are given out elsewhere": [
    getWithFlows({ clientCredentials: { tokenUrl: "/token" } }),
    getWithFlows({ clientCredentials: { tokenUrl: "/tokens" } }),
    ["breaking: request not-judged at GET /foos"],
  ],
  "a security scheme is renamed": [
    get({ security: [{ token: [] }] }, schemes),
    get({ security: [{ Token: [] }] }, {
      components: { securitySchemes: { Token: schemes.components.securitySchemes.token } },
    }),
    [
      "breaking: request security-tightened at GET /foos",
      "compatible: request security-loosened at GET /foos",
    ],
  ],

  "an optional query parameter is added": [
    get({}),
    get({ parameters: [limit] }),
    ["compatible: request optional-parameter-added at GET /foos query parameter limit"],
    ["breaking: request parameter-removed at GET /foos query parameter limit"],
  ],
  "a required header is asked for": [
    get({}),
    get({ parameters: [{ ...limit, in: "header", name: "X-Limit", required: true }] }),
    ["breaking: request required-parameter-added at GET /foos header parameter x-limit"],
    ["breaking: request parameter-removed at GET /foos header parameter x-limit"],
  ],
  "a cookie becomes required": [
    get({ parameters: [{ ...limit, in: "cookie" }] }),
    get({ parameters: [{ ...limit, in: "cookie", required: true }] }),
    ["breaking: request parameter-became-required at GET /foos cookie parameter limit"],
    ["compatible: request parameter-became-optional at GET /foos cookie parameter limit"],
  ],
  "a parameter is renamed": [
    get({ parameters: [limit] }),
    get({ parameters: [{ ...limit, name: "size" }] }),
    [
      "breaking: request parameter-removed at GET /foos query parameter limit",
      "compatible: request optional-parameter-added at GET /foos query parameter size",
    ],
    [
      "breaking: request parameter-removed at GET /foos query parameter size",
      "compatible: request optional-parameter-added at GET /foos query parameter limit",
    ],
  ],
  "a parameter moves to a header": [
    get({ parameters: [limit] }),
    get({ parameters: [{ ...limit, in: "header" }] }),
    [
      "breaking: request parameter-removed at GET /foos query parameter limit",
      "compatible: request optional-parameter-added at GET /foos header parameter limit",
    ],
    [
      "breaking: request parameter-removed at GET /foos header parameter limit",
      "compatible: request optional-parameter-added at GET /foos query parameter limit",
    ],
  ],
  "a list is written with commas": [
    get({ parameters: [{ ...limit, schema: list(integer) }] }),
    get({ parameters: [{ ...limit, schema: list(integer), explode: false }] }),
    ["breaking: request not-judged at GET /foos query parameter limit"],
  ],
  "a parameter is written as JSON": [
    get({ parameters: [{ name: "limit", in: "query" }] }),
    get({ parameters: [{ name: "limit", in: "query", content: { [json]: {} } }] }),
    ["breaking: request not-judged at GET /foos query parameter limit"],
  ],
  "a parameter takes more values": [
    get({ parameters: [{ ...limit, schema: { enum: ["id"] } }] }),
    get({ parameters: [{ ...limit, schema: { enum: ["id", "-id"] } }] }),
    ["compatible: request values-added at GET /foos query parameter limit"],
    ["breaking: request values-removed at GET /foos query parameter limit"],
  ],
  "a parameter of a path becomes required": [
    api({ "/foos": { parameters: [limit], get: {}, post: {} } }),
    api({ "/foos": { parameters: [{ ...limit, ...required }], get: {}, post: {} } }),
    [
      "breaking: request parameter-became-required at GET /foos query parameter limit",
      "breaking: request parameter-became-required at POST /foos query parameter limit",
    ],
    [
      "compatible: request parameter-became-optional at GET /foos query parameter limit",
      "compatible: request parameter-became-optional at POST /foos query parameter limit",
    ],
  ],
  "an operation overrides a parameter of its path": [
    api({ "/foos": { parameters: [limit], get: {} } }),
    api({ "/foos": { parameters: [limit], get: { parameters: [{ ...limit, schema: number }] } } }),
    ["compatible: request type-widened at GET /foos query parameter limit"],
    ["breaking: request type-narrowed at GET /foos query parameter limit"],
  ],
  "a parameter of another document is another": [
    get({ parameters: [ref("a.json#/A")] }),
    get({ parameters: [ref("b.json#/B")] }),
    ["breaking: request not-judged at GET /foos"],
  ],

  "an optional body is taken": [
    post({}),
    post({ requestBody: content(bar) }),
    ["compatible: request optional-body-added at POST /foos request"],
    ["breaking: request body-removed at POST /foos request"],
  ],
  "a body is asked for": [
    post({}),
    post({ requestBody: { ...required, ...content(bar) } }),
    ["breaking: request required-body-added at POST /foos request"],
    ["breaking: request body-removed at POST /foos request"],
  ],
  "a body becomes required": [
    post({ requestBody: content(bar) }),
    post({ requestBody: { ...required, ...content(bar) } }),
    ["breaking: request body-became-required at POST /foos request"],
    ["compatible: request body-became-optional at POST /foos request"],
  ],
  "another media type is taken": [
    post({ requestBody: { content: { [json]: {} } } }),
    post({ requestBody: { content: { [json]: {}, "text/csv": {} } } }),
    ["compatible: request media-type-added at POST /foos request text/csv"],
    ["breaking: request media-type-removed at POST /foos request text/csv"],
  ],
  "a media type is told apart from every one that is taken": [
    post({ requestBody: { content: { "*/*": { schema: string } } } }),
    post({ requestBody: { content: { "*/*": { schema: string }, [json]: { schema: integer } } } }),
    [
      "breaking: request not-judged at POST /foos request",
      `compatible: request media-type-added at ${places.request}`,
    ],
    [
      `breaking: request media-type-removed at ${places.request}`,
      "breaking: request not-judged at POST /foos request",
    ],
  ],
  "a member is only read from now on": [
    document("request", bar),
    document("request", { ...bar, properties: { ...bar.properties, id: { readOnly: true } } }),
    [`breaking: request member-removed at ${places.request} /id`],
    [`breaking: request required-member-added at ${places.request} /id`],
  ],
  "a member is only written from now on": [
    document("response", bar),
    document("response", {
      ...bar,
      properties: { ...bar.properties, id: { ...integer, writeOnly: true } },
    }),
    [`breaking: response member-removed at ${places.response} /id`],
    [`compatible: response required-member-added at ${places.response} /id`],
  ],
  "a member that may be null and is only read changes its type": [
    document("request", object({ id: { ...integer, readOnly: true, nullable: true } })),
    document("request", object({ id: { ...string, readOnly: true, nullable: true } })),
    [],
  ],
  "a member that is only read joins a request": [
    document("request", object({})),
    document("request", object({ id: { ...integer, readOnly: true } })),
    [],
  ],

  "another status of success is answered": [
    get({ responses: { 200: {} } }),
    get({ responses: { 200: {}, 202: {} } }),
    ["compatible: response success-status-added at GET /foos response 202"],
    ["breaking: response success-status-removed at GET /foos response 202"],
  ],
  "another error is answered": [
    get({ responses: { 200: {} } }),
    get({ responses: { 200: {}, 404: {}, default: {} } }),
    [
      "compatible: response error-status-added at GET /foos response 404",
      "compatible: response error-status-added at GET /foos response default",
    ],
    [
      "compatible: response error-status-removed at GET /foos response 404",
      "compatible: response error-status-removed at GET /foos response default",
    ],
  ],
  "an error is another than the default": [
    get({ responses: { 200: {}, default: content(bar) } }),
    get({ responses: { 200: {}, default: content(bar), 404: content(string) } }),
    [
      `breaking: response type-changed at GET /foos response 404 ${json}`,
      "compatible: response error-status-added at GET /foos response 404",
    ],
    [
      `breaking: response type-changed at GET /foos response 404 ${json}`,
      "compatible: response error-status-removed at GET /foos response 404",
    ],
  ],
  "an error is told that is as the default": [
    get({ responses: { 200: {}, default: content(ref("Bar")) } }, withSchemas),
    get({
      responses: { 200: {}, default: content(ref("Bar")), 404: content(bar) },
    }, withSchemas),
    ["compatible: response error-status-added at GET /foos response 404"],
    ["compatible: response error-status-removed at GET /foos response 404"],
  ],
  "a default answers what an error did": [
    get({ responses: { 200: {}, 404: content(bar) } }),
    get({ responses: { 200: {}, default: content(string) } }),
    [
      `breaking: response type-changed at GET /foos response 404 ${json}`,
      "compatible: response error-status-added at GET /foos response default",
      "compatible: response error-status-removed at GET /foos response 404",
    ],
    [
      `breaking: response type-changed at GET /foos response 404 ${json}`,
      "compatible: response error-status-added at GET /foos response 404",
      "compatible: response error-status-removed at GET /foos response default",
    ],
  ],
  "a status is told apart from its range": [
    get({ responses: { "2xx": content(string) } }),
    get({ responses: { "2XX": content(string), 200: content(integer) } }),
    [
      "breaking: request not-judged at GET /foos",
      "compatible: response success-status-added at GET /foos response 200",
    ],
    [
      "breaking: request not-judged at GET /foos",
      "breaking: response success-status-removed at GET /foos response 200",
    ],
  ],
  "success is told apart from default": [
    get({ responses: { default: content(string) } }),
    get({ responses: { default: content(string), 200: content(integer) } }),
    [
      "breaking: request not-judged at GET /foos",
      "compatible: response success-status-added at GET /foos response 200",
    ],
    [
      "breaking: request not-judged at GET /foos",
      "breaking: response success-status-removed at GET /foos response 200",
    ],
  ],
  "what a range of statuses answers changes": [
    get({ responses: { "2XX": content(string) } }),
    get({ responses: { "2XX": content(integer) } }),
    [`breaking: response type-changed at GET /foos response 2XX ${json}`],
  ],
  "one of two spellings of a media type changes": [
    get({
      responses: {
        200: {
          content: { [json]: { schema: string }, [`${json};charset=utf-8`]: { schema: string } },
        },
      },
    }),
    get({
      responses: {
        200: {
          content: { [json]: { schema: integer }, [`${json};charset=utf-8`]: { schema: string } },
        },
      },
    }),
    [`breaking: response type-changed at GET /foos response 200 ${json}`],
  ],
  "one of two spellings of a media type changes, whichever is first": [
    get({
      responses: {
        200: {
          content: { [`${json};charset=utf-8`]: { schema: string }, [json]: { schema: string } },
        },
      },
    }),
    get({
      responses: {
        200: {
          content: { [json]: { schema: string }, [`${json};charset=utf-8`]: { schema: integer } },
        },
      },
    }),
    [`breaking: response type-changed at GET /foos response 200 ${json};charset=utf-8`],
  ],
  "another media type is answered": [
    get({ responses: { 200: { content: { [json]: {} } } } }),
    get({
      responses: { 200: { content: { "application/json; charset=UTF-8": {}, "text/csv": {} } } },
    }),
    ["compatible: response media-type-added at GET /foos response 200 text/csv"],
    ["breaking: response media-type-removed at GET /foos response 200 text/csv"],
  ],
  "a header is answered": [
    get({ responses: { 200: { headers: {} } } }),
    get({ responses: { 200: { headers: { ETag: { schema: string } } } } }),
    ["compatible: response header-added at GET /foos response 200 header etag"],
    ["breaking: response header-removed at GET /foos response 200 header etag"],
  ],
  "a header becomes required": [
    get({ responses: { 200: { headers: { ETag: { schema: string } } } } }),
    get({ responses: { 200: { headers: { etag: { schema: string, required: true } } } } }),
    ["compatible: response header-became-required at GET /foos response 200 header etag"],
    ["breaking: response header-became-optional at GET /foos response 200 header etag"],
  ],
  "a header gets a format": [
    get({ responses: { 200: { headers: { Age: { schema: string } } } } }),
    get({ responses: { 200: { headers: { Age: { schema: { ...string, format: "date" } } } } } }),
    ["compatible: response format-tightened at GET /foos response 200 header age"],
    ["breaking: response format-loosened at GET /foos response 200 header age"],
  ],
  "a header is written as JSON": [
    get({ responses: { 200: { headers: { Age: {} } } } }),
    get({ responses: { 200: { headers: { Age: { content: { [json]: {} } } } } } }),
    ["breaking: response not-judged at GET /foos response 200 header age"],
  ],
  "a callback differs": [
    post({ callbacks: { done: { "{$url}": { post: {} } } } }),
    post({ callbacks: { done: { "{$url}": { put: {} } } } }),
    ["breaking: request not-judged at POST /foos"],
  ],
  "webhooks differ": [
    get({}, { webhooks: { done: { post: {} } } }),
    get({}, { webhooks: { done: { put: {} } } }),
    ["breaking: request not-judged at webhooks"],
  ],
  "a webhook that is called like a description differs": [
    get({}, { webhooks: { title: { post: {} } } }),
    get({}, { webhooks: { title: { put: {} } } }),
    ["breaking: request not-judged at webhooks"],
  ],
  "a link that is called like a description differs": [
    get({ responses: { 200: { links: { example: { operationId: "a" } } } } }),
    get({ responses: { 200: { links: { example: { operationId: "b" } } } } }),
    ["breaking: response not-judged at GET /foos response 200"],
  ],
  "a schema that an anchor names changes": [
    document("response", { $ref: "#name" }, { Name: { $anchor: "name", ...string } }),
    document("response", { $ref: "#name" }, { Name: { $anchor: "name", ...integer } }),
    ["breaking: request not-judged at schemas"],
  ],
  "a component changes that only a discriminator names": [
    document("response", { discriminator: { mapping: { cat: "#/components/schemas/Cat" } } }, {
      Cat: cat,
    }),
    document("response", { discriminator: { mapping: { cat: "#/components/schemas/Cat" } } }, {
      Cat: bar,
    }),
    [`breaking: response not-judged at ${places.response}`],
  ],
  "a component changes that embeds a schema with a discriminator": [
    document("response", ref("Pet"), { Pet: pet, Dog: { allOf: [ref("Pet"), dog] } }),
    document("response", ref("Pet"), { Pet: pet, Dog: { allOf: [ref("Pet"), cat] } }),
    [`breaking: response not-judged at ${places.response}`],
  ],
  "a component changes that a discriminator names without a path": [
    document("response", { oneOf: [cat, dog], discriminator: { mapping: { cat: "Cat" } } }, {
      Cat: cat,
    }),
    document("response", { oneOf: [cat, dog], discriminator: { mapping: { cat: "Cat" } } }, {
      Cat: bar,
    }),
    [`breaking: response not-judged at ${places.response}`],
  ],
  "null is told as in 3.0 in a document of 3.1": [
    get({ responses: { 200: content(string) } }),
    get({ responses: { 200: content({ ...string, nullable: true }) } }),
    [`breaking: response not-judged at ${places.response}`],
  ],
  "a document of 3.1 is one of 3.0, where a word means something": [
    get({ responses: { 200: content({ ...string, nullable: true }) } }, old),
    get({ responses: { 200: content({ ...string, nullable: true }) } }),
    [`breaking: response not-judged at ${places.response}`],
  ],
  "a word beside a reference moves to where 3.0 follows it": [
    get({ responses: { 200: content({ ...ref("Text"), nullable: true }) } }, {
      ...withSchemas,
      ...old,
    }),
    get({ responses: { 200: content({ ...string, nullable: true }) } }, { ...withSchemas, ...old }),
    [`breaking: response not-judged at ${places.response}`],
  ],
  "a member is required that a closed object refuses": [
    document("request", { ...object({ a: string }, []), additionalProperties: false }),
    document("request", { ...object({ a: string }, ["b"]), additionalProperties: false }),
    [`breaking: request not-judged at ${places.request}`],
  ],
  "a member is required that has no value": [
    document("response", object({ a: string })),
    document("response", object({ a: false })),
    [`breaking: response not-judged at ${places.response}`],
  ],
  "null meets two forms of which one is to be met": [
    document("response", { anyOf: [{ type: ["string", "null"] }, { type: "null" }] }),
    document("response", { oneOf: [{ type: ["string", "null"] }, { type: "null" }] }),
    [`breaking: response not-judged at ${places.response}`],
  ],
  "null is two forms of which one is to be met": [
    document("response", { type: ["string", "null"] }),
    document("response", { oneOf: [string, { type: "null" }, { type: "null" }] }),
    [`breaking: response not-judged at ${places.response}`],
  ],
  "the dialect of the schemas is told": [
    get({}),
    get({}, { jsonSchemaDialect: "https://example.com/dialect" }),
    ["breaking: request not-judged at schemas"],
  ],
  "an answer of another document is another": [
    get({ responses: { 200: ref("a.json#/A") } }),
    get({ responses: { 200: ref("b.json#/B") } }),
    ["breaking: response not-judged at GET /foos response 200"],
  ],

  "a component changes that others embed": [
    embedding(bar),
    embedding(object({ id: integer, name: string }, ["id"])),
    [
      `breaking: response member-became-optional at GET /foos response 200 ${json} /[]/bar/name`,
      `breaking: response member-became-optional at GET /foos/{} response 200 ${json} /bar/name`,
      `breaking: response member-became-optional at POST /foos response 200 ${json} /bar/name`,
      `compatible: request member-became-optional at POST /bars request ${json} /name`,
    ],
    [
      `breaking: request member-became-required at POST /bars request ${json} /name`,
      `compatible: response member-became-required at GET /foos response 200 ${json} /[]/bar/name`,
      `compatible: response member-became-required at GET /foos/{} response 200 ${json} /bar/name`,
      `compatible: response member-became-required at POST /foos response 200 ${json} /bar/name`,
    ],
  ],
  "a map lists a member of another type": [
    document("response", map(string)),
    document("response", { ...map(string), properties: { count: integer } }),
    [
      `breaking: response not-judged at ${places.response}`,
      `compatible: response optional-member-added at ${places.response} /count`,
    ],
    [
      `breaking: response member-removed at ${places.response} /count`,
      `breaking: response not-judged at ${places.response}`,
    ],
  ],
  "members are called like the places of elements and of other members": [
    document("response", { ...map(string), properties: { "*": integer, "[]": integer } }),
    document("response", { ...map(string), properties: { "*": string, "[]": string } }),
    ["*", "[]"].map((name) => `breaking: response type-changed at ${places.response} /~${name}`),
  ],
  "a recursive schema is unrolled once": [
    document("response", ref("Tree"), { Tree: tree }),
    document("response", object({ value: string, children: list(tree) }), { Tree: tree }),
    [`breaking: response not-judged at ${places.response} /children/[]`],
  ],
  "one component is embedded twice in one answer": [
    document("response", object({ one: ref("Bar"), other: ref("Bar") }), { Bar: object({}) }),
    document("response", object({ one: ref("Bar"), other: ref("Bar") }), {
      Bar: object({ a: string }),
    }),
    ["one", "other"].map((name) =>
      `compatible: response required-member-added at ${places.response} /${name}/a`
    ),
    ["one", "other"].map((name) =>
      `breaking: response member-removed at ${places.response} /${name}/a`
    ),
  ],
  "a 3.0 document becomes a 3.1 document with one more member": [
    document("response", object({ a: { ...string, nullable: true } })),
    document("response", object({ a: { type: ["null", "string"] }, b: integer })),
    [`compatible: response required-member-added at ${places.response} /b`],
    [`breaking: response member-removed at ${places.response} /b`],
  ],
};

function inPath(name: string, schema: Schema): Part {
  return { name, in: "path", required: true, schema };
}

/** Documents that say the same in different words. */
const extension = { "x-relata": { kind: "text" } };

export const documentSynonyms: Record<string, [one: Document, other: Document]> = {
  "the notation of a parameter is told, and the usual one": [
    get({ parameters: [limit] }),
    get({
      parameters: [{
        ...limit,
        style: "form",
        explode: true,
        allowReserved: false,
        allowEmptyValue: false,
      }],
    }),
  ],
  "the notation of a header is told, and the usual one": [
    get({ responses: { 200: { headers: { Age: { schema: integer } } } } }),
    get({ responses: { 200: { headers: { Age: { schema: integer, style: "simple" } } } } }),
  ],
  "a parameter becomes one of the path": [
    get({ parameters: [limit] }),
    api({ "/foos": { parameters: [limit], get: { responses: { 200: {} } } } }),
  ],
  "parts are kept as components": [
    api({
      "/foos": {
        post: {
          parameters: [limit],
          requestBody: content(bar),
          responses: { 200: { ...content(bar), headers: { ETag: { schema: string } } } },
        },
      },
    }),
    api({ "/foos": ref("#/components/pathItems/Foos.") }, {
      components: {
        pathItems: {
          "Foos.": {
            post: {
              parameters: [{ $ref: "#/components/parameters/Limit" }],
              requestBody: { $ref: "#/components/requestBodies/Foo" },
              responses: { 200: { $ref: "#/components/responses/Foo" } },
            },
          },
        },
        parameters: { Limit: limit },
        requestBodies: { Foo: content(bar) },
        responses: {
          Foo: { ...content(bar), headers: { ETag: { $ref: "#/components/headers/Tag" } } },
        },
        headers: { Tag: { schema: string } },
      },
    }),
  ],
  "no security is said to be none": [get({}), get({ security: [] }, noSchemes)],
  "headers that OpenAPI tells readers to ignore are described": [
    get({}),
    get({ parameters: [{ name: "Accept", in: "header", required: true }] }),
  ],
  "a security scheme is described": [
    get({ security: [{ token: [] }] }, schemes),
    get({ security: [{ token: [] }] }, {
      components: {
        securitySchemes: { token: { type: "http", scheme: "bearer", description: "A token" } },
      },
    }),
  ],
  "extensions come and go, wherever they may be": [
    get({ parameters: [limit], requestBody: content(bar) }, {
      ...schemes,
      tags: [{ name: "foo" }],
    }),
    get({
      ...extension,
      parameters: [{ ...limit, ...extension, schema: { ...limit.schema, ...extension } }],
      requestBody: { ...extension, ...content({ ...object(bar.properties), ...extension }) },
      responses: { 200: extension },
    }, { ...schemes, ...extension, tags: [{ name: "foo", ...extension }] }),
  ],
  "summaries and tags change": [
    get({ summary: "a", tags: ["a"] }),
    get({ description: "b" }, { tags: [] }),
  ],
};
