/** Pictures beside the words that are being written: how each looks, how far it has come, and what can be done about it. */
import type { JSX } from "preact";
import { Icon } from "../../ui/icons.js";
import type { Attachments } from "../attachments.js";
import type { Words } from "../i18n.js";

export function AttachedPictures({
	attachments,
	words,
	onRemoved,
}: {
	attachments: Attachments;
	words: Words;
	onRemoved(): void;
}): JSX.Element | null {
	const { list, tooMany, left } = attachments;
	const ready = list.filter((one) => one.state === "ready").length;
	if (list.length === 0) return null;
	return (
		<div class="attached">
			<ul aria-label={words.pictures}>
				{list.map(({ id, name, preview, state, progress, problem }) => (
					<li key={id} class={state}>
						{problem === "type" || problem === "broken" ? <Icon name="file" /> : <img src={preview} alt="" />}
						<div>
							<span dir="auto">{name || words.picture}</span>
							{state === "sending" && <progress value={progress} max={1} aria-label={words.uploading(name)} />}
							{state === "failed" && (
								<p role="alert">
									{words.unfit[problem ?? "trouble"]}
									{(problem === "trouble" || problem === "fast") && (
										<button type="button" onClick={() => attachments.retry(id)}>
											{words.retry}
										</button>
									)}
								</p>
							)}
						</div>
						<button
							type="button"
							class="round"
							aria-label={words.removePicture(name)}
							title={words.removePicture(name)}
							onClick={() => {
								attachments.remove(id);
								onRemoved();
							}}
						>
							<Icon name="close" />
						</button>
					</li>
				))}
			</ul>
			<p class={tooMany || left ? "over" : "unseen"} role="status">
				{tooMany ? words.unfit.many : left ? words.picturesLeft(list.length) : ready > 0 ? words.picturesReady(ready) : ""}
			</p>
		</div>
	);
}
