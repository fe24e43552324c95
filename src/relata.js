#!/usr/bin/env node
// The command of the npm package, in words that any version of Node reads, so that an old one gets a sentence.
import process from "node:process";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major > 22 || (major === 22 && minor >= 18)) {
  import("./main.js");
} else {
  process.stderr.write(`relata: Node 22.18 or later is needed: this is ${process.versions.node}\n`);
  process.exitCode = 2;
}
