/**
 * The script of the page that makes a line: asks the server for the line again whenever something was chosen, shows it, and
 * copies. Without it the page's button does the same. Text only ever goes into `textContent`.
 */
export const SNIPPET_SCRIPT = `const form = document.getElementById("choice");
let frame = document.getElementById("preview");
let asked = 0;
let later;

for (const pre of document.querySelectorAll("pre[id]")) {
	const button = document.createElement("button");
	button.type = "button";
	button.className = "copy";
	button.textContent = form.dataset.copy;
	button.addEventListener("click", async () => {
		try {
			await navigator.clipboard.writeText(pre.textContent);
			button.textContent = form.dataset.copied;
			setTimeout(() => { button.textContent = form.dataset.copy; }, 2000);
		} catch {
			getSelection().selectAllChildren(pre);
		}
	});
	pre.after(button);
}

// A line that is not what the fields say must not stand there to be copied.
function without(place, why) {
	for (const made of document.querySelectorAll("[data-made]")) made.hidden = Boolean(why);
	const failed = document.getElementById("failed");
	failed.hidden = place !== failed;
	document.getElementById("show").hidden = place !== failed;
	const missing = document.getElementById("handle-wrong");
	missing.hidden = place !== missing;
	document.getElementById("handle").setAttribute("aria-invalid", place === missing);
	if (place) place.textContent = why;
}

async function renew() {
	const turn = ++asked;
	const query = new URLSearchParams(new FormData(form));
	const answer = await fetch("/snippet.json?" + query, { headers: { accept: "application/json" } }).catch(() => undefined);
	const said = await answer?.json().catch(() => undefined);
	if (turn !== asked) return;
	history.replaceState(null, "", "/snippet?" + query);
	const other = document.getElementById("other");
	query.set("lang", other.lang);
	other.href = "/snippet?" + query;
	if (!answer?.ok || !said)
		return without(document.getElementById(answer?.status === 404 ? "handle-wrong" : "failed"), said?.error?.message ?? form.dataset.failed);
	without();
	for (const [id, text] of Object.entries(said.texts)) {
		const place = document.getElementById(id);
		if (place) place.textContent = text;
	}
	document.getElementById("check").href = said.check;
	for (const field of form.querySelectorAll("[data-wrong]")) {
		const wrong = said.wrong.includes(field.name);
		field.setAttribute("aria-invalid", wrong);
		document.getElementById(field.name + "-wrong").hidden = !wrong;
	}
	for (const part of form.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(said.mode);
	document.getElementById("look").disabled = said.numbered;
	const picture = document.getElementById("badge");
	if (picture && picture.getAttribute("src") !== said.picture) {
		picture.src = said.picture;
		picture.height = said.height;
	}
	document.getElementById("screen").className = "screen " + said.view;
	if (frame.getAttribute("src") !== said.preview) {
		// A new frame: another address in the old one would be a step of the browser's back button.
		const next = frame.cloneNode();
		next.src = said.preview;
		frame.replaceWith(next);
		frame = next;
	}
}

document.getElementById("show").hidden = true;
form.addEventListener("input", () => {
	clearTimeout(later);
	later = setTimeout(() => renew().catch(() => {}), 250);
});
form.addEventListener("submit", (event) => {
	event.preventDefault();
	renew().catch(() => form.submit());
});
`;
