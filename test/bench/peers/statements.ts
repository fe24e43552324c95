// What the peers ask of Postgres, one statement a request. The benchmark of Postgres alone runs them
// too.

// The colons are quoted, for pgbench would take what follows them for its variables.
const bottage = `
  id as bottage,
  cul,
  colere_id as colere,
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24":"MI":"SS') as date`;

const foos = `
    select
      foo.id,
      foo.name,
      bar.id as bar_id,
      bar.name as bar_name
    from foo
    join bar
      on bar.id = foo.bar_id
`;

export const statements = {
  readFoo: `${foos}    where foo.id = $1`,

  listFoos: `${foos}    where foo.id > $1
    order by foo.id
    limit $2`,

  listFoosOfBar: `${foos}    where foo.bar_id = $1
      and foo.id > $2
    order by foo.id
    limit $3`,

  findBars: `
    select id, coalesce(nullif(name, ''), 'bar ' || id::text) as text
    from bar
    where lower(coalesce(nullif(name, ''), 'bar ' || id::text)) like lower($1)
      and id > $2
    order by id
    limit $3`,

  lastBottage: `
    select ${bottage}
    from bottage
    order by id desc
    limit 1`,

  createFoo: `
    with bar as (
      select id, name
      from bar
      where id = $2
    ),
    written as (
      insert into foo (name, bar_id)
      select $1, bar.id
      from bar
      returning id, name
    )
    select
      written.id,
      written.name,
      bar.id as bar_id,
      bar.name as bar_name
    from written, bar`,

  createBottage: `
    insert into bottage (cul, colere_id)
    select $1, colere.id
    from colere
    where colere.id = $2
    returning ${bottage}`,
};

export interface FooRow {
  id: number;
  name: string;
  bar_id: number;
  bar_name: string;
}

export interface Foo {
  id: number;
  name: string;
  bar: { id: number; name: string };
}

export interface Bottage {
  bottage: number;
  cul: string;
  colere: number;
  date: string;
}

export interface Choice {
  id: number;
  text: string;
}

/** A page of so many foos, of all or of a bar. */
export function pageOfFoos(rows: FooRow[], size: number, bar: number | string | undefined) {
  const path = bar === undefined ? "/api/foos/?" : `/api/foos/?bar=${bar}`;
  const { shown, next } = page(rows, size, path);
  return { items: shown.map(nested), next };
}

/** A page of so many choices that contain a text. */
export function pageOfChoices(rows: Choice[], size: number, q: string) {
  const path = `/api/foos/choices/bar/?q=${encodeURIComponent(q)}`;
  const { shown, next } = page(rows, size, path);
  return { choices: Object.fromEntries(shown.map(({ id, text }) => [id, text])), next };
}

/** So many of the rows, of which there is one more where it is not the last. The cursor is the
 * identifier of its last row. */
function page<Row extends { id: number }>(rows: Row[], limit: number, path: string) {
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? `${path}&limit=${limit}&cursor=${shown.at(-1)!.id}` : null;
  return { shown, next };
}

/** The pattern of `like` that finds a text anywhere. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, "\\$&")}%`;
}

export function nested({ id, name, bar_id, bar_name }: FooRow): Foo {
  return { id, name, bar: { id: bar_id, name: bar_name } };
}
