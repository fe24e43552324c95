import { action, integer, json, text } from "relata";

export default action("import_tags", {
  path: "/api/tags/import/",
  summary: "Create the tags that are not there yet",
  input: { tags: json({ only: "array", example: [{ name: "Jazz" }] }) },
  fields: { id: integer(), name: text() },
  tables: ["tag"],
  statement: (sql, { tags }) =>
    sql`
      insert into tag (name)
      select name
      from jsonb_to_recordset(${tags}) as sent (name text)
      on conflict (name) do nothing
      returning id, name`,
});
