/* Runs the tests of test_*.js, one browser for all of them. */
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { close, setUp, tests } = require("./lib.js");

async function main(wanted) {
	for (const file of fs.readdirSync(__dirname).filter((name) => /^test_.*\.js$/.test(name)).sort())
		tests.in(path.basename(file, ".js"), () => require(`./${file}`));
	let failed = 0;
	let skipped = 0;
	let passed = 0;
	await setUp();
	for (const { file, name, run } of tests.list) {
		if (wanted.length && !wanted.some((word) => `${file} ${name}`.includes(word)))
			continue;
		const since = Date.now();
		try {
			const why = await run();
			if (typeof why === "string") {
				skipped++;
				console.log(`skipped ${name}: ${why}`);
			} else {
				passed++;
				if (process.env.TIMES)
					console.log(`${Date.now() - since} ms ${name}`);
			}
		} catch (error) {
			failed++;
			console.log(`FAILED ${file}: ${name}\n${error.stack}`);
		}
	}
	await close();
	console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
	return failed ? 1 : 0;
}

main(process.argv.slice(2)).then((status) => { process.exitCode = status; });
