/**
 * Where this package lies on the disk, the same from source and from the bundle in dist/. Whoever reads a file that is
 * shipped beside the code (the built chat, the demo's memory) starts here.
 */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

function above(folder: string): string {
	if (existsSync(join(folder, "package.json"))) return folder;
	const parent = dirname(folder);
	if (parent === folder) throw new Error("The folder of the package is not there: run earthonline from a whole copy of it.");
	return above(parent);
}

/** Absolute path of the folder that holds package.json. */
export const PACKAGE_ROOT = above(dirname(fileURLToPath(import.meta.url)));

/** The guide among these folders; undefined where there is none. Never another folder: what is served from it is for everybody. */
export const guideAmong = (folders: readonly string[]): string | undefined =>
	folders.find((folder) => existsSync(join(folder, "index.md")));

/** Absolute path of the guide: the build puts a copy beside the bundle. Undefined where it was left out: then none is served. */
export const DOCS_DIR = guideAmong([join(dirname(fileURLToPath(import.meta.url)), "docs"), join(PACKAGE_ROOT, "docs")]);
