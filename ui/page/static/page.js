// Loads the program, shows how far the loading is, and gives the program what it needs of the page.
"use strict";

(() => {
	const element = (id) => document.getElementById(id);
	const [loading, progress, status, details, actions, lab] = ["loading", "progress", "status", "details", "actions", "lab"].map(element);

	const version = new URL(document.currentScript.src).search; // of all the files

	let shown = true; // a part of the canvas can be seen

	// An embedded page leaves wheel and touches to the browser, which scrolls the page around it and makes clicks of
	// taps, and the key that leads out of the frame. Ebitengine would take them.
	if (new URLSearchParams(location.search).get("embed") === "1") {
		document.documentElement.classList.add("embed");
		for (const type of ["wheel", "touchstart", "touchmove", "touchend"]) {
			addEventListener(type, (e) => e.stopImmediatePropagation(), { capture: true, passive: true });
		}
		addEventListener("keydown", (e) => e.key === "Tab" && e.stopImmediatePropagation(), { capture: true });
	}
	addEventListener("touchcancel", (e) => { // which Ebitengine does not know
		e.target.dispatchEvent(new TouchEvent("touchend", { targetTouches: [...e.targetTouches], cancelable: true }));
	});

	// message replaces the loading bar, or the picture, by a text, lines of output below it, and links: {text: address} or
	// {text: function}.
	function message(text, lines, links) {
		loading.hidden = false;
		lab.hidden = true;
		progress.hidden = true;
		status.textContent = text;
		status.setAttribute("role", "alert");
		details.textContent = lines.join("\n");
		details.hidden = lines.length === 0;
		actions.replaceChildren(...Object.entries(links).map(([name, address]) => {
			const a = document.createElement("a");
			a.textContent = name;
			if (typeof address === "string") {
				a.href = address;
			} else {
				a.href = again;
				a.onclick = (e) => {
					e.preventDefault();
					address();
				};
			}
			return a;
		}));
		actions.hidden = false;
		actions.firstChild?.focus();
	}

	// A link to a session of the page's server has its key, and perhaps a name, behind the number sign, where no server sees it.
	const joining = () => new URLSearchParams(location.hash.slice(1));
	const joins = joining().has("join");
	addEventListener("hashchange", () => {
		if (joins || joining().has("join")) {
			location.reload();
		}
	});

	// joinArguments returns the arguments by which the program joins. A tab keeps its name, so that a reload finds its seat.
	function joinArguments() {
		const link = joining();
		let name = link.get("name");
		try {
			name ||= sessionStorage.getItem("ghostcube-name") || "guest-" + Math.random().toString(36).slice(2, 6);
			sessionStorage.setItem("ghostcube-name", name);
		} catch { // the tab has no storage
			name ||= "guest-" + Math.random().toString(36).slice(2, 6);
		}
		return ["join", "--key=" + link.get("join"), "--name=" + name, ...(link.has("watch") ? ["--watch"] : [])];
	}

	const again = location.href.split("#")[0]; // this address loads the page again
	const reload = () => location.reload();
	const anew = joins ? reload : again;
	const without = location.search ? location.pathname + (/[?&]embed=1\b/.test(location.search) ? "?embed=1" : "") : "";

	// The program calls it: the first picture is on the screen.
	ghostcube.ready = () => {
		performance.mark("ghostcube-picture");
		loading.hidden = true;
		const canvas = document.querySelector("canvas");
		const focused = document.activeElement === canvas;
		canvas.setAttribute("role", "application"); // the keys are the program's
		canvas.setAttribute("aria-label", "The lab");
		canvas.setAttribute("aria-describedby", "session");
		canvas.tabIndex = 0;
		lab.append(canvas);
		for (const field of document.querySelectorAll("body > textarea, body > input")) { // of Ebitengine, for typing
			field.setAttribute("aria-label", "Text");
			field.tabIndex = -1; // it has the focus while a text is typed
			lab.append(field);
		}
		lab.append(...document.querySelectorAll("#knobs")); // after the picture in the order of Tab
		lab.hidden = false;
		if (focused) {
			canvas.focus();
		}
		new IntersectionObserver((list) => { shown = list[list.length - 1].isIntersecting; }).observe(canvas);
		keepFiles();
	};

	// keepFiles lets the next visit do without a network, where the browser and the page's frame allow it.
	function keepFiles() {
		try {
			navigator.serviceWorker.register("offline.js", { updateViaCache: "none" }).catch(() => {});
		} catch (e) {
			// as in a frame that has no origin, and without https
		}
	}

	ghostcube.visible = () => shown && !document.hidden;

	// The session of an embedded page in a page of its own.
	ghostcube.openLab = () => {
		const link = new URL(location.href);
		link.searchParams.delete("embed");
		link.searchParams.delete("knobs");
		window.open(link, "_blank", "noopener");
	};

	let knobs = null; // the box below the picture

	// offer shows controls below the picture, by a line each: number, label, ends, step, value, its text, a sentence. A line of one
	// part is a message. turned is called with the number of a control and the value that it is turned to.
	ghostcube.offer = (text, turned) => {
		const rows = text.split("\n").map((line) => line.split("\t"));
		const names = rows.map((row) => row.slice(0, 5)).join();
		if (knobs?.dataset.names !== names) {
			knobs?.remove();
			knobs = document.createElement("div");
			knobs.id = "knobs";
			knobs.dataset.names = names;
			knobs.setAttribute("role", "group");
			knobs.setAttribute("aria-label", "Turn while it runs");
			knobs.append(...rows.map((row) => makeKnob(row, turned)));
			lab.append(knobs);
			new ResizeObserver(() => { document.body.style.height = `calc(100% - ${knobs.offsetHeight}px)`; }).observe(knobs);
		}
		rows.forEach(([, , , , , value, shown], i) => {
			const input = knobs.children[i].lastChild;
			if (shown) {
				input.previousSibling.textContent = shown;
				input.setAttribute("aria-valuetext", shown);
				if (!input.matches(":active")) { // the hand may be ahead
					input.value = value;
				}
			}
		});
	};

	function makeKnob([number, label, min, max, step, , , title], turned) {
		const row = document.createElement(label ? "label" : "p");
		if (!label) {
			row.textContent = number;
			row.setAttribute("role", "alert");
			return row;
		}
		const input = Object.assign(document.createElement("input"), { type: "range", min, max, step, title });
		input.setAttribute("aria-label", label);
		input.oninput = () => turned(Number(number), input.valueAsNumber);
		input.onpointerup = () => document.querySelector("canvas").focus({ preventScroll: true }); // for the program's keys
		row.append(label, document.createElement("span"), input);
		return row;
	}

	// The address of the page, without the query that names a session.
	ghostcube.address = () => location.href.split(/[?#]/)[0];

	// The address names the session. One that begins has an entry of its own in the history; going back loads the one before.
	let query = location.search;
	ghostcube.setAddress = (next, another) => {
		if (joins) {
			return; // the session is the server's
		}
		if (another) {
			ghostcube.dropSession(); // it may be kept already, by the name of the entry before
			ghostcube.nameEntry("pushState", next);
		} else {
			history.replaceState(history.state, "", next);
		}
		query = location.search;
	};
	addEventListener("popstate", () => {
		if (location.search !== query) {
			location.reload();
		}
	});

	ghostcube.describe = (title, state) => {
		document.title = `${title} - Ghostcube`;
		element("title").textContent = title;
		element("session").textContent = state;
	};

	// Missing is the error of a browser that cannot run the program.
	class Missing extends Error {}

	function checkWebAssembly() {
		if (typeof WebAssembly !== "object" || !WebAssembly.compileStreaming || typeof DecompressionStream !== "function") {
			throw new Missing("This browser has no WebAssembly, or is too old. Ghostcube needs Chrome 89, Firefox 113, Safari 16.4 or newer.");
		}
	}

	function checkWebGL() {
		if (!document.createElement("canvas").getContext("webgl2")) {
			throw new Missing("This browser shows no WebGL 2 pictures. Turn on hardware acceleration in its settings, or try another browser.");
		}
	}

	const megabytes = (n) => (n / 1e6).toFixed(1);

	// Incomplete is the error of a download that has failed or broken off.
	class Incomplete extends Error {}

	// decompressed returns a stream of the program's bytes. Its file is compressed; some servers say so, and the browser has
	// decompressed it then. Any other file is an error.
	async function decompressed(stream) {
		const [look, all] = stream.tee();
		const reader = look.getReader();
		let first = [];
		while (first.length < 4) {
			const { value, done } = await reader.read();
			if (done) {
				break;
			}
			first = [...first, ...value.subarray(0, 4)];
		}
		reader.cancel();
		if (first[0] === 0x1f && first[1] === 0x8b) {
			return all.pipeThrough(new DecompressionStream("gzip"));
		}
		if (String.fromCharCode(...first.slice(0, 4)) === "\0asm") {
			return all;
		}
		all.cancel();
		throw new Incomplete(first[0] === 0x3c
			? "The server answers with a page of HTML instead of the program's file ghostcube.wasm.gz."
			: "The file ghostcube.wasm.gz on the server is not the program.");
	}

	// fetchProgram returns the module, compiled while it is downloaded.
	async function fetchProgram(signal) {
		let n = 0;
		let whole = false;
		let total = 0;
		try {
			const answer = await fetch("ghostcube.wasm.gz" + version, { signal });
			if (!answer.ok) {
				throw new Incomplete(`The program could not be loaded: the server answers ${answer.status} ${answer.statusText}.`);
			}
			total = answer.headers.has("Content-Encoding") ? 0 : Number(answer.headers.get("Content-Length"));
			const counted = answer.body.pipeThrough(new TransformStream({
				transform(part, out) {
					n += part.length;
					status.textContent = total ? `Loading: ${megabytes(n)} of ${megabytes(total)} MB` : `Loading: ${megabytes(n)} MB`;
					progress.value = total ? Math.min(1, n / total) : 0;
					out.enqueue(part);
				},
				flush() {
					whole = true;
					performance.mark("ghostcube-downloaded");
					status.textContent = "Starting";
					progress.removeAttribute("value");
				},
			}));
			const bytes = await decompressed(counted);
			return await WebAssembly.compileStreaming(new Response(bytes, { headers: { "Content-Type": "application/wasm" } }));
		} catch (e) {
			if (e instanceof Incomplete) {
				throw e;
			}
			if (n > 0 && !whole) {
				throw new Incomplete(`The download broke off after ${megabytes(n)}${total ? " of " + megabytes(total) : ""} MB.`);
			}
			throw new Incomplete(n > 0 ? `The program's file is damaged: ${e.message}` : "The program could not be loaded: the connection to the server failed.");
		}
	}

	// lastLines returns the end of the program's output; of a crash, its beginning.
	function lastLines() {
		const lines = memfs.output;
		const crash = lines.findIndex((line) => /^(panic|fatal error): /.test(line));
		return crash >= 0 ? lines.slice(crash, crash + 16) : lines.slice(-5);
	}

	let running = null; // the program

	// stop makes sure that nothing enters the program again, which the browser still calls: timers, events, pictures.
	function stop() {
		const go = running;
		running = null;
		if (go) {
			go._resume = () => {};
			go._scheduledTimeouts.forEach((id) => clearTimeout(id));
			go._scheduledTimeouts.clear();
		}
	}

	// ended shows how the program has ended.
	function ended(code) {
		stop();
		const lines = lastLines();
		if (lines.some((line) => /^(panic|fatal error): /.test(line))) {
			crashed(lines);
		} else if (joins) {
			message("This page could not join.", lines.map((line) => line.replace(/^ghostcube: /, "")), { "Try again": reload });
		} else if (code === 2) { // a link with an error
			message("This link does not work.", lines.map((line) => line.replace(/^ghostcube: /, "")), without ? { "Start without it": without } : {});
		} else {
			message(code === 0 ? "The program has ended." : "The program has ended with an error.", lines, { "Start again": anew });
		}
	}

	function crashed(lines) {
		const tape = ghostcube.leaveSession("crash");
		message("The program has crashed.", lines, {
			...(ghostcube.kept && { "Go on where it was": reload }),
			...(tape && { "Download the tape": () => ghostcube.download("session.tape", tape) }),
			"Start again": anew,
			...(without && { "Start without the link": without }),
		});
	}

	// A browser takes the graphics card from a page when its driver restarts, or when other pages need it. The page starts anew,
	// unless that has just been of no use. Ebitengine would reload the page, too, but let the session run until then.
	addEventListener("webglcontextlost", (e) => {
		e.stopImmediatePropagation();
		stop();
		const before = ghostcube.kept;
		const tape = ghostcube.leaveSession("lost");
		if (before?.why === "lost" && (!tape || tape === before.tape)) {
			message("The browser has taken the graphics card away again.", [], { "Go on where it was": reload });
		} else {
			reload();
		}
	}, { capture: true });

	// A trap in the program, as when it has used up its stack, reaches the page as an error of the event that it handled.
	addEventListener("error", (e) => {
		if (running && (e.error instanceof WebAssembly.RuntimeError || e.error instanceof RangeError)) {
			stop();
			crashed([String(e.error), ...lastLines()]);
		}
	});

	// checkPlace explains where a page cannot load anything.
	function checkPlace() {
		if (location.protocol === "file:") {
			throw new Missing("Browsers load no program from a file. Serve the folder, for example by: python3 -m http.server");
		}
		if (self.origin === "null") {
			throw new Missing("The sandbox of this frame forbids loading the program: it needs allow-same-origin beside allow-scripts.");
		}
	}

	async function main() {
		element("late").hidden = true;
		checkPlace();
		checkWebAssembly();
		const abort = new AbortController();
		const program = fetchProgram(abort.signal);
		try {
			checkWebGL(); // while the program is downloaded
		} catch (e) {
			abort.abort();
			await program.catch(() => {});
			throw e;
		}
		const module = await program;
		performance.mark("ghostcube-compiled");
		ghostcube.module = module; // for the worker (files.js)
		ghostcube.restoreKept();
		if (joins || ghostcube.afresh()) {
			ghostcube.forgetSession(); // a link that is opened afresh, though it may be the one of the page before
		} else {
			ghostcube.findSession();
		}
		const go = new Go();
		go.argv = ["ghostcube", ...(joins ? joinArguments() : ["open", ghostcube.kept?.link ?? location.search])];
		go.exit = ended;
		const instance = await WebAssembly.instantiate(module, go.importObject);
		running = go;
		status.textContent = joins ? "Joining" : "Starting";
		performance.mark("ghostcube-started");
		await go.run(instance);
	}

	main().catch((e) => {
		stop();
		if (e instanceof Missing) {
			message(e.message, [], {});
		} else if (e instanceof Incomplete) {
			message(e.message, [], { "Try again": reload });
		} else {
			crashed([String(e), ...lastLines()]);
		}
	});
})();
