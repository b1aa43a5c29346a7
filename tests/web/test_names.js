"use strict";
/* Shorter forms of names, as src/analyze/profile/short_name.c has them. */
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");
const { test } = require("./lib.js");

const scope = {};
vm.runInNewContext(`${fs.readFileSync(path.join(__dirname, "../../web/names.js"), "utf8")}
	this.shorterNames = shorterNames;`, scope);
const forms = (name) => Array.from(scope.shorterNames(name));

test("a name loses inner arguments, parameters, then scopes", async () => {
	assert.deepEqual(forms("std::map<int, std::pair<int, long> >::find(int const&) const"), [
		"std::map<int, std::pair<int, long> >::find(int const&) const",
		"std::map<int, std::pair<\u2026> >::find(int const&) const",
		"std::map<\u2026>::find(\u2026) const",
		"std::map<\u2026>::find", "map<\u2026>::find", "find"]);
});

test("packages and libraries go, what they hold stays", async () => {
	assert.deepEqual(forms("libcrypto.so.3!fn@0x29c240"), ["libcrypto.so.3!fn@0x29c240", "fn@0x29c240"]);
	assert.equal(forms("github.com/a/b/pkg.(*Conn).serve").pop(), "pkg.(*Conn).serve");
	assert.deepEqual(forms("LazyCompile:*x /srv/app/v.js:12"), ["LazyCompile:*x /srv/app/v.js:12"]);
	assert.deepEqual(forms("operator<"), ["operator<"]);
});

test("ten thousand brackets are no trap", async () => {
	assert.equal(forms("(".repeat(10000)).length, 1);
	assert.equal(forms(`${"(".repeat(1500)}${")".repeat(1500)}`).pop().length > 0, true);
});
