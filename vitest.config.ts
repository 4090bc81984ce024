/**
 * How the tests run: one project a kind, so that each can be run by itself (`npx vitest run --project unit`). Workers are
 * processes, two at most, because native SQLite and worker threads live in them and CI has two cores.
 */
import { configDefaults, defineConfig } from "vitest/config";

const seconds = (n: number): number => n * 1_000;

/** Files of the kinds that do not belong to `unit`. */
const KINDS = {
	/** The store's one suite, on both databases. */
	contract: ["server/store/**/*.test.ts", "server/writer.test.ts"],
	/** Requests through a door with `app.request` or a port of the kernel's. */
	door: ["server/{a2a,owner,site,mcp}/**/*.test.ts", "server/{app,open,serve,admin,commands}.test.ts"],
	/** The WebSocket binding over real sockets. */
	socket: ["server/a2a/websocket*.test.ts", "test/socket/**/*.test.ts"],
	/** Other people's clients against our server. */
	interop: ["test/interop/**/*.test.ts"],
	/** Generated bad input. `LONG=1` runs the long form. */
	fuzz: ["test/fuzz/**/*.test.ts"],
	/** The built product in a real browser: `npm run build` first. */
	e2e: ["test/e2e/**/*.test.ts"],
} satisfies Record<string, string[]>;

const others = Object.values(KINDS).flat();

export default defineConfig({
	test: {
		pool: "forks",
		maxWorkers: 2,
		watch: false,
		passWithNoTests: false,
		projects: [
			{
				extends: true,
				test: {
					name: "unit",
					include: ["{shared,server,widget,demo-site,test,bench,scripts}/**/*.test.{ts,tsx}"],
					exclude: [...configDefaults.exclude, ...others],
					testTimeout: seconds(10),
					sequence: { groupOrder: 0 },
				},
			},
			{
				extends: true,
				test: {
					name: "contract",
					include: KINDS.contract,
					testTimeout: seconds(30),
					hookTimeout: seconds(60),
					sequence: { groupOrder: 0 },
				},
			},
			{
				extends: true,
				test: {
					name: "door",
					include: KINDS.door,
					exclude: [...configDefaults.exclude, ...KINDS.socket],
					testTimeout: seconds(20),
					sequence: { groupOrder: 0 },
				},
			},
			{
				extends: true,
				test: { name: "socket", include: KINDS.socket, testTimeout: seconds(30), sequence: { groupOrder: 0 } },
			},
			{
				extends: true,
				test: { name: "interop", include: KINDS.interop, testTimeout: seconds(60), hookTimeout: seconds(60), sequence: { groupOrder: 0 } },
			},
			{
				extends: true,
				test: {
					name: "fuzz",
					include: KINDS.fuzz,
					testTimeout: seconds(process.env.LONG ? 1_800 : 300),
					hookTimeout: seconds(60),
					sequence: { groupOrder: 1 },
				},
			},
			{
				extends: true,
				test: {
					name: "e2e",
					include: KINDS.e2e,
					testTimeout: seconds(60),
					hookTimeout: seconds(120),
					// One browser at a time: two on two cores time each other out.
					fileParallelism: false,
					sequence: { groupOrder: 2 },
				},
			},
		],
	},
});
