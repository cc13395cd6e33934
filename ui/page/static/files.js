// What leaves the page: files, texts for the clipboard, and what the browser keeps until the next visit. It also starts
// the worker that makes videos and reports, and watches whether the tab is hidden.
"use strict";

(() => {
	const version = new URL(document.currentScript.src).search; // of all the files

	// Settings files are kept under this name and their path.
	const keptPrefix = "ghostcube:";
	const keptMax = 500000; // characters in all

	// A session is kept in the storage of its tab, by the name that its entry in the browser's history has: a reload finds it,
	// and a link that is opened afresh does not. A reload of the page around a frame makes a new entry for the frame, so the storage
	// has the name for the frame's place and link, too.
	const framePrefix = "ghostcube-frame:";
	const frame = framePlace() && framePrefix + framePlace() + location.search; // empty: the page is in no frame
	const sessionPrefix = "ghostcube-session:";
	const sessionMax = 1000000; // characters of a session
	const sessionCount = 8; // in a tab: each frame has one
	const keepInterval = 5000; // milliseconds

	let entry = ""; // name of the entry; the history's own may be that of another one by the time the page is left
	let session = null; // {link, file, rest, place}
	let keptAt = 0;
	let leaving = false; // the page is being left, for a reload perhaps

	let tasks = 0; // of the worker
	let hiddenSince = document.hidden ? performance.now() : 0;
	let timeHidden = 0; // milliseconds, not yet told to the program

	function baseName(path) {
		return path.slice(path.lastIndexOf("/") + 1);
	}

	function download(name, bytes) {
		const link = document.createElement("a");
		link.href = URL.createObjectURL(new Blob([bytes]));
		link.download = baseName(name);
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60000);
	}

	function element(name, text = "") {
		const e = document.createElement(name);
		e.textContent = text;
		return e;
	}

	// focusProgram gives the keys back to the program.
	function focusProgram() {
		document.querySelector("canvas")?.focus();
	}

	// showText shows a text that could not be copied, selected, so that nothing is lost.
	function showText(text) {
		const dialog = element("dialog");
		const field = element("textarea", text);
		const buttons = element("p");
		const copy = element("button", "Copy");
		const close = element("button", "Close");
		field.readOnly = true;
		field.rows = Math.min(8, 1 + Math.ceil(text.length / 60));
		copy.onclick = () => {
			field.select();
			if (document.execCommand("copy")) {
				dialog.close();
			}
		};
		close.onclick = () => dialog.close();
		dialog.onclose = () => {
			dialog.remove();
			focusProgram();
		};
		buttons.append(copy, close);
		dialog.append(element("p", "The browser did not copy this text by itself. It is selected here:"), field, buttons);
		document.body.append(dialog);
		dialog.showModal();
		field.focus();
		field.select();
	}

	function keptSize() {
		let n = 0;
		for (const [key, value] of Object.entries(localStorage)) {
			n += key.startsWith(keptPrefix) ? key.length + value.length : 0;
		}
		return n;
	}

	// framePlace returns the numbers of the frame and of those around it.
	function framePlace() {
		let place = "";
		for (let w = self; w !== w.parent; w = w.parent) {
			const n = Array.from({ length: w.parent.length }, (_, i) => w.parent[i]).indexOf(w);
			place = n + "." + place;
		}
		return place;
	}

	function sessionKey() {
		entry ||= history.state?.ghostcube ?? "";
		if (!entry) {
			ghostcube.nameEntry("replaceState", "", (frame && sessionStorage.getItem(frame)) || undefined);
		}
		return sessionPrefix + entry;
	}

	// sessionTape returns the tape of the session so far; empty: there is none.
	function sessionTape() {
		return session ? new TextDecoder().decode(memfs.get(session.file)) + session.rest : "";
	}

	document.addEventListener("visibilitychange", () => {
		if (document.hidden) {
			if (!leaving) {
				ghostcube.keepSession("ended");
			}
			hiddenSince = performance.now();
		} else if (hiddenSince > 0) {
			timeHidden += performance.now() - hiddenSince;
			hiddenSince = 0;
		}
	});
	addEventListener("beforeunload", (e) => {
		if (tasks > 0) { // a video would be lost
			e.preventDefault();
		}
	});
	addEventListener("pagehide", () => {
		leaving = true;
		ghostcube.keepSession("reload");
	});
	addEventListener("pageshow", () => { leaving = false; });

	// The functions that the program calls (package ui/platform).
	globalThis.ghostcube = {
		module: null, // the compiled program

		// deliver downloads a file, which then leaves the memory.
		deliver(path) {
			download(path, memfs.get(path));
			fs.unlink(path, () => {});
		},

		// copy copies a text, or shows it. It resolves to whether the text is in the clipboard.
		async copy(text) {
			try {
				await navigator.clipboard.writeText(text);
				return true;
			} catch {
				showText(text);
				return false;
			}
		},

		// keep keeps a file until the next visit. It returns why it cannot, or nothing.
		keep(path) {
			const text = new TextDecoder().decode(memfs.get(path));
			const key = keptPrefix + path;
			try {
				if (keptSize() - (localStorage.getItem(key)?.length ?? 0) + text.length > keptMax) {
					return "the page keeps at most 500 kB between visits";
				}
				localStorage.setItem(key, text);
			} catch (e) {
				return "the browser keeps nothing for this page: " + e.message;
			}
			return "";
		},

		// restoreKept puts the files of earlier visits into the memory.
		restoreKept() {
			try {
				for (const [key, value] of Object.entries(localStorage)) {
					if (key.startsWith(keptPrefix)) {
						memfs.put(key.slice(keptPrefix.length), new TextEncoder().encode(value));
					}
				}
			} catch { // the browser has no storage for this page
			}
		},

		kept: null, // the session that goes on: {version, why, link, place, tape}

		// nameEntry changes the history, by pushState or replaceState, to an entry with another name: of another session.
		nameEntry(change, address = "", name = Date.now().toString(36) + Math.random().toString(36).slice(2)) {
			entry = name;
			history[change]({ ghostcube: entry }, "", address);
			if (frame) {
				try {
					sessionStorage.setItem(frame, entry);
				} catch { // the tab has no storage
				}
			}
		},

		// afresh reports whether this page is neither reloaded nor come back to, nor any around its frame that may be asked.
		afresh() {
			try {
				for (let w = self; ; w = w.parent) {
					if (w.performance.getEntriesByType("navigation")[0].type !== "navigate") {
						return false;
					}
					if (w === w.parent) {
						return true;
					}
				}
			} catch { // the page of another site
				return true;
			}
		},

		// remember takes what there is to keep of the session (ui/session, Kept).
		remember(link, file, rest, place) {
			if (rest === "") {
				this.forgetSession();
				return;
			}
			session = { link: link || session.link, file: file || session.file, rest, place };
			if (performance.now() - keptAt > keepInterval) {
				this.keepSession("ended");
			}
		},

		// keepSession keeps the session in the tab, for the reason why.
		keepSession(why) {
			keptAt = performance.now();
			try {
				const { link, place } = session;
				const tape = sessionTape();
				if (tape.length <= sessionMax) {
					sessionStorage.setItem(sessionKey(), JSON.stringify({ version, why, link, place, tape }));
				}
				const names = Object.keys(sessionStorage).filter((name) => name.startsWith(sessionPrefix)).sort();
				names.slice(0, -sessionCount).forEach((name) => sessionStorage.removeItem(name));
			} catch { // there is no session yet, or the tab has no storage, or a full one
			}
		},

		// leaveSession keeps the session as it is: the program has stopped. It returns the tape; empty: there is none.
		leaveSession(why) {
			this.keepSession(why);
			const tape = sessionTape();
			session = null;
			this.findSession();
			return tape;
		},

		forgetSession() {
			session = null;
			this.dropSession();
		},

		// dropSession removes what is kept by the name of the entry. The session goes on.
		dropSession() {
			try {
				sessionStorage.removeItem(sessionKey());
			} catch { // the tab has no storage
			}
		},

		// findSession finds the session that was kept, if this version of the program did.
		findSession() {
			this.kept = null;
			try {
				const found = JSON.parse(sessionStorage.getItem(sessionKey()));
				if (found?.version === version) {
					this.kept = found;
				}
			} catch { // the tab has no storage
			}
		},

		download,

		// hidden returns for how many milliseconds the tab was hidden since the last call.
		hidden() {
			const n = timeHidden;
			timeHidden = 0;
			return n;
		},

		// run runs the program in a worker. files has pairs of a path and bytes. done is called once, with the exit code,
		// the output and the wanted file.
		run(args, files, wanted, progress, done) {
			let worker;
			const end = (code, output, file) => {
				tasks--;
				worker?.terminate();
				done(code, output, file);
			};
			tasks++;
			try {
				worker = new Worker("worker.js" + version);
			} catch (e) { // as in a frame that has no origin
				setTimeout(end, 0, -1, String(e), new Uint8Array(0));
				return;
			}
			worker.onmessage = ({ data }) => {
				if (data.progress !== undefined) {
					progress(data.progress);
				} else {
					end(data.code, data.output, data.file);
				}
			};
			worker.onerror = (e) => end(-1, e.message ?? "the worker did not start", new Uint8Array(0));
			worker.postMessage({ module: this.module, args, files, wanted });
		},
	};
})();
