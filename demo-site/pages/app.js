// A router as many sites have: each step swaps the whole body for another and changes the address. The line stands in the head.
const pages = {
	"": ["The workshop list", "Three ways to get clay under your nails this spring.", "#wheel"],
	"#wheel": ["At the wheel", "Saturdays from 16:30, six people, two pieces each, €65 with firing.", "#plants"],
	"#plants": ["Drawing from plants", "First Wednesday of the month, ink and paper included, €40.", "#group"],
	"#group": ["A wheel for your group", "Four to eight people, three hours, €420, on any weekday.", ""],
};
function make(tag, name, ...children) {
	const element = document.createElement(tag);
	if (name) element.className = name;
	element.append(...children);
	return element;
}
function link(href, text, name) {
	const element = make("a", name, text);
	element.href = href;
	return element;
}
const bar = document.querySelector("aside");
function show() {
	const [title, text, next] = pages[location.hash] ?? pages[""];
	const body = document.createElement("body");
	const top = make("header", "wrap top", link("/studio.html", "Mira Lin", "name"));
	const main = make(
		"main",
		"wrap prose",
		make(
			"section",
			"",
			make("p", "eyebrow", "Workshops"),
			make("h1", "", title),
			make("p", "lead", text),
			link(next || "#", "Next", "button"),
		),
	);
	body.append(bar, top, main);
	document.body.replaceWith(body);
}
addEventListener("hashchange", show);
show();
