// Typing: the text area through which input methods and the keyboards of phones reach the program, and the clipboard's
// text. Ebitengine (package exp/textinput) makes the text area while a text is being typed, and says by two variables where
// it shall be; to focus it is up to the page, since some browsers show a keyboard only in answer to a touch.
"use strict";

(() => {
	const areaName = "ebitengine-textinput";
	const pasteTime = 300; // milliseconds in which the browser's paste follows the keys for it
	const pasteKept = 2000; // milliseconds for which a paste waits for the program

	// A phone of Apple's shows its keyboard only if the text area is focused while the browser handles a touch.
	const needsTouch = matchMedia("(pointer: coarse)").matches && /^(iP|Mac)/.test(navigator.platform);

	let pasted = null; // {text, at}, not yet asked for
	let waiting = null; // takes the next paste

	// Ebitengine's own handler of this kind is a text for eval, which the page's policy forbids. It is the next function.
	globalThis.eval = () => {};

	// focusArea focuses the text area, if Ebitengine has asked for that.
	function focusArea() {
		const x = window._ebitengine_textinput_x;
		const y = window._ebitengine_textinput_y;
		const area = document.getElementById(areaName);
		if (x === undefined || y === undefined || !area) {
			return;
		}
		area.value = "";
		area.style.left = x + "px";
		area.style.top = y + "px";
		area.focus({ preventScroll: true });
		window._ebitengine_textinput_x = undefined;
		window._ebitengine_textinput_y = undefined;
		window._ebitengine_textinput_ready = true;
	}
	for (const type of ["mouseup", "touchend", "keyup"]) {
		document.body.addEventListener(type, focusArea);
	}

	// isPaste reports whether keys paste.
	function isPaste(e) {
		return (e.ctrlKey || e.metaKey) && !e.altKey && e.key.toLowerCase() === "v" || e.shiftKey && e.key === "Insert";
	}

	// types reports whether a key in the text area makes characters, there or in an input method.
	function types(e) {
		if (e.isComposing || e.key === "Process" || e.key === "Unidentified" || e.key === "Dead") {
			return true;
		}
		const command = (e.ctrlKey || e.metaKey) && !e.getModifierState("AltGraph");
		return e.key.length === 1 ? !command : e.key === "Backspace" || e.key === "Enter";
	}

	addEventListener("keydown", (e) => {
		if (isPaste(e)) {
			e.preventDefault = () => {}; // Ebitengine would, and the browser would not paste
		} else if (e.target.id === areaName && !types(e)) {
			e.preventDefault(); // the program's key, not one of the browser's
		}
	}, { capture: true });

	addEventListener("paste", (e) => {
		if (!e.isTrusted || document.querySelector("dialog[open]")) {
			return; // made by a script, which pastes nothing, or into a text of the page's own
		}
		e.preventDefault(); // the program inserts it
		const text = e.clipboardData?.getData("text/plain") ?? "";
		if (waiting) {
			waiting(text);
		} else {
			pasted = { text, at: performance.now() };
		}
	}, { capture: true });

	// focusTyping focuses the text area without waiting for a key or a touch.
	ghostcube.focusTyping = () => {
		if (!needsTouch && !document.querySelector("dialog[open]")) {
			focusArea();
		}
	};

	// paste resolves to the text of the browser's own paste, or else of the clipboard; to null, if the browser refuses it.
	ghostcube.paste = async () => {
		let text = pasted && performance.now() - pasted.at < pasteKept ? pasted.text : null;
		pasted = null;
		if (text === null) {
			text = await new Promise((done) => {
				waiting = done;
				setTimeout(done, pasteTime, null);
			});
			waiting = null;
		}
		if (text !== null) {
			return text;
		}
		try {
			return await navigator.clipboard.readText();
		} catch {
			return null;
		}
	};
})();
