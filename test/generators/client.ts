// How a caller uses a generated client, here that of hey-api; the strict compiler checks it too.
import { client } from "./hey-api/client.gen";
import { createBar, createFoo, listFoos, readFoo } from "./hey-api/sdk.gen";

export async function exercise(baseUrl: string) {
  client.setConfig({ baseUrl });
  const bar = await createBar({ body: { name: "Bar one" }, throwOnError: true });
  const body = { name: "Foo one", bar: bar.data.id };
  const created = await createFoo({ body, throwOnError: true });
  const path = { foo_id: created.data.id };
  const read = await readFoo({ path, throwOnError: true });
  const listed = await listFoos({ query: { bar: bar.data.id }, throwOnError: true });
  const refused = await createFoo({ body: { name: "Foo two", bar: 999 } });
  const failures = refused.error && "errors" in refused.error ? refused.error.errors : [];
  return {
    created: created.data.bar.name,
    read: read.data.bar.name,
    listed: listed.data.items.map(({ name, bar }) => `${name} of ${bar.name}`),
    status: refused.response?.status,
    failures: failures.map(({ pointer, code }) => ({ pointer, code })),
  };
}
