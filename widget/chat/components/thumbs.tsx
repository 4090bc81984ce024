/** What the visitor thinks of an answer: one of two thumbs, pressed again to take it back. */
import type { JSX } from "preact";
import type { Rating } from "../../../shared/channel.js";
import { Icon } from "../../ui/icons.js";
import type { Words } from "../i18n.js";

export interface ThumbsProps {
	words: Words;
	value?: Rating;
	onRate(value: Rating | "none"): void;
}

export function Thumbs({ words, value, onRate }: ThumbsProps): JSX.Element {
	return (
		<p class={value ? "thumbs set" : "thumbs"}>
			{(["up", "down"] as const).map((side) => (
				<button
					key={side}
					type="button"
					class="round"
					aria-label={words.thumbs[side]}
					title={words.thumbs[side]}
					aria-pressed={value === side}
					onClick={() => onRate(value === side ? "none" : side)}
				>
					<Icon name={side === "up" ? "thumbUp" : "thumbDown"} />
				</button>
			))}
		</p>
	);
}
