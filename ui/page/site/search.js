// Searches the headings and texts of all pages, which search-index.js has, while the reader types.
"use strict";

(() => {
	const field = document.getElementById("search");
	const results = document.getElementById("results");
	const root = document.body.dataset.root;
	const mostResults = 12;

	// score returns how well a section fits all words, or 0 if one of them is missing.
	function score(section, words) {
		let sum = 0;
		for (const w of words) {
			const inHeading = section.heading.toLowerCase().includes(w);
			const inText = section.text.toLowerCase().includes(w);
			if (!inHeading && !inText) {
				return 0;
			}
			sum += inHeading ? 10 : 1;
		}
		return sum * section.weight;
	}

	// excerpt returns the text around the first of the words that occurs.
	function excerpt(text, words) {
		const lower = text.toLowerCase();
		const at = Math.min(...words.map((w) => lower.indexOf(w)).filter((i) => i >= 0), text.length);
		const from = Math.max(0, at === text.length ? 0 : at - 60);
		return (from > 0 ? "…" : "") + text.slice(from, from + 160) + (from + 160 < text.length ? "…" : "");
	}

	function show() {
		const words = field.value.toLowerCase().split(/\s+/).filter((w) => w !== "");
		results.replaceChildren();
		results.hidden = words.length === 0;
		if (results.hidden) {
			return;
		}
		const found = searchIndex.map((s) => ({ s, score: score(s, words) })).filter((x) => x.score > 0).sort((a, b) => b.score - a.score);
		const note = document.createElement("p");
		note.textContent = found.length === 0 ? "No page contains all of these words." : found.length > mostResults ? `The best ${mostResults} of ${found.length} sections:` : `${found.length} sections:`;
		const list = document.createElement("ol");
		for (const { s } of found.slice(0, mostResults)) {
			const item = document.createElement("li");
			const link = document.createElement("a");
			link.href = root + s.url;
			link.textContent = s.heading === s.page ? s.page : `${s.page}: ${s.heading}`;
			item.append(link, document.createElement("br"), excerpt(s.text, words));
			list.append(item);
		}
		results.append(note, list);
	}

	field.addEventListener("input", show);
	field.addEventListener("keydown", (e) => {
		if (e.key === "Escape") {
			field.value = "";
			show();
		}
	});
})();
