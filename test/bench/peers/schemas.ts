// The schemas that Fastify validates bodies with, and writes answers by.

export const identifier = {
  type: "integer",
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
};
export const name = { type: "string", maxLength: 64 };
export const text = { type: "string" };
export const price = { type: "string", pattern: "^-?[0-9]{1,8}([.][0-9]{1,2})?$" };

export const object = (properties: Record<string, object>) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

export const problem = object({ title: text });
