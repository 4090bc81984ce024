/** The tools about what the agent may do in embeds (PRE-1 to 3): a key may read it, narrow it, and ask for more, which its owner decides. */
import type { Widening } from "../../shared/presets.js";
import { PRESET_TOOLS } from "../../shared/tools.schema.js";
import type { PresetState } from "../engine/presets.js";
import { runs, type ToolTable } from "./tools-run.js";

const shown = ({ preset, waiting }: PresetState) => {
	const { webSearch, apps } = preset;
	const widenings = waiting.map((approval) => approval.widening);
	const asked: { webSearch?: boolean; apps?: Record<string, Exclude<Widening["to"], true>> } = {};
	if (widenings.some(({ to }) => to === true)) asked.webSearch = true;
	const wanted = widenings.flatMap(({ part, to }) => (to === true ? [] : [[part, to] as const]));
	if (wanted.length > 0) asked.apps = Object.fromEntries(wanted);
	return { presets: { webSearch, apps: { ...apps } }, ...(widenings.length > 0 ? { waiting: asked } : {}) };
};

export const presetTools: ToolTable = {
	eol_get_embed_presets: runs(PRESET_TOOLS.eol_get_embed_presets, async ({ presets, desk }) => shown(await presets.get(desk.row.handle))),
	eol_update_embed_presets: runs(PRESET_TOOLS.eol_update_embed_presets, async ({ presets, desk }, change) =>
		shown(await presets.change(desk.row.handle, change)),
	),
};
