import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { openMetrics } from "./metrics.js";

async function measured() {
	const metrics = await openMetrics();
	const app = new Hono()
		.use(metrics.count)
		.get("/metrics", metrics.answer)
		.get("/found", (c) => c.text("here"));
	return { app, page: async () => (await app.request("/metrics")).text() };
}

describe("/metrics", () => {
	it("counts requests by method and kind of status", async () => {
		const { app, page } = await measured();
		await app.request("/found");
		await app.request("/found");
		await app.request("/nothing-here", { method: "POST" });
		const text = await page();
		expect(text).toMatch(/^earthonline_http_requests_total\{method="GET",status="2xx"\} 2$/m);
		expect(text).toMatch(/^earthonline_http_requests_total\{method="POST",status="4xx"\} 1$/m);
		expect(text).toMatch(/^process_resident_memory_bytes \d/m);
	});

	it("makes no series of what a caller sends", async () => {
		const { app, page } = await measured();
		for (const method of ["PATCH", "BREW", "X-CANARY"]) await app.request("/canary-path?canary", { method });
		const text = await page();
		expect(text).toMatch(/method="other",status="4xx"\} 3$/m);
		expect(text).not.toMatch(/canary/i);
	});

	it("keeps two servers of one process apart", async () => {
		const [one, other] = [await measured(), await measured()];
		await one.app.request("/found");
		expect(await other.page()).not.toMatch(/status="2xx"\} 1$/m);
	});
});
