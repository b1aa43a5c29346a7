// Read a pprof profile with the npm package pprof-format, check the references in it, and print a line "NAME SUM" per
// sample type.
//
//   node sums.js FILE
'use strict';

const fs = require('fs');
const zlib = require('zlib');
const { Profile } = require('pprof-format');

const bytes = fs.readFileSync(process.argv[2]);
const profile = Profile.decode(bytes[0] === 0x1f ? zlib.gunzipSync(bytes) : bytes);
const text = (index) => profile.stringTable.strings[Number(index)];
const ids = (list) => new Set(list.map((one) => Number(one.id)));
const locations = ids(profile.location), functions = ids(profile.function), mappings = ids(profile.mapping);

function must(holds, what) {
	if (holds)
		return;
	console.error(what);
	process.exit(1);
}

must(text(0) === '', 'the first string is not empty');
for (const [list, set, name] of [[profile.location, locations, 'location'], [profile.function, functions, 'function'],
	[profile.mapping, mappings, 'mapping']])
	must(set.size === list.length && !set.has(0), `an id of a ${name} is 0 or not unique`);
for (const location of profile.location) {
	must(!Number(location.mappingId) || mappings.has(Number(location.mappingId)), 'a location has no mapping');
	for (const line of location.line)
		must(functions.has(Number(line.functionId)), 'a line has no function');
}
for (const one of profile.function)
	must(text(one.name) !== undefined && text(one.filename) !== undefined, 'a function has no name');

const sums = profile.sampleType.map(() => 0n);

for (const sample of profile.sample) {
	must(sample.value.length === sums.length, 'a sample has another number of values');
	must(sample.locationId.every((id) => locations.has(Number(id))), 'a frame has no location');
	must(sample.label.every((label) => text(label.key)), 'a label has no key');
	sample.value.forEach((value, i) => { sums[i] += BigInt.asIntN(64, BigInt(value)); });
}
profile.sampleType.forEach((type, i) => console.log(`${text(type.type)}/${text(type.unit)} ${sums[i]}`));
