// Runs the program once more, beside the session and without a window, as its command line does: for a video or a report
// of the session. The page (files.js) posts {module, args, files}; answers are {progress} and at last {code, output, file}.
"use strict";

// Ebitengine, which is linked into the program, prepares a canvas when it is initialised. A worker has no page for that,
// and needs none: the document is an object whose properties and results are that same object.
const anything = new Proxy(function () {}, { get: () => anything, set: () => true, apply: () => anything });
globalThis.window = globalThis;
globalThis.document = anything;
globalThis.Document = class { get hidden() { return false; } };
globalThis.matchMedia = () => anything;
globalThis.eval = () => {}; // of the script that typing.js replaces

importScripts("memfs.js" + location.search, "wasm_exec.js" + location.search); // the version of all the files

// The program calls it (package ui/platform).
globalThis.ghostcubeProgress = (share) => postMessage({ progress: share });

onmessage = async (message) => {
	const { module, args, files, wanted } = message.data;
	for (const [path, bytes] of files) {
		memfs.put(path, bytes);
	}
	const go = new Go();
	go.argv = ["ghostcube", ...args];
	let code = 0;
	go.exit = (c) => {
		code = c;
		go._resume = () => {}; // timers of the program may still be running
		go._scheduledTimeouts.forEach((id) => clearTimeout(id));
		go._scheduledTimeouts.clear();
	};
	try {
		await go.run(await WebAssembly.instantiate(module, go.importObject));
	} catch (e) {
		code = -1;
		memfs.output.push(String(e));
	}
	let file = new Uint8Array(0);
	if (code === 0 && wanted) {
		file = memfs.get(wanted);
	}
	postMessage({ code, output: memfs.output.join("\n"), file }, [file.buffer]);
};
