/** A process that holds the database for a while, when it is told to: what a backup tool or a person with `sqlite3` would do. */
import Database from "better-sqlite3";

const db = new Database(process.argv[2] ?? "", { timeout: 5_000 });

process.on("message", (ms: number) => {
	db.exec("begin immediate");
	process.send?.("held");
	setTimeout(() => {
		db.exec("rollback");
		process.send?.("let go");
	}, ms);
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
