// The resources this server has, in the order in which they are documented.
import type { Resource } from "../model/model.ts";
import bar from "./bar.ts";
import bottage from "./bottage.ts";
import colere from "./colere.ts";
import foo from "./foo.ts";

export const resources: Resource[] = [bar, foo, colere, bottage];
