// What the catalogue tells about the declarations: the one comparison for `/readyz` and `relata check`.
import type { Database } from "../../db/database.ts";
import { tokenTable } from "../../http/access.ts";
import { migrationStatus } from "../../migrate/migrations.ts";
import { type Migration, migrationTitle } from "../../migrate/step.ts";
import { linksOf } from "../../model/links.ts";
import type { Action, Resource } from "../../model/model.ts";
import { keyTable } from "../../statements/once.ts";
import type { Catalogue } from "../catalogue.ts";
import { lackOfFunctions } from "../functions.ts";
import { levelsIn, type RowLevel } from "../levels.ts";
import type { Wanted } from "../privileges.ts";
import { lookFor } from "../readiness.ts";
import { compareAccess } from "./access.ts";
import { compareColumns, compareLinkColumns, compareRankColumn } from "./columns.ts";
import { differs, fails, type Finding } from "./finding.ts";
import { compareFollowed } from "./follow.ts";
import { compareHistory } from "./history.ts";
import { compareIndexes } from "./indexes.ts";
import { compareKeys, compareLinkKeys, compareRanks } from "./keys.ts";
import { compareTouched } from "./owner.ts";
import { compareActionRights, compareRights } from "./rights.ts";
import { compareRules } from "./rules.ts";
import { tablesOf, tablesWritten } from "./tables.ts";

interface Comparison {
  /** Each difference once; those that make requests fail come first. */
  findings: Finding[];
  catalogue: Catalogue;
}

/** What is declared, and the migrations that make its tables. */
export interface Compared {
  migrations: Migration[];
  resources: Resource[];
  actions: Action[];
}

/** Compares what is declared, and tables of the server itself, with a database. */
export async function compareSchema(
  database: Database,
  { migrations, resources, actions }: Compared,
  own: Wanted[] = [keyTable, tokenTable],
): Promise<Comparison> {
  const wanted = [...resources.flatMap(tablesOf), ...actions.flatMap(tablesWritten), ...own];
  const { catalogue, reasons } = await lookFor(database, migrations, wanted);
  const lacking = reasons.length > 0 ? [] : await lackOfFunctions(database, resources);
  const applied = reasons.length > 0 ? [] : await migrationStatus(database, migrations);
  const edited = applied.filter(({ state }) => state === "edited").map(migrationTitle);
  const all = [
    ...[...reasons, ...lacking].map(fails),
    ...edited.map((title) => differs(`The migration "${title}" was edited after it was applied`)),
    ...resources.flatMap((resource) => compareRights(resource, catalogue)),
    ...actions.flatMap((action) => compareActionRights(action, catalogue)),
    ...levelsIn(resources).flatMap((level) => compareLevel(level, catalogue)),
    ...compareIndexes(resources, catalogue),
    ...resources.flatMap((resource) => compareHistory(resource, catalogue)),
    ...resources.flatMap((resource) => compareTouched(resource, catalogue)),
  ];
  const distinct = [...new Map(all.map((finding) => [finding.sentence, finding])).values()];
  return {
    findings: distinct.sort((one, other) => Number(other.fails) - Number(one.fails)),
    catalogue,
  };
}

/** A table that is not there has nothing to compare. */
function compareLevel(level: RowLevel, catalogue: Catalogue): Finding[] {
  const { resource, writes, owned } = level;
  const table = catalogue.get(resource.table)!;
  const ofLinks = linksOf(resource).flatMap((links): Finding[] => {
    const through = catalogue.get(links.table)!;
    if (!through.found) return [];
    return [
      ...compareLinkColumns(level, links, through),
      ...compareLinkKeys(resource, links, through, catalogue),
      ...writes.length > 0 ? compareRules(through, ["insert", "update", "delete"]) : [],
    ];
  });
  if (!table.found) return ofLinks;
  return [
    ...compareColumns(level, table),
    ...table.keepsRows ? compareKeys(level, table, catalogue) : [],
    ...owned ? compareRankColumn(owned, table) : [],
    ...owned ? compareRanks(table, owned.order, "rows") : [],
    ...compareRules(table, writes),
    ...compareFollowed(resource, table),
    ...compareAccess(resource, table),
    ...ofLinks,
  ];
}
