// A service worker: keeps the files of the page, so that a second visit needs no network. When there is one, every page
// comes from the server, and with it the version of all that it loads, so an old program is never shown by a new page.
"use strict";

const version = "VERSION"; // of all the files; ui/page writes it
const files = ["FILES"]; // which the lab needs, with their version

const name = `ghostcube ${version}`;

// keep stores an answer that is whole, under its address without the query that names a session.
async function keep(request, answer) {
	if (answer.status === 200 && answer.type === "basic") {
		await (await caches.open(name)).put(key(request), answer);
	}
}

const key = (request) => (request.mode === "navigate" ? request.url.split(/[?#]/)[0] : request);

addEventListener("install", (e) => {
	skipWaiting();
	e.waitUntil(Promise.all(files.map(async (file) => keep(new Request(file), await fetch(file)))));
});

addEventListener("activate", (e) => {
	e.waitUntil((async () => {
		const old = (await caches.keys()).filter((other) => other.startsWith("ghostcube ") && other !== name);
		await Promise.all(old.map((other) => caches.delete(other)));
		await clients.claim();
	})());
});

addEventListener("fetch", (e) => {
	const request = e.request;
	if (request.method !== "GET" || request.headers.has("Range") || !request.url.startsWith(registration.scope)) {
		return;
	}
	const wanted = new URL(request.url).searchParams.get("v");
	if (wanted && wanted !== version) {
		return; // the browser's own: the worker of that version, which is on its way, ends this one
	}
	e.respondWith((async () => {
		const kept = await (await caches.open(name)).match(key(request));
		if (kept && wanted) {
			return kept; // for ever
		}
		try {
			const answer = await fetch(request);
			if (!kept) {
				e.waitUntil(keep(request, answer.clone())); // what is kept stays: it belongs to the program of this version
			}
			return answer;
		} catch (error) {
			if (kept) {
				return kept;
			}
			throw error;
		}
	})());
});
