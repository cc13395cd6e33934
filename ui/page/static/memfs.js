// A file system in memory, in the form in which the program's runtime expects one. Files live until the page is closed;
// those that are for the user are downloaded (page.js). The worker that writes videos has one of its own (worker.js).
"use strict";

globalThis.memfs = (() => {
	const O_WRONLY = 1, O_RDWR = 2, O_CREAT = 64, O_EXCL = 128, O_TRUNC = 512, O_APPEND = 1024, O_DIRECTORY = 65536;
	const folder = 0o40777, file = 0o100666;

	let nextDescriptor = 100;
	let nextInode = 1;

	// Files and folders by their absolute path. A file has data, of which the first size bytes are valid.
	const nodes = new Map([["/", newNode(folder)]]);
	const open = new Map(); // by descriptor: {node, path, at, append}

	const decoder = new TextDecoder();
	const lines = { 1: "", 2: "" }; // output that has no line break yet
	const output = [];

	function newNode(mode) {
		return { mode, data: new Uint8Array(0), size: 0, changed: Date.now(), inode: nextInode++ };
	}

	function failure(code) {
		return Object.assign(new Error(code), { code });
	}

	function absolute(path) {
		const parts = [];
		for (const p of path.split("/")) {
			if (p === "..") {
				parts.pop();
			} else if (p !== "" && p !== ".") {
				parts.push(p);
			}
		}
		return "/" + parts.join("/");
	}

	const parent = (path) => absolute(path + "/..");
	const isFolder = (node) => (node.mode & 0o170000) === 0o40000;

	function find(path) {
		const node = nodes.get(absolute(path));
		if (!node) {
			throw failure("ENOENT");
		}
		return node;
	}

	function descriptor(fd) {
		const d = open.get(fd);
		if (!d) {
			throw failure("EBADF");
		}
		return d;
	}

	function checkParent(path) {
		const up = nodes.get(parent(path));
		if (!up) {
			throw failure("ENOENT");
		}
		if (!isFolder(up)) {
			throw failure("ENOTDIR");
		}
	}

	function resize(node, size) {
		if (size > node.data.length) {
			const larger = new Uint8Array(Math.max(size, 2 * node.data.length, 4096));
			larger.set(node.data.subarray(0, node.size));
			node.data = larger;
		}
		node.data.fill(0, Math.min(size, node.size), Math.max(size, node.size));
		node.size = size;
		node.changed = Date.now();
	}

	function stat(node) {
		return {
			dev: 1, ino: node.inode, mode: node.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size: node.size,
			blksize: 4096, blocks: Math.ceil(node.size / 512), atimeMs: node.changed, mtimeMs: node.changed, ctimeMs: node.changed,
			isDirectory: () => isFolder(node),
		};
	}

	// print collects the program's output; whole lines go to memfs.onLine, if there is one.
	function print(fd, bytes) {
		lines[fd] += decoder.decode(bytes, { stream: true });
		const whole = lines[fd].split("\n");
		lines[fd] = whole.pop();
		for (const line of whole) {
			output.push(line);
			globalThis.memfs.onLine?.(line, fd);
		}
	}

	function openFile(path, flags, mode) {
		path = absolute(path);
		let node = nodes.get(path);
		if (node && flags & O_CREAT && flags & O_EXCL) {
			throw failure("EEXIST");
		}
		if (!node) {
			if (!(flags & O_CREAT)) {
				throw failure("ENOENT");
			}
			checkParent(path);
			node = newNode(file);
			nodes.set(path, node);
		}
		if (isFolder(node) && flags & (O_WRONLY | O_RDWR)) {
			throw failure("EISDIR");
		}
		if (flags & O_DIRECTORY && !isFolder(node)) {
			throw failure("ENOTDIR");
		}
		if (flags & O_TRUNC) {
			resize(node, 0);
		}
		open.set(nextDescriptor, { node, path, at: 0, append: (flags & O_APPEND) !== 0 });
		return nextDescriptor++;
	}

	function write(fd, bytes, position) {
		if (fd === 1 || fd === 2) {
			print(fd, bytes);
			return bytes.length;
		}
		const d = descriptor(fd);
		const at = position ?? (d.append ? d.node.size : d.at);
		if (at + bytes.length > d.node.size) {
			resize(d.node, at + bytes.length);
		}
		d.node.data.set(bytes, at);
		d.node.changed = Date.now();
		if (position === null || position === undefined) {
			d.at = at + bytes.length;
		}
		return bytes.length;
	}

	function read(fd, bytes, position) {
		if (fd === 0) {
			return 0;
		}
		const d = descriptor(fd);
		const at = position ?? d.at;
		const part = d.node.data.subarray(Math.min(at, d.node.size), Math.min(at + bytes.length, d.node.size));
		bytes.set(part);
		if (position === null || position === undefined) {
			d.at = at + part.length;
		}
		return part.length;
	}

	function children(path) {
		path = absolute(path);
		const start = path === "/" ? "/" : path + "/";
		return [...nodes.keys()].filter((p) => p !== "/" && p.startsWith(start) && !p.slice(start.length).includes("/")).map((p) => p.slice(start.length)).sort();
	}

	function remove(path, wantFolder) {
		const node = find(path);
		if (isFolder(node) !== wantFolder) {
			throw failure(wantFolder ? "ENOTDIR" : "EISDIR");
		}
		if (wantFolder && children(path).length > 0) {
			throw failure("ENOTEMPTY");
		}
		nodes.delete(absolute(path));
	}

	function rename(from, to) {
		const node = find(from);
		if (isFolder(node)) {
			throw failure("ENOSYS");
		}
		checkParent(to);
		nodes.delete(absolute(from));
		nodes.set(absolute(to), node);
	}

	// answer turns a function into one that passes its result to a callback, which is its last argument.
	const answer = (f) => (...args) => {
		const callback = args.pop();
		let result;
		try {
			result = f(...args);
		} catch (e) {
			callback(e.code ? e : failure("EIO"));
			return;
		}
		callback(null, result);
	};
	const nothing = answer(() => undefined);
	const unavailable = answer(() => { throw failure("ENOSYS"); });

	globalThis.fs = {
		constants: { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_EXCL, O_DIRECTORY },
		writeSync: (fd, bytes) => write(fd, bytes, null),
		write: answer((fd, bytes, offset, length, position) => write(fd, bytes.subarray(offset, offset + length), position)),
		read: answer((fd, bytes, offset, length, position) => read(fd, bytes.subarray(offset, offset + length), position)),
		open: answer(openFile),
		close: answer((fd) => { descriptor(fd); open.delete(fd); }),
		stat: answer((path) => stat(find(path))),
		lstat: answer((path) => stat(find(path))),
		fstat: answer((fd) => stat(fd <= 2 ? newNode(0o20666) : descriptor(fd).node)),
		mkdir: answer((path) => {
			path = absolute(path);
			if (nodes.has(path)) {
				throw failure("EEXIST");
			}
			checkParent(path);
			nodes.set(path, newNode(folder));
		}),
		readdir: answer((path) => {
			if (!isFolder(find(path))) {
				throw failure("ENOTDIR");
			}
			return children(path);
		}),
		unlink: answer((path) => remove(path, false)),
		rmdir: answer((path) => remove(path, true)),
		rename: answer(rename),
		ftruncate: answer((fd, size) => resize(descriptor(fd).node, size)),
		truncate: answer((path, size) => resize(find(path), size)),
		fsync: nothing, chmod: nothing, fchmod: nothing, chown: nothing, fchown: nothing, lchown: nothing, utimes: nothing,
		link: unavailable, symlink: unavailable, readlink: unavailable,
	};
	globalThis.process = {
		pid: 1, ppid: 0, umask: () => 0, cwd: () => "/", chdir: () => { throw failure("ENOSYS"); },
		getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [],
	};
	globalThis.path = { resolve: (...parts) => absolute(parts.join("/")) };

	return {
		output, // all whole lines so far
		onLine: null,

		// get returns the bytes of a file.
		get(path) {
			const node = find(path);
			return node.data.slice(0, node.size);
		},

		// put writes a file, and the folders above it.
		put(path, bytes) {
			path = absolute(path);
			for (let at = path.indexOf("/", 1); at > 0; at = path.indexOf("/", at + 1)) {
				if (!nodes.has(path.slice(0, at))) {
					nodes.set(path.slice(0, at), newNode(folder));
				}
			}
			const node = newNode(file);
			resize(node, bytes.length);
			node.data.set(bytes);
			nodes.set(path, node);
		},
	};
})();
