import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { DOCS_DIR, guideAmong, PACKAGE_ROOT } from "./root.js";

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), "package-"));
	mkdirSync(join(root, "node_modules/other"), { recursive: true });
	writeFileSync(join(root, "node_modules/other/README.md"), "# Somebody else's\n");
	writeFileSync(join(root, "README.md"), "# Ours\n");
});
afterEach(() => rmSync(root, { recursive: true }));

it("finds the guide beside the program before the one of the package, and in this copy of it", () => {
	const folders = [join(root, "dist/docs"), join(root, "docs")];
	mkdirSync(folders[1] as string);
	writeFileSync(join(folders[1] as string, "index.md"), "# The guide\n");
	expect(guideAmong(folders)).toBe(folders[1]);
	mkdirSync(folders[0] as string, { recursive: true });
	writeFileSync(join(folders[0] as string, "index.md"), "# The guide\n");
	expect(guideAmong(folders)).toBe(folders[0]);
	expect(DOCS_DIR).toBe(join(PACKAGE_ROOT, "docs"));
});

it("takes no other folder for the guide where there is none", () => {
	mkdirSync(join(root, "docs"));
	expect(guideAmong([join(root, "dist/docs"), join(root, "docs")])).toBeUndefined();
});
