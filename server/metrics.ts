/**
 * `/metrics` for Prometheus, where METRICS is on: what the process is doing and how many requests ended how. No label is
 * made of what a caller sends, so the number of series is fixed. prom-client is loaded only here, and only then.
 */
import type { Context, MiddlewareHandler } from "hono";

export interface Metrics {
	/** Counts what passes; to be used before the doors. */
	count: MiddlewareHandler;
	/** Answers in Prometheus' text format. */
	answer(c: Context): Promise<Response>;
}

/** What the desk itself counts. */
export interface Numbers {
	/** Open sockets of the WebSocket binding. */
	sockets(): number;
	/** Turns that run in this process. */
	turns(): number;
	/** Messages taken in since the start. */
	messages(): number;
}

const METHODS = new Set(["GET", "HEAD", "POST", "DELETE", "OPTIONS"]);

export async function openMetrics(numbers?: Numbers): Promise<Metrics> {
	const { default: prometheus } = await import("prom-client");
	const register = new prometheus.Registry();
	prometheus.collectDefaultMetrics({ register });
	const requests = new prometheus.Counter({
		name: "earthonline_http_requests_total",
		help: "Requests that were answered, by method and by the first digit of the status.",
		labelNames: ["method", "status"],
		registers: [register],
	});
	if (numbers) {
		const gauge = (name: string, help: string, value: () => number): void => {
			new prometheus.Gauge({
				name,
				help,
				registers: [register],
				collect() {
					this.set(value());
				},
			});
		};
		gauge("earthonline_sockets", "Open sockets.", numbers.sockets);
		gauge("earthonline_turns", "Turns that run.", numbers.turns);
		gauge("earthonline_messages", "Messages taken in since the start.", numbers.messages);
	}
	return {
		async count(c, next) {
			await next();
			requests.inc({ method: METHODS.has(c.req.method) ? c.req.method : "other", status: `${Math.floor(c.res.status / 100)}xx` });
		},
		async answer(c) {
			return c.body(await register.metrics(), 200, { "content-type": register.contentType, "cache-control": "no-store" });
		},
	};
}
