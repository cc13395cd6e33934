// Loads the program, shows how far the loading is, and gives the program what it needs of the page.
"use strict";

(() => {
	const status = document.getElementById("status");
	const progress = document.getElementById("progress");
	const loading = document.getElementById("loading");

	// fail replaces the loading bar by a message.
	function fail(text) {
		loading.hidden = false;
		progress.hidden = true;
		status.textContent = text;
	}

	function download(name, bytes) {
		const link = document.createElement("a");
		link.href = URL.createObjectURL(new Blob([bytes]));
		link.download = name.slice(name.lastIndexOf("/") + 1);
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 60000);
	}

	// The functions that the program calls (package ui/host).
	globalThis.ghostcube = {
		deliver(name) { download(name, memfs.get(name)); },
		copy(text) { return navigator.clipboard.writeText(text); },
		ready() { loading.hidden = true; }, // the first picture is on the screen
	};

	const megabytes = (n) => (n / 1e6).toFixed(1);

	// fetchProgram returns the module. Its file is compressed; the server need not know how to.
	async function fetchProgram() {
		const answer = await fetch("ghostcube.wasm.gz");
		if (!answer.ok) {
			throw new Error(`${answer.url}: ${answer.status} ${answer.statusText}`);
		}
		const total = Number(answer.headers.get("Content-Length"));
		let n = 0;
		const counted = answer.body.pipeThrough(new TransformStream({
			transform(part, out) {
				n += part.length;
				status.textContent = total ? `Loading: ${megabytes(n)} of ${megabytes(total)} MB` : `Loading: ${megabytes(n)} MB`;
				progress.value = total ? n / total : 0;
				out.enqueue(part);
			},
			flush() {
				status.textContent = "Starting";
				progress.removeAttribute("value");
			},
		}));
		const bytes = counted.pipeThrough(new DecompressionStream("gzip"));
		return WebAssembly.compileStreaming(new Response(bytes, { headers: { "Content-Type": "application/wasm" } }));
	}

	function missing() {
		if (typeof WebAssembly !== "object" || !WebAssembly.compileStreaming || typeof DecompressionStream !== "function") {
			return "This browser has no WebAssembly, or is too old. Ghostcube needs Chrome 89, Firefox 113, Safari 16.4 or newer.";
		}
		if (!document.createElement("canvas").getContext("webgl2")) {
			return "This browser shows no WebGL 2 pictures. Turn on hardware acceleration in its settings, or try another browser.";
		}
		return "";
	}

	async function main() {
		const why = missing();
		if (why) {
			fail(why);
			return;
		}
		const module = await fetchProgram();
		const go = new Go();
		go.argv = ["ghostcube", "open", location.search];
		go.exit = (code) => {
			go._resume = () => {}; // listeners of the program may still be called
			fail(memfs.output.slice(-5).join("\n") || `The program has ended with code ${code}.`);
		};
		await go.run(await WebAssembly.instantiate(module, go.importObject));
	}

	main().catch((e) => fail(String(e)));
})();
