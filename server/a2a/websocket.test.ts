import { expect, it } from "vitest";
import { dial, message } from "../../test/socket/client.js";
import { openSocketDesk } from "../../test/socket/desk.js";
it("works at all", async () => {
	const desk = await openSocketDesk();
	const c = await dial(desk); setTimeout(()=>console.error(desk.logged),300);
	console.error(JSON.stringify(await c.hello()));
	const r = await c.call("SendMessage", { ...message("m1", "hello"), configuration: { returnImmediately: true } });
	console.error(JSON.stringify(r));
	await c.find((f) => JSON.stringify(f).includes("COMPLETED"));
	console.error(c.frames.map((f) => JSON.stringify(f)).join("\n"));
	expect(c.seqs).toEqual([1, 2, 3, 4, 5, 6]);
	await desk.close();
});
