/** The writer's thread of the server under test: the real one, with the part broken that the suite has asked for (`broken.ts`). */
import { decides } from "../../server/engine/operations.js";
import { operationTable } from "../../server/store/db.js";
import { halves } from "../../server/store/operations.js";
import { runWriter } from "../../server/store/sqlite-writer.js";
import { broken, orders } from "./broken.js";
import { deadly } from "./dying.js";

const { mutant, dir, dies } = orders();
const part = broken(mutant);
const rules = { ...decides, ...part.decides };
const death = dies ? deadly(dir ?? "", rules) : undefined;

runWriter({
	table: operationTable(death?.decides ?? rules, halves),
	...(part.prepare ? { prepare: part.prepare } : {}),
	...(part.settle ? { settle: part.settle } : death ? { settle: death.settle } : {}),
});
