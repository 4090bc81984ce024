import { buildServer } from "./build.js";
import { interleavings } from "./interleavings.js";
import { Trial } from "./suite.js";
const b = await buildServer();
const t = new Trial({name:"x",what:"",run:async()=>undefined}, b.entry, false, Number(process.argv[2]));
const found = await interleavings(t, { database: process.argv[4] as any ?? "sqlite", count: Number(process.argv[3] ?? 1), atOnce: Number(process.argv[5] ?? 1) });
console.log(found);
b.remove(); process.exit(0);
