// The page's own theme switch. It knows nothing of the desk: the desk watches the page.
const button = document.getElementById("theme");
const names = { dark: "Read in the light", light: "Read in the dark" };
button.addEventListener("click", () => {
	const root = document.documentElement;
	const next = root.classList.contains("dark") ? "light" : "dark";
	root.className = next;
	button.textContent = names[next];
});
