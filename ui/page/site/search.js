// Searches the headings and texts of all pages, which search-index.js has, while the reader types. The index is loaded when the field
// has the focus for the first time. A word need not be
// whole, and may have one wrong letter. A section whose heading has the words comes before one that has them in its text.
"use strict";

(() => {
	const field = document.getElementById("search-field");
	const results = document.getElementById("search-results");
	const root = document.body.dataset.root;
	const mostResults = 12;
	const mostOfPage = 2; // sections
	const secondShare = 0.6; // of its score counts for the second one

	// What a word counts where it stands. In a text it counts less than textWeight, by how often it occurs.
	const headingWeight = 6;
	const nameWeight = 6; // one of the field's names for what the page is about
	const titleWeight = 3; // of the section's page
	const textWeight = 2;
	const elsewhereWeight = 0.4; // in another section of the page
	const phraseBonus = 1.5; // factor of a section whose heading has all words together
	const titleBonus = 2; // one more, of the page whose title it is
	const sameBonus = 4; // factor of a section whose heading, or a name in it, is what the reader typed

	const skipped = new Set("a an and are as at be by can did do does explained for from has have how i in into is it its me multiplayer my netcode of on or the their this to versus vs what when where which who why with you your".split(" "));

	// wordsOf returns the words of a text; "peeker's" is a word.
	const wordsOf = (text) => text.toLowerCase().replace(/['’]/g, "").match(/[\p{L}\p{N}_]+/gu) ?? [];

	// index is what the search knows of the sections. It is made of searchIndex when it is first needed.
	let index = null;

	// makeIndex returns places, which has for each word the sections with it, and what it counts in each; the number of
	// pages; and for each section its page and its heading.
	function makeIndex() {
		const places = new Map();
		const pages = new Map(); // by their files
		const sections = searchIndex.map((s, i) => {
			const file = s.url.split("#")[0];
			pages.set(file, pages.size);
			const counts = new Map(); // of the words in the text
			const best = new Map(); // what a word counts by where else it stands
			const note = (words, weight) => words.forEach((w) => best.set(w, Math.max(best.get(w) ?? 0, weight)));
			const parts = (text) => wordsOf(text).flatMap((w) => w.includes("_") ? [w, ...w.split("_")] : [w]);
			note(parts(s.page), titleWeight);
			note(parts(s.also ?? ""), nameWeight);
			note(parts(s.heading), headingWeight);
			parts(s.text).forEach((w) => counts.set(w, (counts.get(w) ?? 0) + 1));
			for (const w of new Set([...counts.keys(), ...best.keys()])) {
				const n = counts.get(w) ?? 0;
				if (!places.has(w)) {
					places.set(w, new Map());
				}
				places.get(w).set(i, (best.get(w) ?? 0) + textWeight * n / (n + 2));
			}
			return { file, names: s.heading.split(", ").map((name) => wordsOf(name).join(" ")), phrase: ` ${wordsOf(s.heading).join(" ")} ` };
		});
		return { places, sections, pages: new Set(pages.keys()).size };
	}

	// nearly reports whether two words differ by one letter: another one, one too many or too few, or two exchanged.
	function nearly(a, b) {
		if (Math.abs(a.length - b.length) > 1) {
			return false;
		}
		let i = 0;
		while (i < a.length && a[i] === b[i]) {
			i++;
		}
		const [x, y] = [a.slice(i), b.slice(i)];
		return x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1) ||
			x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2);
	}

	// forms returns the words of the index that stand for a typed word, with how much each counts.
	function forms(typed) {
		const found = new Map();
		for (const w of index.places.keys()) {
			if (w === typed) {
				found.set(w, 1);
			} else if (typed.length >= 2 && w.startsWith(typed)) {
				found.set(w, typed.length >= 4 && w.length - typed.length <= 3 ? 0.8 : 0.5);
			} else if (w.length >= 4 && typed.length - w.length <= 3 && typed.startsWith(w)) {
				found.set(w, 0.6);
			}
		}
		if (found.size === 0 && typed.length >= 4) {
			for (const w of index.places.keys()) {
				if (nearly(typed, w)) {
					found.set(w, 0.6);
				}
			}
		}
		return found;
	}

	// search returns the sections that fit a text, best first, and the words that it looked for.
	function search(text) {
		index ??= makeIndex();
		const all = wordsOf(text);
		const some = all.filter((w) => !skipped.has(w));
		const typed = [...new Set(some.length > 0 ? some : all)];
		const phrase = all.join(" ");
		const scores = new Map(); // by section: for each word what it counts
		const onPage = new Map(); // by file: for each word what it counts at most
		let sum = 0;
		const used = new Set();
		typed.forEach((word, k) => {
			const list = forms(word);
			const pages = new Set();
			for (const w of list.keys()) {
				used.add(w);
				for (const i of index.places.get(w).keys()) {
					pages.add(index.sections[i].file);
				}
			}
			const rare = Math.log(1 + index.pages / (pages.size + 0.5));
			sum += rare;
			for (const [w, share] of list) {
				for (const [i, n] of index.places.get(w)) {
					const file = index.sections[i].file;
					if (!scores.has(i)) {
						scores.set(i, []);
					}
					if (!onPage.has(file)) {
						onPage.set(file, []);
					}
					scores.get(i)[k] = Math.max(scores.get(i)[k] ?? 0, n * share * rare);
					onPage.get(file)[k] = rare;
				}
			}
		});
		const found = [];
		for (const [i, counts] of scores) {
			const { file, names, phrase: heading } = index.sections[i];
			let score = 0;
			let covered = 0;
			typed.forEach((_, k) => {
				const there = onPage.get(file)[k] ?? 0;
				score += counts[k] ?? there * elsewhereWeight;
				covered += counts[k] ? there : there * 0.7;
			});
			score *= (covered / sum) ** 2 * Math.sqrt(searchIndex[i].weight);
			if (names.includes(phrase)) {
				score *= sameBonus * (searchIndex[i].heading === searchIndex[i].page && heading === ` ${phrase} ` ? titleBonus : 1);
			} else if (heading.includes(` ${phrase} `)) {
				score *= phraseBonus;
			}
			found.push({ section: searchIndex[i], file, score });
		}
		found.sort((a, b) => b.score - a.score);
		const listed = new Map(); // sections of a page, by its file
		const kept = found.filter((x) => {
			const n = listed.get(x.file) ?? 0;
			listed.set(x.file, n + 1);
			x.score *= secondShare ** n;
			return n < mostOfPage;
		});
		kept.sort((a, b) => b.score - a.score);
		return { found: kept.map((x) => x.section), words: [...used] };
	}

	// excerpt returns the text around the first of the words that occurs.
	function excerpt(text, words) {
		const lower = text.toLowerCase();
		const at = Math.min(...words.map((w) => lower.indexOf(w)).filter((i) => i >= 0), text.length);
		const from = Math.max(0, at === text.length ? 0 : at - 60);
		return (from > 0 ? "…" : "") + text.slice(from, from + 160) + (from + 160 < text.length ? "…" : "");
	}

	let loading = null; // the script with the index

	function load() {
		if (!loading && typeof searchIndex === "undefined") {
			loading = document.createElement("script");
			loading.src = root + "search-index.js";
			loading.onload = show;
			document.head.append(loading);
		}
	}

	function show() {
		results.replaceChildren();
		results.hidden = wordsOf(field.value).length === 0;
		if (results.hidden) {
			return;
		}
		if (typeof searchIndex === "undefined") {
			load(); // and it is shown then
			return;
		}
		const { found, words } = search(field.value);
		const note = document.createElement("p");
		note.textContent = found.length === 0 ? "No page has these words." : found.length > mostResults ? `The best ${mostResults} sections:` : `${found.length} sections:`;
		const list = document.createElement("ol");
		for (const s of found.slice(0, mostResults)) {
			const item = document.createElement("li");
			const link = document.createElement("a");
			link.href = root + s.url;
			link.textContent = s.heading === s.page ? s.page : `${s.page}: ${s.heading}`;
			item.append(link, document.createElement("br"), excerpt(s.text, words));
			list.append(item);
		}
		results.append(note, list);
	}

	field.addEventListener("focus", load);
	field.addEventListener("input", show);
	field.addEventListener("keydown", (e) => {
		if (e.key === "Escape") {
			field.value = "";
			show();
		}
	});

	if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
		for (const video of document.querySelectorAll("video")) {
			video.autoplay = false;
			video.pause();
		}
	}
})();
