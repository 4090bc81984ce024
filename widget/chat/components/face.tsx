/** Faces: the desk's own picture, and the first letter of a person who speaks for it. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";

/** The desk's picture; its first letter where there is none or it does not come. Decoration: the name always stands beside it. */
export function Face({ src, name, size }: { src?: string; name: string; size: number }): JSX.Element {
	const [broken, setBroken] = useState<string>();
	if (!src || broken === src) return <Initial name={name} />;
	return <img class="face" src={src} alt="" width={size} height={size} decoding="async" onError={() => setBroken(src)} />;
}

export function Initial({ name }: { name: string }): JSX.Element {
	return (
		<span class="face initial" aria-hidden="true">
			{[...name.trim()][0]?.toUpperCase() ?? ""}
		</span>
	);
}
